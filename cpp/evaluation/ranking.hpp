// Pairs won by a ranking -- book 2.3.3, (2.21) and (2.22): with scores f, positives x+ and negatives x-,
//
//     won = sum over (x+, x-) of  2 I(f(x+) > f(x-)) + I(f(x+) = f(x-)),    AUC = won / (2 m+ m-),    l_rank = 1 - AUC
//
// given    score   m numbers, float or double, none of them NaN; infinities are numbers, -0 equals 0
//          positive  m marks
//          weight  empty, or m of them: then a pair counts w+ w-
// result   won and the mass of each class: exact integers without weights, sums in double with them
// ties     a tie counts half a won pair, that is 1 in `won`
// cost     O(m log m) time; `order`, one index a row, is the only memory that grows with m. Rows are dealt into buckets
//          by splitters from a sample, so that the order is made by two reads of the scores and the buckets are solved
//          on their own: of each, the smaller class is sorted in a small buffer and the other one looked up in it.
//          A bucket of one splitter's value needs no sort. A bucket too large for the buffer is cut in place.
// source   Hand and Till (2001) for the rank form; Frazer and McKellar (1970) for the splitters.
//
// Chunks, buckets and sample depend on m and the scores only, and parts are merged in ascending order: the same bits
// for any number of threads.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/simd.hpp"

namespace lanatus::evaluation {

template <class T>
struct Ranking {
    std::span<const T> score;
    std::span<const std::uint8_t> positive;
    std::span<const double> weight;
};

// Sum is std::uint64_t for counts, double for weights.
template <class Sum>
struct Tally {
    Sum won = 0, pos = 0, neg = 0;

    // This and rows that all score higher.
    Tally& operator+=(const Tally& higher) noexcept {
        won += higher.won + 2 * higher.pos * neg;
        pos += higher.pos;
        neg += higher.neg;
        return *this;
    }
};

namespace detail {

inline constexpr std::size_t block = 256;  // rows placed at once
inline constexpr std::size_t room = 8192;  // rows of one class that a buffer holds
inline constexpr unsigned most_levels = 11;

// at[j] = how many of the 2^levels - 1 ascending keys are below x[j]. Level by level, so that the searches overlap.
template <class T>
LANATUS_INLINE void place(const T* __restrict x, std::size_t n, const T* __restrict keys, unsigned levels,
                          std::uint32_t* __restrict at) {
    std::fill(at, at + n, 0U);
    for (std::uint32_t half = (1U << levels) >> 1; half; half >>= 1)
        for (std::size_t j = 0; j < n; ++j) at[j] += keys[at[j] + half - 1] < x[j] ? half : 0U;
}
LANATUS_CLONES static void place_block(const float* x, std::size_t n, const float* keys, unsigned levels,
                                       std::uint32_t* at) {
    place(x, n, keys, levels, at);
}
LANATUS_CLONES static void place_block(const double* x, std::size_t n, const double* keys, unsigned levels,
                                       std::uint32_t* at) {
    place(x, n, keys, levels, at);
}

// Ascending distinct splitters s_0 < s_1 < ..., filled up with infinity and closed with NaN, which equals nothing.
// Bucket 2i holds the scores between s_{i-1} and s_i, bucket 2i + 1 those equal to s_i.
template <class T>
struct Splitters {
    unsigned levels;
    std::vector<T> keys;

    explicit Splitters(std::span<const T> score)
        : levels(static_cast<unsigned>(
              std::clamp(static_cast<int>(std::bit_width(score.size() / 4096)), 0, static_cast<int>(most_levels)))) {
        const std::size_t wanted = (std::size_t{1} << levels) - 1, sampled = 32 * wanted;  // fewer than rows
        std::vector<T> sample(sampled);
        // One row at random of each stretch: an even stride would see one column only of rows that come in turns.
        const Philox draw(0);
        for (std::size_t i = 0; i < sampled; ++i) {
            const std::size_t begin = score.size() * i / sampled, end = score.size() * (i + 1) / sampled;
            sample[i] = score[begin + draw.below(i, end - begin)];
        }
        std::sort(sample.begin(), sample.end());
        for (std::size_t i = 0; i < wanted; ++i) keys.push_back(sample[32 * i + 16]);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        keys.resize(wanted, std::numeric_limits<T>::infinity());
        keys.push_back(std::numeric_limits<T>::quiet_NaN());
    }
    std::size_t buckets() const noexcept { return std::size_t{2} << levels; }

    // deal(row, bucket) for the rows [begin, end).
    template <class Deal>
    void each(const T* score, std::size_t begin, std::size_t end, const Deal& deal) const {
        std::uint32_t at[block];
        for (std::size_t i = begin; i < end; i += block) {
            const std::size_t n = std::min(block, end - i);
            place_block(score + i, n, keys.data(), levels, at);
            for (std::size_t j = 0; j < n; ++j) deal(i + j, 2 * at[j] + (keys[at[j]] == score[i + j]));
        }
    }
};

// The rows of every bucket, its positives first: slot s = 2 bucket + (negative) is order[start[s], start[s + 1]).
template <class Index>
struct Order {
    std::vector<std::size_t> start;
    Buffer<Index> order;

    template <class T>
    Order(const Ranking<T>& rows, const Splitters<T>& splitters, int n_threads)
        : start(2 * splitters.buckets() + 1), order(rows.score.size()) {
        const std::size_t slots = 2 * splitters.buckets();
        const Chunks chunks = Chunks::of(rows.score.size(), 65536, 64);
        std::vector<std::vector<Index>> next(chunks.count());  // counts, then the place of a chunk's next row of a slot
        const auto slot_of = [&](std::size_t row, std::size_t bucket) {
            return 2 * bucket + (rows.positive[row] == 0);
        };
        parallel_for(chunks.count(), n_threads, [&](std::size_t c) {
            std::vector<Index> count(slots);
            splitters.each(rows.score.data(), chunks.begin(c), chunks.end(c),
                           [&](std::size_t row, std::size_t bucket) { ++count[slot_of(row, bucket)]; });
            next[c] = std::move(count);
        });
        std::size_t total = 0;
        for (std::size_t slot = 0; slot < slots; ++slot) {
            start[slot] = total;
            for (auto& places : next) {
                const std::size_t count = places[slot];
                places[slot] = static_cast<Index>(total);
                total += count;
            }
        }
        start[slots] = total;
        parallel_for(chunks.count(), n_threads, [&](std::size_t c) {
            splitters.each(rows.score.data(), chunks.begin(c), chunks.end(c), [&](std::size_t row, std::size_t bucket) {
                order[next[c][slot_of(row, bucket)]++] = static_cast<Index>(row);
            });
        });
    }
    std::span<Index> slot(std::size_t s) const noexcept { return {order.data() + start[s], start[s + 1] - start[s]}; }
};

// Solves one bucket after another.
template <class T, class Index, class Sum>
class Solver {
  public:
    explicit Solver(const Ranking<T>& rows) : rows_(rows) {}

    // All rows score the same.
    Tally<Sum> tied(std::span<const Index> pos, std::span<const Index> neg) const {
        const Sum p = mass(pos), n = mass(neg);
        return {p * n, p, n};
    }

    // Cuts at a pivot, in place, until a class fits the buffer; recurses into the shorter side, loops over the longer.
    Tally<Sum> solve(std::span<Index> pos, std::span<Index> neg) {
        Tally<Sum> below, above;
        while (std::min(pos.size(), neg.size()) > room) {
            const T pivot = middle(pos.size() > neg.size() ? pos : neg);
            const auto [pos_below, pos_equal, pos_above] = cut(pos, pivot);
            const auto [neg_below, neg_equal, neg_above] = cut(neg, pivot);
            Tally<Sum> equal = tied(pos_equal, neg_equal);
            if (pos_below.size() + neg_below.size() < pos_above.size() + neg_above.size()) {
                below += solve(pos_below, neg_below);
                below += equal;
                pos = pos_above, neg = neg_above;
            } else {
                equal += solve(pos_above, neg_above);
                equal += above;
                above = equal;
                pos = pos_below, neg = neg_below;
            }
        }
        below += pos.size() < neg.size() ? looked_up<true>(pos, neg) : looked_up<false>(neg, pos);
        below += above;
        return below;
    }

  private:
    struct Cut {
        std::span<Index> below, equal, above;
    };
    Cut cut(std::span<Index> part, T pivot) const {
        const auto low = std::partition(part.begin(), part.end(), [&](Index i) { return rows_.score[i] < pivot; });
        const auto high = std::partition(low, part.end(), [&](Index i) { return rows_.score[i] == pivot; });
        return {{part.begin(), low}, {low, high}, {high, part.end()}};
    }
    T middle(std::span<const Index> part) const {
        std::array<T, 63> sample;
        for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = rows_.score[part[part.size() * i / sample.size()]];
        std::nth_element(sample.begin(), sample.begin() + 31, sample.end());
        return sample[31];
    }
    Sum weight(Index i) const {
        if constexpr (std::is_integral_v<Sum>) return 1;
        else return rows_.weight[i];
    }
    Sum mass(std::span<const Index> part) const {
        if constexpr (std::is_integral_v<Sum>) {
            return part.size();
        } else {
            Sum sum = 0;
            for (const Index i : part) sum += rows_.weight[i];
            return sum;
        }
    }

    // Sorts the few and finds the place of each of the many among them.
    template <bool few_are_positive>
    Tally<Sum> looked_up(std::span<const Index> few, std::span<const Index> many) {
        sort(few);
        const auto levels = static_cast<unsigned>(std::bit_width(few.size()));
        keys_.resize(std::size_t{1} << levels, std::numeric_limits<T>::infinity());
        const Sum whole = below_[few.size()];
        Sum twice_below = 0, many_mass = 0;  // sum over the many of w (few below + few not above)
        T x[block];
        std::uint32_t at[block];
        for (std::size_t i = 0; i < many.size(); i += block) {
            const std::size_t n = std::min(block, many.size() - i);
            for (std::size_t j = 0; j < n; ++j) x[j] = rows_.score[many[i + j]];
            place_block(x, n, keys_.data(), levels, at);
            for (std::size_t j = 0; j < n; ++j) {
                const Sum w = weight(many[i + j]);
                const bool tie = at[j] < few.size() && keys_[at[j]] == x[j];
                twice_below += w * (below_[at[j]] + below_[tie ? end_[at[j]] : at[j]]);
                many_mass += w;
            }
        }
        if constexpr (few_are_positive) return {2 * whole * many_mass - twice_below, whole, many_mass};
        else return {twice_below, many_mass, whole};
    }

    // keys_ ascending; below_[i] the mass of the first i of them; end_[i] where the run of keys equal to keys_[i] ends.
    void sort(std::span<const Index> few) {
        const std::size_t n = few.size();
        below_.resize(n + 1), end_.resize(n);
        keys_.clear();
        if constexpr (std::is_integral_v<Sum>) {
            for (const Index i : few) keys_.push_back(rows_.score[i]);
            std::sort(keys_.begin(), keys_.end());
            for (std::size_t i = 0; i <= n; ++i) below_[i] = i;
        } else {
            pairs_.clear();
            for (const Index i : few) pairs_.emplace_back(rows_.score[i], rows_.weight[i]);
            std::sort(pairs_.begin(), pairs_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            below_[0] = 0;
            for (std::size_t i = 0; i < n; ++i) {
                keys_.push_back(pairs_[i].first);
                below_[i + 1] = below_[i] + pairs_[i].second;
            }
        }
        for (std::size_t i = n; i-- > 0;)
            end_[i] = i + 1 < n && keys_[i + 1] == keys_[i] ? end_[i + 1] : static_cast<std::uint32_t>(i + 1);
    }

    const Ranking<T>& rows_;
    std::vector<T> keys_;
    std::vector<std::pair<T, double>> pairs_;
    std::vector<Sum> below_;
    std::vector<std::uint32_t> end_;
};

}  // namespace detail

template <class Index, class Sum, std::floating_point T>
Tally<Sum> pairs_won(const Ranking<T>& rows, int n_threads) {
    const detail::Splitters<T> splitters(rows.score);
    const detail::Order<Index> order(rows, splitters, n_threads);
    const auto parts = parallel_parts<Tally<Sum>>(
        Chunks::of(splitters.buckets(), 2, 512, 2), n_threads, [&](std::size_t begin, std::size_t end) {
            detail::Solver<T, Index, Sum> solver(rows);
            Tally<Sum> sum;
            for (std::size_t b = begin; b < end; ++b) {
                const auto pos = order.slot(2 * b), neg = order.slot(2 * b + 1);
                sum += b % 2 ? solver.tied(pos, neg) : solver.solve(pos, neg);
            }
            return sum;
        });
    Tally<Sum> total;
    for (const Tally<Sum>& part : parts) total += part;
    return total;
}

}  // namespace lanatus::evaluation
