// The trees of one round of gradient boosting, one for each output, on the same binned rows.
//
// Given the round's gradients, no tree depends on another. As long as there is a tree for every thread, each thread grows
// trees of its own and waits for nobody; what is left over is grown tree by tree by all threads together. A tree is the
// same either way (boosting.hpp).
// Cost: 12 bytes a row and the histograms of a tree for every thread, 4 bytes a row and output.
#pragma once
#include <atomic>

#include "ensemble/boosting.hpp"

namespace lanatus::ensemble {

class Round {
  public:
    Round(MatrixView<const std::uint8_t> codes, std::vector<std::int32_t> n_bins, std::vector<std::uint8_t> nominal,
          std::vector<std::uint8_t> repeats, std::size_t n_outputs, int n_threads)
        : data_(codes, std::move(n_bins), std::move(nominal), std::move(repeats), n_threads) {
        growers_.reserve(n_outputs);
        for (std::size_t k = 0; k < n_outputs; ++k) growers_.emplace_back(data_);
    }
    Round(const Round&) = delete;  // growers look at the data here

    // g, h: a row for each output; `columns`: those to look at, one list for each output; `seeds`: one for each output.
    void grow(MatrixView<const double> g, MatrixView<const double> h, std::span<const std::int64_t> bag,
              MatrixView<const std::int32_t> columns, std::span<const std::uint32_t> seeds, const GrowOptions& options,
              int n_threads) {
        const std::size_t team = static_cast<std::size_t>(std::max(n_threads, 1)), n = data_.store.n;
        const std::size_t alone = n_outputs() / team * team;
        while (desks_.size() < std::max<std::size_t>(1, std::min(team, alone))) desks_.emplace_back(n);
        const auto grow_one = [&](std::size_t k, Desk& desk, int threads) {
            GrowOptions own = options;
            own.seed = seeds[k];
            growers_[k].grow({g.row(k), n}, {h.row(k), n}, bag, {columns.row(k), columns.cols}, own, desk, threads);
        };
        std::atomic<std::size_t> next{0};
        parallel_for(std::min(team, alone), n_threads, [&](std::size_t seat) {
            for (std::size_t k; (k = next.fetch_add(1)) < alone;) grow_one(k, desks_[seat], 1);
        });
        for (std::size_t k = alone; k < n_outputs(); ++k) grow_one(k, desks_.front(), n_threads);
    }

    // The tree of an output, as last grown.
    Grower& operator[](std::size_t output) noexcept { return growers_[output]; }
    const Grower& operator[](std::size_t output) const noexcept { return growers_[output]; }

    std::size_t n_outputs() const noexcept { return growers_.size(); }
    std::size_t n_rows() const noexcept { return data_.store.n; }
    std::size_t n_columns() const noexcept { return data_.store.d; }

  private:
    BinnedColumns data_;
    std::vector<Grower> growers_;
    std::vector<Desk> desks_;
};

}  // namespace lanatus::ensemble
