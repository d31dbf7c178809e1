// The finder by histograms: columns are cut into at most 255 bins once (bins.hpp), so that a row is d bytes, and a node's
// splits are read off the weights of its classes (or the sums of its target) in each bin.
//
// Weights are whole numbers inside the histograms (weights that are not are scaled and rounded there, never in what a node
// says), so that sums do not depend on their order nor on the number of threads. Of two siblings the bigger one's histogram is
// its parent's less the smaller one's. Nodes of few rows look at one column after the other.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "tree/grown.hpp"
#include "tree/purity.hpp"

namespace lanatus::tree {

struct BinnedColumns {
    MatrixView<const std::uint8_t> codes;          // 255 is missing
    std::vector<std::span<const double>> edges;    // numbers: upper edges of the bins but the last
    std::vector<std::span<const std::uint8_t>> bin_of;  // nominal columns: the bin of each category, else empty
    bool is_nominal(std::size_t j) const { return !bin_of[j].empty(); }
};

struct BinnedRules {
    bool random = false;
    std::size_t max_features = std::numeric_limits<std::size_t>::max();
    std::int64_t min_leaf = 1;
    double min_leaf_weight = 0;
    std::uint64_t seed = 0;
};

inline constexpr std::size_t bins_a_column = 256, missing_bin = 255;

// ---------------------------------------------------------------- what a bin holds

// Weights of the classes.
struct ClassCells {
    using Number = std::int32_t;
    std::size_t width;  // numbers in a cell: the classes
    const std::uint32_t* label;
    const std::int32_t* weight;  // whole, or null for ones
    const std::uint32_t* labels() const { return label; }
    void add(Number* cell, std::int32_t label_, std::int32_t w) const { cell[label_] += w; }
    void to_state(const Number* cell, double* state) const {
        for (std::size_t k = 0; k < width; ++k) state[k] = static_cast<double>(cell[k]);
    }
    bool is_empty(const Number* cell) const {
        Number any = 0;
        for (std::size_t k = 0; k < width; ++k) any |= cell[k];
        return any == 0;
    }
};

// Weight, and weight times target, the target as a whole number.
struct MeanCells {
    using Number = std::int64_t;
    std::size_t width;  // 2
    const std::int32_t* target;
    const std::int32_t* weight;
    const std::int32_t* labels() const { return target; }
    void add(Number* cell, std::int32_t y, std::int32_t w) const {
        cell[0] += w;
        cell[1] += std::int64_t{w} * y;
    }
    double step = 1;  // of the target
    void to_state(const Number* cell, double* state) const {
        state[0] = static_cast<double>(cell[0]);
        state[1] = static_cast<double>(cell[1]) * step;
        state[2] = 0;
    }
    bool is_empty(const Number* cell) const { return cell[0] == 0; }
};

// ---------------------------------------------------------------- the finder

template <class Purity, class Cells>
class HistogramFinder {
    using Label = typename Purity::Label;
    using Number = typename Cells::Number;

  public:
    struct Part {
        std::size_t begin = 0, end = 0;  // in the finder's rows
        std::unique_ptr<Number[]> histogram;
        Few said;
        double weight = 0, impurity = 0;
        std::int64_t n_rows = 0, depth = 0;
        std::uint64_t key = 0;
    };

    // labels and weights as they are, for what nodes say; cells as whole numbers, `scale` of them to a unit of weight.
    HistogramFinder(const BinnedColumns& columns, const Purity& purity, const Cells& cells, const Label* labels,
                    const double* weights, double scale, const BinnedRules& rules, std::vector<std::uint32_t> rows)
        : columns_(columns), purity_(purity), cells_(cells), labels_(labels), weights_(weights), scale_(scale), rules_(rules),
          d_(columns.codes.cols), whole_(rules.max_features >= d_ && !rules.random), rows_(std::move(rows)), spare_(rows_.size()) {}

    Part root() {
        Part part;
        part.end = rows_.size();
        part.key = rules_.seed;
        describe(part);
        return part;
    }

    Split best(Part& part, int n_threads) {
        const std::size_t m = part.end - part.begin;
        Candidate best;
        Room& mine = room();
        if (whole_ && m > few_) {
            if (!part.histogram) part.histogram = filled(part.begin, part.end, n_threads);
            for (std::size_t j = 0; j < d_; ++j) read(part, j, part.histogram.get() + j * bins_a_column * cells_.width, mine, best);
            return finished(part, best, mine);
        }
        if (whole_) {
            mine.take_rows(cells_, rows_.data() + part.begin, m);
            for (std::size_t j = 0; j < d_; ++j) consider(part, j, mine, best);
            return finished(part, best, mine);
        }
        // As many columns as asked, drawn at random, and on until one of them can be split.
        mine.columns.resize(d_);
        std::iota(mine.columns.begin(), mine.columns.end(), 0u);
        const std::size_t k = std::min(rules_.max_features, d_);
        Draws draws(part.key);
        auto draw = [&](std::size_t i) { std::swap(mine.columns[i], mine.columns[i + draws.below(d_ - i)]); };
        for (std::size_t i = 0; i < k; ++i) draw(i);
        mine.take_rows(cells_, rows_.data() + part.begin, m);
        if (m > few_ / 2 && !rules_.random) {
            // All of them in one pass over the rows.
            const std::size_t w = cells_.width;
            mine.cells.assign(k * bins_a_column * w, Number{0});
            for (std::size_t i = 0; i < m; ++i) {
                const std::uint8_t* codes = columns_.codes.data + rows_[part.begin + i] * d_;
                if (i + 8 < m) __builtin_prefetch(columns_.codes.data + rows_[part.begin + i + 8] * d_);
                for (std::size_t c = 0; c < k; ++c)
                    mine.add(cells_, mine.cells.data() + (c * bins_a_column + codes[mine.columns[c]]) * w, i);
            }
            for (std::size_t c = 0; c < k; ++c) read(part, mine.columns[c], mine.cells.data() + c * bins_a_column * w, mine, best);
            mine.cells.resize(bins_a_column * w);
        } else {
            for (std::size_t c = 0; c < k; ++c) consider(part, mine.columns[c], mine, best);
        }
        for (std::size_t i = k; i < d_ && best.column < 0; ++i) {
            draw(i);
            consider(part, mine.columns[i], mine, best);
        }
        return finished(part, best, mine);
    }

    // The best split of a node whose rows are elsewhere, by the histogram that was gathered of them; what the first child says
    // comes with it, to the precision of the cells.
    Split best_of(const Part& part, const Number* histogram) {
        Candidate best;
        Room& mine = room();
        const std::size_t step = bins_a_column * cells_.width;
        mine.columns.resize(d_);
        std::iota(mine.columns.begin(), mine.columns.end(), 0u);
        Draws draws(part.key);
        for (std::size_t i = 0; i < d_ && (i < rules_.max_features || best.column < 0); ++i) {
            if (rules_.max_features < d_) std::swap(mine.columns[i], mine.columns[i + draws.below(d_ - i)]);
            read(part, mine.columns[i], histogram + mine.columns[i] * step, mine, best);
        }
        return finished(part, best, mine);
    }

    std::vector<Part> divide(Part& part, const Split& split, int n_threads) {
        const auto j = static_cast<std::size_t>(split.feature);
        const std::uint8_t* codes = columns_.codes.data + j;
        std::uint32_t* middle_at;
        if (split.kind == Kind::threshold) {
            // Missing values, 255, lie above every bin; and may go to the first child all the same.
            const auto last = static_cast<std::uint8_t>(split.rank);
            const bool missing_first = split.missing == 0;
            middle_at = parted(part, [=, d = d_](std::uint32_t row) {
                const std::uint8_t code = codes[row * d];
                return code <= last || (missing_first && code == missing_bin);
            });
        } else {
            std::array<bool, bins_a_column> first{};
            for (std::size_t c = 0; c < columns_.bin_of[j].size(); ++c)
                first[columns_.bin_of[j][c]] = split.has(c);
            first[missing_bin] = split.missing == 0;
            middle_at = parted(part, [&](std::uint32_t row) { return first[codes[row * d_]]; });
        }
        const auto middle = static_cast<std::size_t>(middle_at - rows_.data());
        std::vector<Part> children(2);
        children[0].begin = part.begin;
        children[0].end = children[1].begin = middle;
        children[1].end = part.end;
        for (std::size_t c = 0; c < 2; ++c) {
            children[c].depth = part.depth + 1;
            children[c].key = key_of(part.key, c);
        }
        if (split.first_said.empty()) {
            describe(children[0]);
            describe(children[1]);
        } else {
            children[0].said = split.first_said;
            children[1].said = part.said;
            for (std::size_t k = 0; k < part.said.size(); ++k) children[1].said[k] -= split.first_said[k];
            weigh(children[0]);
            weigh(children[1]);
        }
        if (whole_ && part.histogram) {
            Part& small = children[children[0].n_rows <= children[1].n_rows ? 0 : 1];
            Part& big = children[&small == &children[0] ? 1 : 0];
            if (big.impurity > 1e-14 && static_cast<std::size_t>(big.n_rows) > few_) {
                small.histogram = filled(small.begin, small.end, n_threads);
                big.histogram = std::move(part.histogram);
                Number* from = big.histogram.get();
                const Number* less = small.histogram.get();
                for (std::size_t i = 0; i < d_ * bins_a_column * cells_.width; ++i) from[i] -= less[i];
                if (static_cast<std::size_t>(small.n_rows) <= few_) small.histogram.reset();
            }
        }
        part.histogram.reset();
        return children;
    }

  private:
    struct Candidate {
        std::int32_t column = -1;
        double score = -std::numeric_limits<double>::infinity();
        std::size_t bin = 0;  // the last bin of the first child, of a number
        bool missing_first = false;
        Few left, right;      // states of the children, in the units of the cells
        std::array<bool, bins_a_column> first;  // bins of the first child, of a nominal column
    };

    // The rows of the first child to the front, the others behind them, each in their order; where the others begin.
    template <class First>
    std::uint32_t* parted(const Part& part, const First& is_first) {
        std::uint32_t* to = rows_.data() + part.begin;
        std::uint32_t* other = spare_.data() + part.begin;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const std::uint32_t row = rows_[i];
            const bool first = is_first(row);
            *to = row;
            *other = row;
            to += first;
            other += !first;
        }
        std::copy(spare_.data() + part.begin, other, to);
        return to;
    }

    void describe(Part& part) {
        part.n_rows = static_cast<std::int64_t>(part.end - part.begin);
        if constexpr (std::is_same_v<Label, double>) {
            double W = 0, S = 0, Q = 0;
            for (std::size_t i = part.begin; i < part.end; ++i) {
                const double w = weights_ != nullptr ? weights_[rows_[i]] : 1.0;
                W += w, S += w * labels_[rows_[i]];
            }
            const double mean = S / W;
            for (std::size_t i = part.begin; i < part.end; ++i) {
                const double w = weights_ != nullptr ? weights_[rows_[i]] : 1.0, r = labels_[rows_[i]] - mean;
                Q += w * r * r;
            }
            part.weight = W;
            part.impurity = Q / W <= 1e-24 * mean * mean ? 0.0 : Q / W;
            part.said.assign(1);
            part.said[0] = mean;
        } else {
            part.said.assign(purity_.width);
            for (std::size_t i = part.begin; i < part.end; ++i)
                purity_.tally(part.said.data(), &labels_[rows_[i]], weights_ != nullptr ? weights_[rows_[i]] : 1.0);
            weigh(part);
        }
    }

    void weigh(Part& part) const {
        part.n_rows = static_cast<std::int64_t>(part.end - part.begin);
        part.weight = purity_.weight(part.said.data());
        part.impurity = purity_.impurity(part.said.data());
    }

    // All columns' bins of some rows; rows in chunks, merged in order (though whole numbers would not mind).
    std::unique_ptr<Number[]> filled(std::size_t begin, std::size_t end, int n_threads) const {
        const std::size_t size = d_ * bins_a_column * cells_.width;
        auto out = std::make_unique<Number[]>(size);
        const std::size_t m = end - begin;
        const int team = m < 8192 ? 1 : n_threads;
        if (team <= 1) {
            fill(begin, end, out.get());
            return out;
        }
        const Chunks chunks = Chunks::of(m, 4096, static_cast<std::size_t>(team), 1);
        std::vector<std::unique_ptr<Number[]>> parts(chunks.count());
        parallel_for(chunks.count(), team, [&](std::size_t c) {
            if (c > 0) parts[c] = std::make_unique<Number[]>(size);
            fill(begin + chunks.begin(c), begin + chunks.end(c), c > 0 ? parts[c].get() : out.get());
        });
        for (std::size_t c = 1; c < parts.size(); ++c)
            for (std::size_t i = 0; i < size; ++i) out[i] += parts[c][i];
        return out;
    }

    void fill(std::size_t begin, std::size_t end, Number* out) const {
        const std::size_t step = bins_a_column * cells_.width;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = rows_[i];
            const std::uint8_t* codes = columns_.codes.data + row * d_;
            if (i + 8 < end) __builtin_prefetch(columns_.codes.data + rows_[i + 8] * d_);
            if constexpr (std::is_same_v<Cells, ClassCells>) {
                const std::int32_t w = cells_.weight != nullptr ? cells_.weight[row] : 1;
                Number* cell = out + cells_.label[row];
                for (std::size_t j = 0; j < d_; ++j, cell += step) cell[codes[j] * cells_.width] += w;
            } else {
                const std::int32_t w = cells_.weight != nullptr ? cells_.weight[row] : 1;
                Number* cell = out;
                for (std::size_t j = 0; j < d_; ++j, cell += step) cells_.add(cell + codes[j] * cells_.width, cells_.target[row], w);
            }
        }
    }

    // Room for the cells of one column, packed, and for states.
    struct Room {
        std::vector<Number> cells, packed, sides;
        double sum = 0, sum_second = 0;  // weight of the node's rows, and of those of the second class
        std::array<std::uint8_t, bins_a_column> bins;
        std::vector<double> states, total, left, right;
        std::vector<std::uint32_t> columns;
        std::vector<std::uint8_t> codes;
        std::vector<std::int32_t> label, weight;  // of the node's rows, side by side
        bool unit = true;

        void take_rows(const Cells& of, const std::uint32_t* rows, std::size_t m) {
            label.resize(m);
            unit = of.weight == nullptr;
            for (std::size_t i = 0; i < m; ++i) label[i] = static_cast<std::int32_t>(of.labels()[rows[i]]);
            if (!unit) {
                weight.resize(m);
                for (std::size_t i = 0; i < m; ++i) weight[i] = of.weight[rows[i]];
            }
            if (!std::is_same_v<Cells, ClassCells> || of.width != 2) return;
            sum = sum_second = 0;
            for (std::size_t i = 0; i < m; ++i) {
                const double w = unit ? 1.0 : weight[i];
                sum += w;
                sum_second += w * label[i];
            }
        }
        void add(const Cells& of, Number* cell, std::size_t i) const { of.add(cell, label[i], unit ? 1 : weight[i]); }
        void fit(std::size_t cell, std::size_t state) {
            cells.resize(bins_a_column * cell);
            packed.resize(bins_a_column * cell);
            states.resize(bins_a_column * state);
            total.resize(state);
            left.resize(state);
            right.resize(state);
        }
    };
    Room& room() const {
        thread_local Room mine;
        mine.fit(cells_.width, purity_.width);
        return mine;
    }

    // One column on its own: cells are cleared as they are first met, and met again in order by their bits.
    void consider(const Part& part, std::size_t j, Room& room, Candidate& best) const {
        const std::size_t w = cells_.width, m = part.end - part.begin;
        const std::uint8_t* codes = columns_.codes.data + j;
        const std::uint32_t* rows = rows_.data() + part.begin;
        if (rules_.random && !columns_.is_nominal(j) && consider_one_cut(part, j, room, best)) return;
        Number* cells = room.cells.data();
        std::array<std::uint64_t, 4> met{};
        for (std::size_t i = 0; i < m; ++i) {
            const std::uint8_t bin = codes[rows[i] * d_];
            Number* cell = cells + bin * w;
            const std::uint64_t bit = std::uint64_t{1} << (bin & 63);
            if (!(met[bin >> 6] & bit)) {
                met[bin >> 6] |= bit;
                std::fill_n(cell, w, Number{0});
            }
            room.add(cells_, cell, i);
        }
        std::size_t count = 0;
        for (std::size_t word = 0; word < 4; ++word)
            for (std::uint64_t bits = met[word]; bits != 0; bits &= bits - 1) {
                const std::size_t bin = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                std::copy_n(cells + bin * w, w, room.packed.data() + count * w);
                room.bins[count++] = static_cast<std::uint8_t>(bin);
            }
        judge(part, j, room, count, best);
    }

    // A cut drawn at random, of a number without holes: two passes over its bytes, no histogram. False if there are holes.
    bool consider_one_cut(const Part& part, std::size_t j, Room& room, Candidate& best) const {
        const std::size_t m = part.end - part.begin, v = purity_.width;
        const std::uint8_t* codes = columns_.codes.data + j;
        const std::uint32_t* rows = rows_.data() + part.begin;
        room.codes.resize(m);
        std::uint8_t low = 255, high = 0;
        for (std::size_t i = 0; i < m; ++i) {
            const std::uint8_t code = room.codes[i] = codes[rows[i] * d_];
            low = std::min(low, code);
            high = std::max(high, code);
        }
        if (high == missing_bin) return false;
        if (low == high) return true;
        const std::size_t cut = drawn_bin(part, j, low, high);
        double *left = room.left.data(), *right = room.right.data(), *total = room.total.data();
        if (std::is_same_v<Cells, ClassCells> && cells_.width == 2) {
            // Sums in registers, several rows at a time.
            std::int32_t below = 0, below_second = 0;
            const std::uint8_t* bin = room.codes.data();
            const std::int32_t *label = room.label.data(), *weight = room.weight.data();
            if (room.unit) {
                for (std::size_t i = 0; i < m; ++i) {
                    const std::int32_t in = bin[i] <= cut;
                    below += in;
                    below_second += in & label[i];
                }
            } else {
                for (std::size_t i = 0; i < m; ++i) {
                    const std::int32_t w = bin[i] <= cut ? weight[i] : 0;
                    below += w;
                    below_second += w * label[i];
                }
            }
            left[0] = below - below_second, left[1] = below_second;
            right[0] = room.sum - room.sum_second - left[0], right[1] = room.sum_second - left[1];
        } else {
            std::vector<Number>& sides = room.sides;
            sides.assign(2 * cells_.width, Number{0});
            for (std::size_t i = 0; i < m; ++i)
                room.add(cells_, sides.data() + (room.codes[i] <= cut ? 0 : cells_.width), i);
            cells_.to_state(sides.data(), left);
            cells_.to_state(sides.data() + cells_.width, right);
        }
        for (std::size_t k = 0; k < v; ++k) total[k] = left[k] + right[k];
        const double now = value(part, left, total, right);
        if (!(now > best.score + slack(part))) return true;
        best.score = now;
        best.column = static_cast<std::int32_t>(j);
        best.bin = cut;
        best.missing_first = weight(left) >= weight(right);
        best.left.assign(left, v);
        return true;
    }

    // The last bin below a threshold drawn evenly between the edges inside the node's range of bins.
    std::size_t drawn_bin(const Part& part, std::size_t j, std::size_t low, std::size_t high) const {
        const auto& edges = columns_.edges[j];
        const double from = edges[low], to = edges[high - 1];
        const double at = from + Philox(part.key, 2).uniform(j) * (to - from);
        const auto first = edges.begin() + static_cast<std::ptrdiff_t>(low), last = edges.begin() + static_cast<std::ptrdiff_t>(high - 1);
        return static_cast<std::size_t>(std::lower_bound(first, last, at) - edges.begin());
    }

    // The bins of a filled histogram that hold rows, packed, and judged.
    void read(const Part& part, std::size_t j, const Number* cells, Room& room, Candidate& best) const {
        const std::size_t w = cells_.width;
        std::size_t count = 0;
        for (std::size_t b = 0; b < bins_a_column; ++b) {
            if (cells_.is_empty(cells + b * w)) continue;
            std::copy_n(cells + b * w, w, room.packed.data() + count * w);
            room.bins[count++] = static_cast<std::uint8_t>(b);
        }
        judge(part, j, room, count, best);
    }

    double slack(const Part& part) const { return 1e-10 * scale_ * std::max(part.weight * part.impurity, 1e-300); }

    // The best cut of a column by the packed cells of its bins, the missing one last.
    void judge(const Part& part, std::size_t j, Room& room, std::size_t count, Candidate& best) const {
        if (count < 2) return;
        const std::size_t w = cells_.width, v = purity_.width;
        const std::uint8_t* bins = room.bins.data();
        const bool holes = bins[count - 1] == missing_bin;
        const std::size_t known = count - (holes ? 1 : 0);
        if constexpr (std::is_same_v<Cells, ClassCells>)
            if (w == 2 && !holes && !rules_.random && !columns_.is_nominal(j)) return judge_two(part, j, room, count, best);
        double* states = room.states.data();
        std::fill(room.total.begin(), room.total.end(), 0.0);
        for (std::size_t i = 0; i < count; ++i) {
            cells_.to_state(room.packed.data() + i * w, states + i * v);
            for (std::size_t k = 0; k < v; ++k) room.total[k] += states[i * v + k];
        }
        if (columns_.is_nominal(j)) return halve(part, j, room, count, best);
        std::vector<double>&left = room.left, &right = room.right, &total = room.total;
        std::size_t only = count;  // the cut drawn, if it is
        if (rules_.random) {
            if (known < 2) return;
            const std::size_t cut = drawn_bin(part, j, bins[0], bins[known - 1]);
            only = 0;
            while (only + 2 < known && bins[only + 1] <= cut) ++only;
        }
        // Missing values with the second child, then with the first.
        for (int side = 1; side >= (holes ? 0 : 1); --side) {
            std::fill(left.begin(), left.end(), 0.0);
            if (side == 0) std::copy_n(states + known * v, v, left.data());
            for (std::size_t i = 0; i < known; ++i) {
                for (std::size_t k = 0; k < v; ++k) left[k] += states[i * v + k];
                if (i + 1 == known && !(holes && side == 1)) break;
                if (only != count && i != only) continue;
                const double now = value(part, left.data(), total.data(), right.data());
                if (!(now > best.score + slack(part))) continue;
                best.score = now;
                best.column = static_cast<std::int32_t>(j);
                // Half-way through the empty bins between.
                best.bin = i + 1 < known ? (bins[i] + bins[i + 1] - std::size_t{1}) / 2 : missing_bin - 1;
                best.missing_first = holes ? side == 0 : weight(left.data()) >= weight(right.data());
                best.left.assign(left.data(), v);
                best.right.assign(right.data(), v);
            }
        }
    }

    // Two classes, numbers, nothing missing. Between two bins of one and the same class there is no best cut (Fayyad and
    // Irani 1992), unless the better ones are forbidden by the least size of a child.
    void judge_two(const Part& part, std::size_t j, const Room& room, std::size_t count, Candidate& best) const {
        const Number* cells = room.packed.data();
        double t0 = 0, t1 = 0, l0 = 0, l1 = 0;
        for (std::size_t i = 0; i < count; ++i) t0 += cells[2 * i], t1 += cells[2 * i + 1];
        const double least = least_weight(part), free = slack(part);
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const Number a0 = cells[2 * i], a1 = cells[2 * i + 1];
            l0 += a0;
            l1 += a1;
            if (least <= 0 && ((a0 | cells[2 * i + 2]) == 0 || (a1 | cells[2 * i + 3]) == 0)) continue;
            const double r0 = t0 - l0, r1 = t1 - l1, left = l0 + l1, right = r0 + r1;
            const double now = purity_.phi_of_two(l0, l1, left) + purity_.phi_of_two(r0, r1, right);
            if (!(now > best.score + free) || left < least || right < least) continue;
            best.score = now;
            best.column = static_cast<std::int32_t>(j);
            best.bin = (room.bins[i] + room.bins[i + 1] - std::size_t{1}) / 2;
            best.missing_first = left >= right;
            best.left.assign(2);
            best.left[0] = l0;
            best.left[1] = l1;
        }
    }

    double weight(const double* state) const { return purity_.weight(state); }
    // Rows are counted by weight: exactly where all weigh the same, and else as near as a limit on rows can be read.
    double least_weight(const Part& part) const {
        const double rows = rules_.min_leaf > 1 ? static_cast<double>(rules_.min_leaf) * part.weight /
                                                      static_cast<double>(part.n_rows) * (1 - 1e-9)
                                                : 0.0;
        return scale_ * std::max(rules_.min_leaf_weight, rows);
    }

    // Purity of a cut, or minus infinity where a child is too small.
    double value(const Part& part, const double* left, const double* total, double* right) const {
        const std::size_t v = purity_.width;
        for (std::size_t k = 0; k < v; ++k) right[k] = total[k] - left[k];
        const double a = weight(left), b = weight(right), least = least_weight(part);
        if (!(a > 0) || !(b > 0) || a < least || b < least) return -std::numeric_limits<double>::infinity();
        return purity_.phi(left) + purity_.phi(right);
    }

    // Nominal bins (missing values as one more) by the share of a class or the mean, cut at the best place.
    void halve(const Part& part, std::size_t j, Room& room, std::size_t count, Candidate& best) const {
        const std::size_t v = purity_.width;
        const std::uint8_t* bins = room.bins.data();
        const double* states = room.states.data();
        std::vector<double>&left = room.left, &right = room.right, &total = room.total;
        std::vector<std::pair<double, std::size_t>> order(count);
        const std::size_t views = std::min<std::size_t>(std::is_same_v<Label, double> ? 1 : purity_.views(), 8);
        const Philox random(part.key, 3);
        for (std::size_t view = 0; view < views; ++view) {
            for (std::size_t i = 0; i < count; ++i)
                order[i] = {rules_.random ? random.uniform(i) : purity_.key(states + i * v, view), i};
            std::sort(order.begin(), order.end());
            std::fill(left.begin(), left.end(), 0.0);
            const std::size_t only = rules_.random ? random.below(count, count - 1) : count;
            for (std::size_t i = 0; i + 1 < count; ++i) {
                for (std::size_t k = 0; k < v; ++k) left[k] += states[order[i].second * v + k];
                if (only != count && i != only) continue;
                const double now = value(part, left.data(), total.data(), right.data());
                if (!(now > best.score + slack(part))) continue;
                best.score = now;
                best.column = static_cast<std::int32_t>(j);
                // Bins that the node has not seen go where most rows went.
                const bool heavy = weight(left.data()) >= weight(right.data());
                best.first.fill(heavy);
                for (std::size_t q = 0; q < count; ++q) best.first[bins[order[q].second]] = q <= i;
                best.missing_first = best.first[missing_bin];
                best.left.assign(left.data(), v);
                best.right.assign(right.data(), v);
            }
        }
    }

    // The split of the best cut, its gain by the weights as they are.
    Split finished(const Part& part, const Candidate& best, Room& mine) const {
        Split split;
        if (best.column < 0) return split;
        const auto j = static_cast<std::size_t>(best.column);
        split.feature = best.column;
        split.missing = best.missing_first ? 0 : 1;
        if (columns_.is_nominal(j)) {
            split.kind = Kind::subset;
            split.more();
            for (std::size_t c = 0; c < columns_.bin_of[j].size(); ++c)
                if (best.first[columns_.bin_of[j][c]]) set_bit(split.more().subset, c);
        } else {
            split.kind = Kind::threshold;
            split.rank = static_cast<std::uint32_t>(best.bin);
            split.threshold = best.bin < columns_.edges[j].size() ? columns_.edges[j][best.bin] : std::numeric_limits<double>::infinity();
        }
        double* first_side = mine.left.data();
        double* second_side = mine.right.data();
        if constexpr (std::is_same_v<Cells, MeanCells>)
            if (rows_.empty()) {
                double whole[3] = {};
                for (std::size_t k = 0; k < 3; ++k) whole[k] = best.left[k] + best.right[k];
                split.first_share = best.left[0] / whole[0];
                split.gain = std::max(0.0, (purity_.phi(best.left.data()) + purity_.phi(best.right.data()) - purity_.phi(whole)) /
                                               scale_ / part.weight);
                return split;
            }
        if constexpr (std::is_same_v<Cells, ClassCells>)
            if (scale_ == 1 || rows_.empty()) {  // the cells are the weights themselves, or all that there is
                split.first_said = best.left;
                for (std::size_t k = 0; k < purity_.width; ++k) {
                    first_side[k] = split.first_said[k] /= scale_;
                    second_side[k] = std::max(0.0, part.said[k] - first_side[k]);
                }
                return gained(part, split, first_side, second_side);
            }
        std::fill_n(first_side, purity_.width, 0.0);
        std::fill_n(second_side, purity_.width, 0.0);
        const std::uint8_t* codes = columns_.codes.data + j;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const std::uint8_t code = codes[rows_[i] * d_];
            const bool first = code == missing_bin ? best.missing_first
                               : split.kind == Kind::subset ? best.first[code]
                                                            : code <= best.bin;
            const double w = weights_ != nullptr ? weights_[rows_[i]] : 1.0;
            if constexpr (std::is_same_v<Label, double>) {
                const double centred = labels_[rows_[i]] - part.said[0];
                purity_.tally(first ? first_side : second_side, &centred, w);
            } else {
                purity_.tally(first ? first_side : second_side, &labels_[rows_[i]], w);
            }
        }
        return gained(part, split, first_side, second_side);
    }
    Split gained(const Part& part, Split& split, const double* first_side, const double* second_side) const {
        const double a = purity_.weight(first_side), b = purity_.weight(second_side);
        split.first_share = a / (a + b);
        const double before = std::is_same_v<Label, double> ? 0.0 : purity_.phi(part.said.data());
        split.gain = std::max(0.0, (purity_.phi(first_side) + purity_.phi(second_side) - before) / part.weight);
        return std::move(split);
    }

    static constexpr std::size_t few_ = 256;

    const BinnedColumns& columns_;
    const Purity& purity_;
    Cells cells_;
    const Label* labels_;
    const double* weights_;
    double scale_;
    const BinnedRules& rules_;
    std::size_t d_;
    bool whole_;
    std::vector<std::uint32_t> rows_, spare_;
};

}  // namespace lanatus::tree
