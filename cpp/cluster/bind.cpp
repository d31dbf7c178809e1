#include "cluster/kmeans.hpp"
#include "cluster/kmeans_csr.hpp"
#include "cluster/kmeans_elkan.hpp"
#include "cluster/kmeans_plusplus.hpp"
#include "core/csr.hpp"
#include "core/ndarray.hpp"

namespace lanatus::cluster {
using namespace nb::literals;

namespace {

using Labels = InOut1<std::int32_t>;

// Rows dense or compressed: what the kernels read, whichever it is.
template <class T>
MatrixView<const T> rows_of(const In2<T>& X) {
    return view(X);
}
template <class T>
CsrView<T> rows_of(const Csr<T>& X) {
    return X.view();
}

template <class B>
void require_centers(const B& centers, std::size_t n_cols) {
    require(centers.shape(1) == n_cols, "centers and X differ in number of features");
    require(centers.shape(0) >= 1, "there must be at least one center");
    require(centers.shape(0) <= 0x7fffffff, "too many centers for int32 labels");
}
template <class L>
void require_labels(const L& labels, std::size_t n) {
    require(labels.shape(0) == n, "labels and X differ in number of samples");
}
inline void require_codes(std::span<const std::int32_t> labels, std::int64_t low, std::size_t k) {
    for (const std::int32_t c : labels)
        require(c >= low && c < static_cast<std::int64_t>(k), "labels hold a value outside the range of the centers");
}

template <class T, class Rows>
auto py_lloyd(const Rows& rows, Weights w, In2<T> centers, Labels labels, int n_threads) {
    const auto X = rows_of<T>(rows);
    require_centers(centers, X.cols);
    require_labels(labels, X.rows);
    require_weights(w, X.rows);
    require_threads(n_threads);
    auto sums = new_array<double>(centers.shape(0), centers.shape(1));
    auto mass = new_array<double>(centers.shape(0));
    PassResult r;
    {
        nb::gil_scoped_release nogil;
        r = lloyd_pass<T>(X, span(w), view(centers), span(labels), view(sums), span(mass), n_threads);
    }
    return std::tuple(sums, mass, r.inertia, r.n_changed);
}

// The state of a bounded pass, checked.
template <class T>
void require_bounds(const In2<T>& X, const Weights& w, const In2<T>& centers, const std::optional<In2<T>>& old_centers,
                    const Labels& labels, const InOut1<T>& upper, std::size_t lower_rows, const InOut2<double>& sums,
                    const InOut1<double>& mass, int n_threads) {
    const std::size_t n = X.shape(0), k = centers.shape(0);
    require_centers(centers, X.shape(1));
    require_labels(labels, n);
    require_weights(w, n);
    require_threads(n_threads);
    require(!old_centers || (old_centers->shape(0) == k && old_centers->shape(1) == centers.shape(1)),
            "old_centers and centers differ in shape");
    require(upper.shape(0) == n && lower_rows == n, "upper, lower and X differ in number of samples");
    require(sums.shape(0) == k && sums.shape(1) == centers.shape(1), "sums and centers differ in shape");
    require(mass.shape(0) == k, "mass and centers differ in length");
}

template <class T>
auto py_hamerly(In2<T> X, Weights w, In2<T> centers, std::optional<In2<T>> old_centers, Labels labels, InOut1<T> upper,
                InOut1<T> lower, InOut2<double> sums, InOut1<double> mass, int n_threads) {
    require_bounds<T>(X, w, centers, old_centers, labels, upper, lower.shape(0), sums, mass, n_threads);
    PassResult r;
    {
        nb::gil_scoped_release nogil;
        require_codes(span(labels), -1, centers.shape(0));
        r = hamerly_pass<T>(view(X), span(w), view(centers), old_centers ? old_centers->data() : nullptr, span(labels),
                            span(upper), span(lower), view(sums), span(mass), n_threads);
    }
    return std::tuple(r.n_changed, r.n_distances);
}

template <class T>
auto py_elkan(In2<T> X, Weights w, In2<T> centers, std::optional<In2<T>> old_centers, Labels labels, InOut1<T> upper,
              InOut2<T> lower, InOut2<double> sums, InOut1<double> mass, int n_threads) {
    require_bounds<T>(X, w, centers, old_centers, labels, upper, lower.shape(0), sums, mass, n_threads);
    require(lower.shape(1) == centers.shape(0), "lower must have a column for each center");
    PassResult r;
    {
        nb::gil_scoped_release nogil;
        require_codes(span(labels), -1, centers.shape(0));
        r = elkan_pass<T>(view(X), span(w), view(centers), old_centers ? old_centers->data() : nullptr, span(labels),
                          span(upper), view(lower), view(sums), span(mass), n_threads);
    }
    return std::tuple(r.n_changed, r.n_distances);
}

template <class T, class Rows>
auto py_assign(const Rows& rows, In2<T> centers, int n_threads) {
    const auto X = rows_of<T>(rows);
    require_centers(centers, X.cols);
    require_threads(n_threads);
    auto labels = new_array<std::int32_t>(X.rows);
    auto sq_dist = new_array<double>(X.rows);
    {
        nb::gil_scoped_release nogil;
        assign<T>(X, view(centers), span(labels), span(sq_dist), n_threads);
    }
    return std::tuple(labels, sq_dist);
}

template <class T, class Rows>
double py_inertia(const Rows& rows, Weights w, In2<T> centers, In1<std::int32_t> labels, int n_threads) {
    const auto X = rows_of<T>(rows);
    require_centers(centers, X.cols);
    require_labels(labels, X.rows);
    require_weights(w, X.rows);
    require_threads(n_threads);
    nb::gil_scoped_release nogil;
    require_codes(span(labels), 0, centers.shape(0));
    return inertia<T>(X, span(w), view(centers), span(labels), n_threads);
}

template <class T, class Rows>
double py_min_sq_dist(const Rows& rows, Weights w, In2<T> centers, InOut1<double> sq_dist, int n_threads) {
    const auto X = rows_of<T>(rows);
    require_centers(centers, X.cols);
    require(sq_dist.shape(0) == X.rows, "sq_dist and X differ in number of samples");
    require_weights(w, X.rows);
    require_threads(n_threads);
    nb::gil_scoped_release nogil;
    return min_sq_dist<T>(X, span(w), view(centers), span(sq_dist), n_threads);
}

Out1<std::int64_t> indices(const std::vector<std::int64_t>& rows) {
    auto out = new_array<std::int64_t>(rows.size());
    std::copy(rows.begin(), rows.end(), out.data());
    return out;
}
void require_choice(std::size_t n, std::size_t k, std::size_t n_trials) {
    require(k >= 1 && k <= n, "k must be at least 1 and at most the number of samples");
    require(n_trials >= 1, "n_trials must be at least 1");
}

template <class T, class Rows>
auto py_plusplus(const Rows& rows, Weights w, std::size_t k, std::size_t n_trials, std::uint64_t seed, int n_threads) {
    const auto X = rows_of<T>(rows);
    require_choice(X.rows, k, n_trials);
    require_weights(w, X.rows);
    require_threads(n_threads);
    std::vector<std::int64_t> chosen;
    {
        nb::gil_scoped_release nogil;
        chosen = plusplus<T>(X, span(w), k, n_trials, seed, n_threads);
    }
    return indices(chosen);
}

// The passes that take dense and compressed rows alike.
template <class T, class Rows>
void bind_rows(nb::module_& m) {
    m.def("plusplus", &py_plusplus<T, Rows>, "X"_a.noconvert(), "w"_a.noconvert().none(), "k"_a, "n_trials"_a, "seed"_a,
          nb::kw_only(), "n_threads"_a,
          "-> (k,) int64: rows chosen by greedy k-means++, n_trials candidates a step. Distinct.");
    m.def(
        "lloyd_pass", &py_lloyd<T, Rows>, "X"_a.noconvert(), "w"_a.noconvert().none(), "centers"_a.noconvert(),
        "labels"_a.noconvert(), nb::kw_only(), "n_threads"_a,
        "-> (sums (k, d), mass (k,), inertia, n_changed). Assigns each row to its nearest center, in place in labels\n"
        "(n_changed counts the differences from the labels given), and sums rows and weights by cluster. inertia is "
        "that\n"
        "of the given centers.");
    m.def("assign", &py_assign<T, Rows>, "X"_a.noconvert(), "centers"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (labels, squared distances): the nearest center of each row.");
    m.def("inertia", &py_inertia<T, Rows>, "X"_a.noconvert(), "w"_a.noconvert().none(), "centers"_a.noconvert(),
          "labels"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "Weighted sum of squared distances to the labelled centers.");
    m.def("min_sq_dist", &py_min_sq_dist<T, Rows>, "X"_a.noconvert(), "w"_a.noconvert().none(), "centers"_a.noconvert(),
          "sq_dist"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "Lowers sq_dist (n,), in place, to the squared distance to the nearest of these centers where that is "
          "smaller.\n"
          "-> the potential, sum of w * sq_dist.");
}

template <class T>
void bind_dtype(nb::module_& m) {
    bind_rows<T, In2<T>>(m), bind_rows<T, Csr<T>>(m);
    m.def("hamerly_pass", &py_hamerly<T>, "X"_a.noconvert(), "w"_a.noconvert().none(), "centers"_a.noconvert(),
          "old_centers"_a.noconvert().none(), "labels"_a.noconvert(), "upper"_a.noconvert(), "lower"_a.noconvert(),
          "sums"_a.noconvert(), "mass"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n_changed, n_distances). As lloyd_pass, skipping rows whose bounds prove that their label stays. State, "
          "all\n"
          "changed in place: labels (start: -1), upper and lower (n,) of X's dtype (start: anything), sums (k, d) and "
          "mass\n"
          "(k,) (start: 0). old_centers are the centers of the pass before; None on the first.");
    m.def("elkan_pass", &py_elkan<T>, "X"_a.noconvert(), "w"_a.noconvert().none(), "centers"_a.noconvert(),
          "old_centers"_a.noconvert().none(), "labels"_a.noconvert(), "upper"_a.noconvert(), "lower"_a.noconvert(),
          "sums"_a.noconvert(), "mass"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n_changed, n_distances). As hamerly_pass, with a lower bound for every center: lower is (n, k).");
}

}  // namespace

void bind(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::cluster
