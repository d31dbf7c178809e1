#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "core/text.hpp"
#include "neural/network.hpp"

namespace lanatus::neural {
using namespace nb::literals;

namespace {

template <class Kind>
Kind named(const std::map<std::string, Kind>& kinds, const std::string& name, const char* what) {
    const auto found = kinds.find(name);
    if (found == kinds.end()) throw std::invalid_argument(text("there is no ", what, " ", name));
    return found->second;
}
const std::map<std::string, Unit> units{{"identity", Unit::identity}, {"logistic", Unit::logistic},
                                        {"tanh", Unit::tanh},         {"relu", Unit::relu},
                                        {"softmax", Unit::softmax},   {"exponential", Unit::exponential}};
const std::map<std::string, Loss> losses{
    {"squared_error", Loss::squared}, {"log_loss", Loss::cross_entropy}, {"poisson", Loss::poisson}};
const std::map<std::string, Rule> rules{
    {"sgd", Rule::sgd},   {"nesterov", Rule::nesterov}, {"adagrad", Rule::adagrad}, {"rmsprop", Rule::rmsprop},
    {"adam", Rule::adam}, {"adamw", Rule::adamw},       {"rprop", Rule::rprop}};

using Numbers = std::optional<In1<double>>;

// The rows of a data set, checked once, their arrays kept alive.
class Table {
  public:
    Table(const nb::object& X, std::optional<In2<std::int32_t>> codes, Numbers shift, Numbers scale,
          std::optional<In1<std::int32_t>> holes, bool squash)
        : X_(X), codes_(codes), shift_(shift), scale_(scale), holes_(holes) {
        if (In2<float> floats; nb::try_cast(X, floats, false)) {
            rows_.floats = view(floats).data;
            rows_.n = floats.shape(0), rows_.d = floats.shape(1);
        } else if (In2<double> doubles; nb::try_cast(X, doubles, false)) {
            rows_.doubles = view(doubles).data;
            rows_.n = doubles.shape(0), rows_.d = doubles.shape(1);
        } else if (nb::isinstance<Csr<float>>(X)) {
            sparse_floats_ = nb::cast<const Csr<float>&>(X).view();
            rows_.sparse_floats = &sparse_floats_;
            rows_.n = sparse_floats_.rows, rows_.d = sparse_floats_.cols;
        } else if (nb::isinstance<Csr<double>>(X)) {
            sparse_doubles_ = nb::cast<const Csr<double>&>(X).view();
            rows_.sparse_doubles = &sparse_doubles_;
            rows_.n = sparse_doubles_.rows, rows_.d = sparse_doubles_.cols;
        } else {
            throw nb::type_error("X must be a matrix of float32 or float64, by rows, or core.csr of one");
        }
        require(shift.has_value() == scale.has_value() || rows_.is_sparse(), "shift and scale come together");
        if (shift && !rows_.is_sparse()) rows_.shift = of_width(*shift);
        if (scale) rows_.scale = of_width(*scale);
        if (codes) {
            require(codes->shape(0) == rows_.n, "codes and X differ in number of samples");
            rows_.codes = view(*codes).data;
            rows_.n_codes = codes->shape(1);
        }
        rows_.squash = squash;
        if (holes) {
            require(!rows_.is_sparse(), "sparse rows have no indicators of holes");
            rows_.holes = span(*holes);
            for (const std::int32_t j : rows_.holes)
                require(j >= 0 && static_cast<std::size_t>(j) < rows_.d, "holes names a column that X has not");
        }
    }
    Table(const Table&) = delete;
    const Rows& rows() const noexcept { return rows_; }

  private:
    const double* of_width(const In1<double>& numbers) const {
        require(numbers.shape(0) == rows_.d, "shift and scale must have a number for each column of X");
        return span(numbers).data();
    }
    nb::object X_;
    std::optional<In2<std::int32_t>> codes_;
    Numbers shift_, scale_;
    std::optional<In1<std::int32_t>> holes_;
    CsrView<float> sparse_floats_;
    CsrView<double> sparse_doubles_;
    Rows rows_;
};

Shape shape_of(std::size_t n_numbers, const std::vector<std::pair<std::size_t, std::size_t>>& embeddings,
               const std::vector<std::size_t>& sizes, const std::string& hidden, const std::string& output,
               const std::string& loss, bool normed, const std::vector<double>& dropout) {
    Shape shape;
    shape.loss = named(losses, loss, "loss");
    shape.n_numbers = shape.n_inputs = n_numbers;
    for (const auto& [values, width] : embeddings) shape.n_inputs += width;
    require(!sizes.empty() && *std::min_element(sizes.begin(), sizes.end()) >= 1, "every layer needs a unit");
    require(shape.n_inputs >= 1, "a network needs an input");
    require(dropout.size() + 1 == sizes.size(), "dropout must have a share for each hidden layer");
    std::size_t in = shape.n_inputs;
    const auto most = std::size_t{1} << 40;
    for (std::size_t l = 0; l < sizes.size(); ++l) {
        Layer layer{.in = in, .out = sizes[l]};
        const bool last = l + 1 == sizes.size();
        layer.unit = named(units, last ? output : hidden, "unit");
        require(last || layer.unit != Unit::softmax, "softmax is for the last layer");
        layer.normed = normed && !last;
        if (!last) {
            layer.dropout = dropout[l];
            require(layer.dropout >= 0 && layer.dropout < 1, "dropout must be from 0 to below 1");
        }
        require(in < most / layer.out, "the network is too large");
        const auto take = [&](std::size_t n) { return std::exchange(shape.n_parameters, shape.n_parameters + n); };
        layer.weights = take(in * layer.out);
        layer.bias = take(layer.out);
        if (layer.normed) {
            layer.gamma = take(layer.out);
            layer.beta = take(layer.out);
            layer.running = std::exchange(shape.n_running, shape.n_running + 2 * layer.out);
        }
        in = layer.out;
        shape.layers.push_back(layer);
    }
    for (const auto& [values, width] : embeddings) {
        require(width >= 1 && values < most / width, "an embedding needs a width");
        shape.embeddings.push_back({values, width, shape.n_parameters});
        shape.n_parameters += (values + 1) * width;
    }
    return shape;
}

template <class T>
class Network {
  public:
    explicit Network(Shape shape) : shape(std::move(shape)) {}

    void require_rows(const Table& table) const {
        require(table.rows().width() == shape.n_numbers, "the rows have another width than the network");
        require(table.rows().n_codes == shape.embeddings.size(), "the rows have another number of embedded columns");
    }
    template <class Array>
    void require_parameters(const Array& theta, const Array& running) const {
        require(theta.shape(0) == shape.n_parameters, "theta has another length than the network");
        require(running.shape(0) == shape.n_running, "running has another length than the network");
    }
    Targets<T> targets(const std::optional<In1<std::int32_t>>& codes, const std::optional<In2<T>>& numbers,
                       const Weights& weight, std::size_t n) const {
        Targets<T> made;
        require(codes.has_value() != numbers.has_value(), "there must be codes or numbers as targets");
        const std::size_t K = shape.n_outputs();
        if (codes) {
            require(codes->shape(0) == n, "codes and X differ in number of samples");
            made.codes = span(*codes);
            const auto classes = static_cast<std::int64_t>(K == 1 ? 2 : K);
            require(std::all_of(made.codes.begin(), made.codes.end(), [=](auto c) { return c >= 0 && c < classes; }),
                    "a code of a class is out of range");
        } else {
            require(numbers->shape(0) == n && numbers->shape(1) == K, "targets must be of shape (rows, outputs)");
            made.numbers = view(*numbers);
        }
        require_weights(weight, n);
        made.weight = span(weight);
        return made;
    }

    auto epoch(const Table& table, std::optional<In1<std::int32_t>> codes, std::optional<In2<T>> numbers,
               Weights weight, InOut1<T> theta, InOut1<T> first, InOut1<T> second, InOut1<T> running,
               std::uint64_t step, In1<std::int64_t> order, In1<double> rates, Numbers layer_rates,
               const std::string& rule, std::size_t batch, double momentum, double beta_1, double beta_2,
               double epsilon, double share, double decay, double decay_all, double clip, double least, double most,
               std::uint64_t seed, int n_threads) const {
        require_threads(n_threads);
        require_rows(table);
        require_parameters(theta, running);
        require(first.shape(0) == theta.shape(0) && second.shape(0) == theta.shape(0),
                "theta, first and second differ in length");
        const Rows& rows = table.rows();
        const Targets<T> wanted = targets(codes, numbers, weight, rows.n);
        require(batch >= 1, "a batch needs a row");
        const auto visits = span(order);
        require(std::all_of(visits.begin(), visits.end(),
                            [&](auto i) { return i >= 0 && static_cast<std::size_t>(i) < rows.n; }),
                "order names a row that X has not");
        require(rates.shape(0) >= (visits.size() + batch - 1) / batch, "there must be a rate for each step");
        require(!layer_rates || layer_rates->shape(0) == shape.layers.size(), "there must be a rate for each layer");
        const Training how{.rule = named(rules, rule, "rule"),
                           .momentum = momentum,
                           .beta_1 = beta_1,
                           .beta_2 = beta_2,
                           .epsilon = epsilon,
                           .share = share,
                           .decay = decay,
                           .decay_all = decay_all,
                           .clip = clip,
                           .least = least,
                           .most = most,
                           .seed = seed,
                           .batch = batch};
        Memory<T> memory{span(theta).data(), span(first).data(), span(second).data(), span(running).data(), step};
        const std::span<const double> by_layer = layer_rates ? span(*layer_rates) : std::span<const double>{};
        Sum sum;
        {
            nb::gil_scoped_release nogil;
            sum = neural::epoch<T>(shape, rows, wanted, visits, span(rates), by_layer, how, memory, n_threads);
        }
        return std::tuple(sum.loss, sum.weight, memory.step);
    }

    auto gradient(const Table& table, std::optional<In1<std::int32_t>> codes, std::optional<In2<T>> numbers,
                  Weights weight, In1<T> theta, In1<T> running, int n_threads) const {
        require_threads(n_threads);
        require_rows(table);
        require_parameters(theta, running);
        const Targets<T> wanted = targets(codes, numbers, weight, table.rows().n);
        auto found = new_array<T>(shape.n_parameters);
        std::fill_n(found.data(), shape.n_parameters, T{0});
        Sum sum;
        {
            nb::gil_scoped_release nogil;
            sum = gradient_of<T>(shape, table.rows(), wanted, span(theta).data(), span(running).data(), found.data(),
                                 n_threads);
        }
        return std::tuple(sum.loss, sum.weight, found);
    }

    auto outputs(const Table& table, In1<T> theta, In1<T> running, std::size_t layer, int n_threads) const {
        require_threads(n_threads);
        require_rows(table);
        require_parameters(theta, running);
        require(layer <= shape.layers.size(), "layer must be from 0, the inputs, to the number of layers");
        require(layer > 0 || !table.rows().is_sparse(), "sparse rows are read entry by entry");
        auto found = new_array<T>(table.rows().n, layer == 0 ? shape.n_inputs : shape.layers[layer - 1].out);
        {
            nb::gil_scoped_release nogil;
            outputs_of<T>(shape, table.rows(), span(theta).data(), span(running).data(), layer, view(found), n_threads);
        }
        return found;
    }

    auto jacobian(const Table& table, In1<T> theta, In1<T> running, bool before, int n_threads) const {
        require_threads(n_threads);
        require_rows(table);
        require_parameters(theta, running);
        require(!shape.normed(), "with batch normalisation outputs depend on other rows");
        auto found = new_array<T>(table.rows().n * shape.n_outputs(), shape.n_parameters);
        {
            nb::gil_scoped_release nogil;
            jacobian_of<T>(shape, table.rows(), span(theta).data(), span(running).data(), before, view(found),
                           n_threads);
        }
        return found;
    }

    const Shape shape;
};

template <class T>
void bind_network(nb::module_& m, const char* name) {
    using Net = Network<T>;
    nb::class_<Net>(m, name, "The shape of a network, with its kernels; parameters are given to each call.")
        .def(
            "__init__",
            [](Net* self, std::size_t n_numbers, const std::vector<std::pair<std::size_t, std::size_t>>& embeddings,
               const std::vector<std::size_t>& sizes, const std::string& hidden, const std::string& output,
               const std::string& loss, bool normed, const std::vector<double>& dropout) {
                new (self) Net(shape_of(n_numbers, embeddings, sizes, hidden, output, loss, normed, dropout));
            },
            "n_numbers"_a, "embeddings"_a, "sizes"_a, nb::kw_only(), "hidden"_a, "output"_a, "loss"_a, "normed"_a,
            "dropout"_a)
        .def_prop_ro("n_parameters", [](const Net& self) { return self.shape.n_parameters; })
        .def_prop_ro("n_running", [](const Net& self) { return self.shape.n_running; })
        .def_prop_ro(
            "layers",
            [](const Net& self) {
                nb::list found;
                for (const Layer& one : self.shape.layers)
                    found.append(nb::make_tuple(one.in, one.out, one.weights, one.bias));
                return found;
            },
            "(inputs, units, where the weights begin, where the constants begin) of each layer")
        .def_prop_ro(
            "tables",
            [](const Net& self) {
                nb::list found;
                for (const Embedding& one : self.shape.embeddings)
                    found.append(nb::make_tuple(one.values + 1, one.width, one.table));
                return found;
            },
            "(rows, width, where it begins) of each table of an embedding")
        .def("epoch", &Net::epoch, "rows"_a, "codes"_a.none(), "numbers"_a.none(), "weight"_a.none(), nb::kw_only(),
             "theta"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "running"_a.noconvert(), "step"_a,
             "order"_a.noconvert(), "rates"_a.noconvert(), "layer_rates"_a.none() = nb::none(), "rule"_a, "batch"_a,
             "momentum"_a = 0.0, "beta_1"_a = 0.9, "beta_2"_a = 0.999, "epsilon"_a = 1e-8, "share"_a = 1.0,
             "decay"_a = 0.0, "decay_all"_a = 0.0, "clip"_a = 0.0, "least"_a = 1e-6, "most"_a = 50.0, "seed"_a = 0,
             "n_threads"_a, "-> (sum of the losses, sum of the weights, step); theta and memories change in place.")
        .def("gradient", &Net::gradient, "rows"_a, "codes"_a.none(), "numbers"_a.none(), "weight"_a.none(),
             "theta"_a.noconvert(), "running"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> (sum of the losses, sum of the weights, gradient of the first)")
        .def("outputs", &Net::outputs, "rows"_a, "theta"_a.noconvert(), "running"_a.noconvert(), "layer"_a,
             nb::kw_only(), "n_threads"_a, "-> outputs of a layer, counted from 1, a row a row")
        .def("jacobian", &Net::jacobian, "rows"_a, "theta"_a.noconvert(), "running"_a.noconvert(), nb::kw_only(),
             "before"_a, "n_threads"_a, "-> (rows * outputs, parameters), derivatives of the outputs");
}

}  // namespace

void bind(nb::module_& m) {
    nb::class_<Table>(m, "Rows", "Rows as a network reads them, checked once.")
        .def(nb::init<const nb::object&, std::optional<In2<std::int32_t>>, Numbers, Numbers,
                      std::optional<In1<std::int32_t>>, bool>(),
             "X"_a, "codes"_a.none() = nb::none(), "shift"_a.none() = nb::none(), "scale"_a.none() = nb::none(),
             "holes"_a.none() = nb::none(), "squash"_a = false);
    bind_network<float>(m, "Network32");
    bind_network<double>(m, "Network64");
}

}  // namespace lanatus::neural
