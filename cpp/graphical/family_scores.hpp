// How well a variable is told by its parents: scores of families of a network from counts of coded columns.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::graphical {

// Columns of codes, one behind the other, a code below 0 where a value is missing.
struct CodedColumns {
    MatrixView<const std::int32_t> codes;  // (variables, rows)
    std::span<const std::int32_t> cardinality;
    std::span<const double> weights;  // (rows,), or none

    std::size_t rows() const noexcept { return codes.cols; }
};

enum class FamilyScore {
    log_likelihood,  // sum_jk n_jk ln(n_jk / n_j)
    dirichlet,  // ln P(child | parents) under Dirichlet priors, alpha / (r q) each: BDeu, of one sample size for all
    unit_dirichlet  // the same with priors of alpha each: K2 at 1
};

// Objective: the score of one family, child k and parents j, from the counts n_jk of the rows in which no value of it is
// missing. Result: the score; `seen` is how much these rows weigh. Cost: a step a row and parent; memory a table of the
// family, or the keys of the rows, sorted, where that would be larger.
class FamilyCounter {
  public:
    explicit FamilyCounter(const CodedColumns& columns) : columns_(columns), key_(block_) {}

    double score(std::int32_t child, std::span<const std::int32_t> parents, FamilyScore kind, double alpha,
                 double& seen) {
        const auto r = static_cast<std::size_t>(columns_.cardinality[static_cast<std::size_t>(child)]);
        double q = 1;
        for (const std::int32_t parent : parents) q *= columns_.cardinality[static_cast<std::size_t>(parent)];
        const double own = kind == FamilyScore::dirichlet ? alpha / (static_cast<double>(r) * q) : alpha;
        if (static_cast<double>(r) * q <= std::max(65536.0, 2.0 * static_cast<double>(columns_.rows()))) {
            count_dense(child, parents, r * static_cast<std::size_t>(q));
            return of_table(r, kind, own, seen);
        }
        return of_sorted(child, parents, r, kind, own, seen);
    }

    // n_jk, the child's states within those of the parents, of which the first changes slowest.
    void count_dense(std::int32_t child, std::span<const std::int32_t> parents, std::size_t cells) {
        counts_.assign(cells, 0.0);
        for (std::size_t begin = 0; begin < columns_.rows(); begin += block_) {
            const std::size_t length = std::min(block_, columns_.rows() - begin);
            keys(child, parents, begin, length);
            for (std::size_t i = 0; i < length; ++i)
                if (key_[i] >= 0) counts_[static_cast<std::size_t>(key_[i])] += weight(begin + i);
        }
    }
    std::span<const double> counts() const noexcept { return counts_; }

  private:
    static constexpr std::size_t block_ = 1024;
    const CodedColumns& columns_;
    std::vector<std::int64_t> key_;
    std::vector<double> counts_;
    std::vector<std::pair<std::int64_t, double>> found_;

    double weight(std::size_t i) const noexcept { return columns_.weights.empty() ? 1.0 : columns_.weights[i]; }

    // Places in the table, negative where a value is missing.
    void keys(std::int32_t child, std::span<const std::int32_t> parents, std::size_t begin, std::size_t length) {
        std::fill_n(key_.begin(), length, 0);
        for (std::size_t p = 0; p <= parents.size(); ++p) {
            const auto at = static_cast<std::size_t>(p < parents.size() ? parents[p] : child);
            const std::int32_t* codes = columns_.codes.row(at) + begin;
            const std::int64_t size = columns_.cardinality[at];
            for (std::size_t i = 0; i < length; ++i)
                key_[i] = (key_[i] | static_cast<std::int64_t>(codes[i])) < 0 ? -1 : key_[i] * size + codes[i];
        }
    }

    static double of_parents(std::span<const double> row, FamilyScore kind, double own, double& seen) {
        double total = 0, sum = 0;
        for (const double n : row) {
            if (!(n > 0)) continue;
            total += n;
            sum += kind == FamilyScore::log_likelihood ? n * std::log(n) : std::lgamma(own + n) - std::lgamma(own);
        }
        if (!(total > 0)) return 0;
        seen += total;
        if (kind == FamilyScore::log_likelihood) return sum - total * std::log(total);
        const double all = own * static_cast<double>(row.size());
        return sum + std::lgamma(all) - std::lgamma(all + total);
    }

    double of_table(std::size_t r, FamilyScore kind, double own, double& seen) const {
        double sum = 0;
        seen = 0;
        for (std::size_t j = 0; j < counts_.size(); j += r) sum += of_parents({counts_.data() + j, r}, kind, own, seen);
        return sum;
    }

    double of_sorted(std::int32_t child, std::span<const std::int32_t> parents, std::size_t r, FamilyScore kind,
                     double own, double& seen) {
        found_.clear();
        for (std::size_t begin = 0; begin < columns_.rows(); begin += block_) {
            const std::size_t length = std::min(block_, columns_.rows() - begin);
            keys(child, parents, begin, length);
            for (std::size_t i = 0; i < length; ++i)
                if (key_[i] >= 0) found_.emplace_back(key_[i], weight(begin + i));
        }
        std::sort(found_.begin(), found_.end());
        std::vector<double> row(r);
        double sum = 0;
        seen = 0;
        for (std::size_t i = 0; i < found_.size();) {
            const std::int64_t parent = found_[i].first / static_cast<std::int64_t>(r);
            std::fill(row.begin(), row.end(), 0.0);
            for (; i < found_.size() && found_[i].first / static_cast<std::int64_t>(r) == parent; ++i)
                row[static_cast<std::size_t>(found_[i].first % static_cast<std::int64_t>(r))] += found_[i].second;
            sum += of_parents(row, kind, own, seen);
        }
        return sum;
    }
};

// Many families at a time, each by one thread: children (families,), and the parents of all, one behind the other.
inline void family_scores(const CodedColumns& columns, std::span<const std::int32_t> children,
                          std::span<const std::int64_t> start, std::span<const std::int32_t> parents, FamilyScore kind,
                          double alpha, std::span<double> scores, std::span<double> seen, int n_threads) {
    parallel_chunks(Chunks::of(children.size(), 1, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        FamilyCounter counter(columns);
        for (std::size_t f = begin; f < end; ++f)
            scores[f] = counter.score(
                children[f],
                parents.subspan(static_cast<std::size_t>(start[f]), static_cast<std::size_t>(start[f + 1] - start[f])),
                kind, alpha, seen[f]);
    });
}

}  // namespace lanatus::graphical
