// Isolation trees.
#include <algorithm>
#include <limits>

#include "cluster/isolation.hpp"
#include "core/ndarray.hpp"

namespace lanatus::cluster {
using namespace nb::literals;

namespace {

template <class T>
Out1<T> array_of(const std::vector<T>& values) {
    auto out = new_array<T>(values.size());
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

template <class T>
auto py_grow(In2<T> X, In2<std::int64_t> rows, In2<std::int32_t> columns, In1<std::uint64_t> seeds,
             std::size_t max_depth, int n_threads) {
    require_threads(n_threads);
    const std::size_t n_trees = rows.shape(0);
    require(n_trees >= 1 && rows.shape(1) >= 1 && columns.shape(1) >= 1, "there must be a tree, a row and a column");
    require(columns.shape(0) == n_trees && seeds.shape(0) == n_trees, "rows, columns and seeds differ in trees");
    require(n_trees * rows.shape(1) < std::numeric_limits<std::int32_t>::max() / 2, "there are too many rows");
    require(max_depth <= 1000, "max_depth is too large");
    const auto whole = static_cast<std::int64_t>(X.shape(0));
    for (std::size_t i = 0; i < rows.size(); ++i)
        require(rows.data()[i] >= 0 && rows.data()[i] < whole, "rows must be rows of X");
    for (std::size_t i = 0; i < columns.size(); ++i)
        require(columns.data()[i] >= 0 && static_cast<std::size_t>(columns.data()[i]) < X.shape(1),
                "columns must be columns of X");
    IsolationTrees<T> trees;
    {
        nb::gil_scoped_release nogil;
        trees = grow_isolation<T>(view(X), view(rows), view(columns), span(seeds), max_depth, n_threads);
    }
    return std::tuple(array_of(trees.starts), array_of(trees.column), array_of(trees.threshold), array_of(trees.left),
                      array_of(trees.path));
}

// Children stand behind their parent and inside their tree, so that every way down ends.
void require_trees(std::span<const std::int64_t> starts, std::span<const std::int32_t> column,
                   std::span<const std::int32_t> left, std::size_t d) {
    require(starts.size() >= 2 && starts.front() == 0, "starts must begin at 0 and name a tree");
    require(starts.back() == static_cast<std::int64_t>(column.size()), "starts must end at the number of nodes");
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        require(starts[t] < starts[t + 1] && starts[t] >= 0 && starts[t + 1] <= starts.back(), "starts must rise");
        const std::int64_t size = starts[t + 1] - starts[t];
        for (std::int64_t k = 0; k < size; ++k) {
            const auto node = static_cast<std::size_t>(starts[t] + k);
            if (column[node] < 0) continue;
            require(static_cast<std::size_t>(column[node]) < d, "column holds none of X");
            require(left[node] > k && left[node] + 1 < size, "left holds a node that is no child");
        }
    }
}

template <class T>
auto py_paths(In2<T> X, In1<std::int64_t> starts, In1<std::int32_t> column, In1<T> threshold, In1<std::int32_t> left,
              In1<double> path, int n_threads) {
    require_threads(n_threads);
    const std::size_t nodes = column.shape(0);
    require(threshold.shape(0) == nodes && left.shape(0) == nodes && path.shape(0) == nodes,
            "the arrays of the nodes differ in length");
    require_trees(span(starts), span(column), span(left), X.shape(1));
    auto out = new_array<double>(X.shape(0));
    {
        nb::gil_scoped_release nogil;
        isolation_paths<T>(view(X), {span(starts), column.data(), left.data(), threshold.data(), path.data()},
                           out.data(), n_threads);
    }
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("grow_isolation", &py_grow<T>, "X"_a.noconvert(), "rows"_a.noconvert(), "columns"_a.noconvert(),
          "seeds"_a.noconvert(), nb::kw_only(), "max_depth"_a, "n_threads"_a,
          "-> (starts, column, threshold, left, path): isolation trees, node by node.");
    m.def("isolation_paths", &py_paths<T>, "X"_a.noconvert(), "starts"_a.noconvert(), "column"_a.noconvert(),
          "threshold"_a.noconvert(), "left"_a.noconvert(), "path"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> the mean path of each row of X in the trees.");
}

}  // namespace

void bind_isolation(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::cluster
