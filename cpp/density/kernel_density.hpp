// Sums of kernels over the rows of a tree, with a bound on the error -- cookbook 3.4.1.
//
//     S(q) = sum_i w_i K(|q - x_i| / h)        |answer - S| <= rtol S + atol
//
// Queries are sorted into blocks that lie together; each block walks down the tree, near nodes first. What is left below
// a node is replaced, at the cost of an error that is known beforehand, by
//     the middle of the kernel's bounds over the pair of boxes:   error <= m (K_high - K_low) / 2
//     (Gaussian) all rows at the node's centre:                   error <= spread max |K''| / 2, as first orders cancel
// where m is the mass of the node. A node may err by m (rtol K_low + rtol L / M + 2 atol / M) / 2, L being what is
// already certain of S and M all mass; the rest is saved for later nodes. rtol = atol = 0 still drops what rounding
// would. At a leaf all pairs are taken, 16 queries by 4 rows in registers: differences, so that nothing cancels; in
// float32 where a bound of its rounding leaves room.
// S too small for the exponent (far-away queries) is found again about its largest term.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "density/query_block.hpp"
#include "neighbors/kd_tree.hpp"

namespace lanatus::density {

// log_sums[q] <- log S(q), minus infinity where no window reaches.
inline void log_kernel_sums(const KdTree& tree, const WindowSpec& spec, const Tolerance& tolerance,
                            MatrixView<const double> queries, std::size_t block_size, double* log_sums, int n_threads) {
    if (queries.rows == 0) return;
    std::vector<std::int64_t> order(queries.rows);
    const std::size_t levels = neighbors::tree_levels(queries.rows, block_size),
                      blocks = std::size_t{1} << (levels - 1);
    std::vector<double> records(neighbors::tree_nodes(levels) * neighbors::record_size(queries.cols));
    neighbors::build_kd_tree(queries, nullptr, order,
                             {records.data(), neighbors::tree_nodes(levels), neighbors::record_size(queries.cols)},
                             n_threads);
    parallel_for(blocks, n_threads, [&](std::size_t b) {
        Place at{0, 0, queries.rows};
        for (std::size_t half = blocks / 2; half > 0; half /= 2) at = b & half ? at.right() : at.left();
        if (at.empty()) return;
        const auto members = std::span<const std::int64_t>(order).subspan(at.begin, at.end - at.begin);
        QueryBlock(tree, spec, tolerance, queries, members).run(members, log_sums);
        std::vector<std::int64_t> far;
        for (const std::int64_t q : members)
            if (std::isnan(log_sums[q])) far.push_back(q);
        if (!far.empty()) QueryBlock(tree, spec, tolerance, queries, far).run_far(far, log_sums);
    });
}

}  // namespace lanatus::density
