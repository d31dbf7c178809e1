// The finder by histograms: columns are cut into at most 255 bins once (bins.hpp), so that a row is d bytes, and a node's
// splits are read off the weights of its classes (or the sums of its target) in each bin.
//
// Weights are whole numbers inside the histograms (weights that are not are scaled and rounded there, never in what a node
// says), so that sums do not depend on their order nor on the number of threads. Of two siblings the bigger one's histogram is
// its parent's less the smaller one's. Nodes of few rows look at one column after the other. Once a node's rows fit into
// the second cache they are copied to lie side by side, for below it they are met again at every level.
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
#include <tuple>
#include <utility>
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

// ---------------------------------------------------------------- bytes

// Least and largest.
inline std::pair<std::uint8_t, std::uint8_t> range_of(const std::uint8_t* codes, std::size_t m) {
    std::uint8_t low = 255, high = 0;
    for (std::size_t i = 0; i < m; ++i) {
        low = std::min(low, codes[i]);
        high = std::max(high, codes[i]);
    }
    return {low, high};
}

// How many are at most `limit`, and how many of those are marked with a one.
inline std::pair<std::int64_t, std::int64_t> count_up_to(const std::uint8_t* codes, const std::uint8_t* mark, std::size_t m,
                                                         std::uint8_t limit) {
    constexpr std::size_t lanes = 16, longest = 255;  // sums of so many ones fit into a byte
    using Bytes = std::uint8_t __attribute__((vector_size(lanes)));
    const Bytes limits = Bytes{} + limit;
    std::int64_t all = 0, marked = 0;
    std::size_t i = 0;
    while (i + lanes <= m) {
        Bytes some{}, some_marked{};
        for (std::size_t step = 0; step < longest && i + lanes <= m; ++step, i += lanes) {
            Bytes code, is_marked;
            std::memcpy(&code, codes + i, lanes);
            std::memcpy(&is_marked, mark + i, lanes);
            const Bytes in = reinterpret_cast<Bytes>(code <= limits);
            some -= in;
            some_marked += in & is_marked;
        }
        for (std::size_t k = 0; k < lanes; ++k) all += some[k], marked += some_marked[k];
    }
    for (; i < m; ++i) {
        const int in = codes[i] <= limit;
        all += in, marked += in & mark[i];
    }
    return {all, marked};
}

// ---------------------------------------------------------------- the finder

template <class Purity, class Cells>
class HistogramFinder {
    using Label = typename Purity::Label;
    using Number = typename Cells::Number;

  public:
    struct Part {
        std::size_t begin = 0, end = 0;  // in the finder's rows
        bool near = false;               // which are numbers of the copies
        std::unique_ptr<Number[]> histogram;
        Few said;
        double weight = 0, impurity = 0;
        std::int64_t n_rows = 0, depth = 0;
        std::uint64_t key = 0;
    };

    // labels and weights as they are, for what nodes say; cells as whole numbers, `scale` of them to a unit of weight.
    HistogramFinder(const BinnedColumns& columns, const Purity& purity, const Cells& cells, const Label* labels,
                    const double* weights, double scale, const BinnedRules& rules, std::vector<std::uint32_t> rows)
        : columns_(columns), purity_(purity), cells_(cells), scale_(scale), rules_(rules), d_(columns.codes.cols),
          whole_(rules.max_features >= d_ && !rules.random), rows_(std::move(rows)), spare_(rows_.size()),
          all_{columns.codes.data, labels, weights, cells.labels(), cells.weight} {
        if (rows_.size() * d_ > near_bytes_) copies_ = std::make_unique<Copies>(rows_.size(), d_, all_, near_);
    }

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
            if (!part.histogram) part.histogram = filled(part, n_threads);
            for (std::size_t j = 0; j < d_; ++j) read(part, j, part.histogram.get() + j * bins_a_column * cells_.width, mine, best);
            return finished(part, best, mine);
        }
        if (whole_) {
            mine.take_rows(cells_, known(part), rows_.data() + part.begin, m);
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
        mine.take_rows(cells_, known(part), rows_.data() + part.begin, m);
        if (m > few_ / 2 && !rules_.random) {
            // All of them in one pass over the rows.
            const std::size_t w = cells_.width;
            const std::uint8_t* matrix = known(part).codes;
            mine.cells.assign(k * bins_a_column * w, Number{0});
            for (std::size_t i = 0; i < m; ++i) {
                const std::uint8_t* codes = matrix + rows_[part.begin + i] * d_;
                if (i + 8 < m) __builtin_prefetch(matrix + rows_[part.begin + i + 8] * d_);
                for (std::size_t c = 0; c < k; ++c)
                    mine.add(cells_, mine.cells.data() + (c * bins_a_column + codes[mine.columns[c]]) * w, i);
            }
            for (std::size_t c = 0; c < k; ++c) read(part, mine.columns[c], mine.cells.data() + c * bins_a_column * w, mine, best);
            mine.cells.resize(bins_a_column * w);
        } else if (rules_.random) {
            gather(part, mine.columns.data(), k, mine);
            judge_cuts(part, mine.columns.data(), k, mine, best);
        } else {
            for (std::size_t c = 0; c < k; ++c) consider(part, mine.columns[c], mine, best);
        }
        for (std::size_t i = k; i < d_ && best.column < 0; ++i) {
            draw(i);
            if (rules_.random) {
                gather(part, mine.columns.data() + i, 1, mine);
                judge_cuts(part, mine.columns.data() + i, 1, mine, best);
            } else {
                consider(part, mine.columns[i], mine, best);
            }
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
        const std::uint8_t* codes = known(part).codes + j;
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
            children[c].near = part.near;
            bring_near(children[c]);
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
                small.histogram = filled(small, n_threads);
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
    using CellLabel = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Cells>().labels())>>;

    // What is known of the rows that have a number.
    struct Known {
        const std::uint8_t* codes = nullptr;
        const Label* labels = nullptr;
        const double* weights = nullptr;  // or null for ones
        const CellLabel* cell_labels = nullptr;
        const std::int32_t* cell_weights = nullptr;  // or null for ones

        double weight(std::uint32_t row) const { return weights != nullptr ? weights[row] : 1.0; }
        std::int32_t cell_weight(std::uint32_t row) const { return cell_weights != nullptr ? cell_weights[row] : 1; }
    };
    // The same for rows in the order of the parts that were brought near.
    struct Copies {
        Buffer<std::uint8_t> codes;
        Buffer<Label> labels;
        Buffer<double> weights;
        Buffer<CellLabel> cell_labels;
        Buffer<std::int32_t> cell_weights;

        Copies(std::size_t n, std::size_t d, const Known& all, Known& near)
            : codes(n * d), labels(n), weights(all.weights != nullptr ? n : 0), cell_labels(n),
              cell_weights(all.cell_weights != nullptr ? n : 0) {
            near = {codes.data(), labels.data(), weights.data(), cell_labels.data(), cell_weights.data()};
        }
    };
    const Known& known(const Part& part) const { return part.near ? near_ : all_; }

    // Copies what is known of a part's rows to its place among the copies. Parts do not overlap, so neither do threads.
    void bring_near(Part& part) {
        if (!copies_ || part.near || (part.end - part.begin) * d_ > near_bytes_) return;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const std::uint32_t row = rows_[i];
            std::memcpy(copies_->codes.data() + i * d_, all_.codes + row * d_, d_);
            copies_->labels[i] = all_.labels[row];
            copies_->cell_labels[i] = all_.cell_labels[row];
            if (all_.weights != nullptr) copies_->weights[i] = all_.weights[row];
            if (all_.cell_weights != nullptr) copies_->cell_weights[i] = all_.cell_weights[row];
            rows_[i] = static_cast<std::uint32_t>(i);
        }
        part.near = true;
    }

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
        const Known& of = known(part);
        part.n_rows = static_cast<std::int64_t>(part.end - part.begin);
        if constexpr (std::is_same_v<Label, double>) {
            double W = 0, S = 0, Q = 0;
            for (std::size_t i = part.begin; i < part.end; ++i) {
                const double w = of.weight(rows_[i]);
                W += w, S += w * of.labels[rows_[i]];
            }
            const double mean = S / W;
            for (std::size_t i = part.begin; i < part.end; ++i) {
                const double w = of.weight(rows_[i]), r = of.labels[rows_[i]] - mean;
                Q += w * r * r;
            }
            part.weight = W;
            part.impurity = Q / W <= 1e-24 * mean * mean ? 0.0 : Q / W;
            part.said.assign(1);
            part.said[0] = mean;
        } else {
            part.said.assign(purity_.width);
            for (std::size_t i = part.begin; i < part.end; ++i)
                purity_.tally(part.said.data(), &of.labels[rows_[i]], of.weight(rows_[i]));
            weigh(part);
        }
    }

    void weigh(Part& part) const {
        part.n_rows = static_cast<std::int64_t>(part.end - part.begin);
        part.weight = purity_.weight(part.said.data());
        part.impurity = purity_.impurity(part.said.data());
    }

    // All columns' bins of some rows; rows in chunks, merged in order (though whole numbers would not mind).
    std::unique_ptr<Number[]> filled(const Part& part, int n_threads) const {
        const std::size_t size = d_ * bins_a_column * cells_.width;
        auto out = std::make_unique<Number[]>(size);
        const std::size_t m = part.end - part.begin;
        const int team = m < 8192 ? 1 : n_threads;
        if (team <= 1) {
            fill(known(part), part.begin, part.end, out.get());
            return out;
        }
        const Chunks chunks = Chunks::of(m, 4096, static_cast<std::size_t>(team), 1);
        std::vector<std::unique_ptr<Number[]>> parts(chunks.count());
        parallel_for(chunks.count(), team, [&](std::size_t c) {
            if (c > 0) parts[c] = std::make_unique<Number[]>(size);
            fill(known(part), part.begin + chunks.begin(c), part.begin + chunks.end(c), c > 0 ? parts[c].get() : out.get());
        });
        for (std::size_t c = 1; c < parts.size(); ++c)
            for (std::size_t i = 0; i < size; ++i) out[i] += parts[c][i];
        return out;
    }

    void fill(const Known& of, std::size_t begin, std::size_t end, Number* out) const {
        const std::size_t step = bins_a_column * cells_.width;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = rows_[i];
            const std::uint8_t* codes = of.codes + row * d_;
            if (i + 8 < end) __builtin_prefetch(of.codes + rows_[i + 8] * d_);
            const std::int32_t w = of.cell_weight(row);
            if constexpr (std::is_same_v<Cells, ClassCells>) {
                Number* cell = out + of.cell_labels[row];
                for (std::size_t j = 0; j < d_; ++j, cell += step) cell[codes[j] * cells_.width] += w;
            } else {
                Number* cell = out;
                for (std::size_t j = 0; j < d_; ++j, cell += step) cells_.add(cell + codes[j] * cells_.width, of.cell_labels[row], w);
            }
        }
    }

    // A threshold and, once found, its bin: the first of the `length` edges from `first` that is not below it.
    struct Cut {
        const double* edges;  // null where there is none
        double at;
        std::size_t first, length;
        bool by_histogram;
    };

    // Room for the cells of one column, packed, and for states.
    struct Room {
        std::vector<Number> cells, packed, sides;
        double sum = 0, sum_second = 0;  // weight of the node's rows, and of those of the second class
        std::array<std::uint8_t, bins_a_column> bins;
        std::vector<double> states, total, left, right;
        std::vector<std::uint32_t> columns;
        std::vector<std::uint8_t> codes;
        std::vector<std::int32_t> label, weight;  // of the node's rows, side by side
        std::vector<std::uint8_t> is_second;      // the label, of two
        std::vector<Cut> cuts;
        bool unit = true;

        void take_rows(const Cells& cells, const Known& of, const std::uint32_t* rows, std::size_t m) {
            label.resize(m);
            unit = of.cell_weights == nullptr;
            for (std::size_t i = 0; i < m; ++i) label[i] = static_cast<std::int32_t>(of.cell_labels[rows[i]]);
            if (!unit) {
                weight.resize(m);
                for (std::size_t i = 0; i < m; ++i) weight[i] = of.cell_weights[rows[i]];
            }
            if (!std::is_same_v<Cells, ClassCells> || cells.width != 2) return;
            is_second.resize(m);
            std::int64_t all = 0, second = 0;
            for (std::size_t i = 0; i < m; ++i) {
                const std::int64_t w = unit ? 1 : weight[i];
                is_second[i] = static_cast<std::uint8_t>(label[i]);
                all += w;
                second += w * label[i];
            }
            sum = static_cast<double>(all), sum_second = static_cast<double>(second);
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
        const std::uint8_t* codes = known(part).codes + j;
        const std::uint32_t* rows = rows_.data() + part.begin;
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

    // The codes of some columns of the node's rows, column by column.
    void gather(const Part& part, const std::uint32_t* columns, std::size_t k, Room& room) const {
        const std::size_t m = part.end - part.begin, d = d_;
        const std::uint8_t* matrix = known(part).codes;
        const std::uint32_t* rows = rows_.data() + part.begin;
        room.codes.resize(k * m);
        std::uint8_t* to = room.codes.data();
        for (std::size_t i = 0; i < m; ++i) {
            const std::uint8_t* codes = matrix + rows[i] * d;
            for (std::size_t c = 0; c < k; ++c) to[c * m + i] = codes[columns[c]];
        }
    }

    // One cut drawn at random in each of some gathered columns. In numbers without holes all are drawn side by side, and
    // judged by passes over the codes, without a histogram.
    void judge_cuts(const Part& part, const std::uint32_t* columns, std::size_t k, Room& room, Candidate& best) const {
        const std::size_t m = part.end - part.begin;
        room.cuts.resize(k);
        for (std::size_t c = 0; c < k; ++c) {
            const auto [low, high] = range_of(room.codes.data() + c * m, m);
            const bool by_histogram = columns_.is_nominal(columns[c]) || high == missing_bin;
            room.cuts[c] = by_histogram || low == high ? Cut{nullptr, 0, 0, 0, by_histogram} : drawn(part, columns[c], low, high);
        }
        find(room.cuts);
        for (std::size_t c = 0; c < k; ++c)
            if (room.cuts[c].by_histogram) consider(part, columns[c], room, best);
            else if (room.cuts[c].edges != nullptr)
                judge_cut(part, columns[c], room.codes.data() + c * m, room.cuts[c].first, room, best);
    }

    void judge_cut(const Part& part, std::size_t j, const std::uint8_t* codes, std::size_t cut, Room& room, Candidate& best) const {
        const std::size_t m = part.end - part.begin, v = purity_.width;
        double *left = room.left.data(), *right = room.right.data(), *total = room.total.data();
        if (std::is_same_v<Cells, ClassCells> && cells_.width == 2) {
            std::int64_t below = 0, below_second = 0;
            if (room.unit) {
                std::tie(below, below_second) = count_up_to(codes, room.is_second.data(), m, static_cast<std::uint8_t>(cut));
            } else {
                const std::int32_t *label = room.label.data(), *weight = room.weight.data();
                for (std::size_t i = 0; i < m; ++i) {
                    const std::int32_t w = codes[i] <= cut ? weight[i] : 0;
                    below += w;
                    below_second += w * label[i];
                }
            }
            left[1] = static_cast<double>(below_second), left[0] = static_cast<double>(below) - left[1];
            total[1] = room.sum_second, total[0] = room.sum - room.sum_second;
        } else {
            std::vector<Number>& sides = room.sides;
            sides.assign(2 * cells_.width, Number{0});
            for (std::size_t i = 0; i < m; ++i) room.add(cells_, sides.data() + (codes[i] <= cut ? 0 : cells_.width), i);
            cells_.to_state(sides.data(), left);
            cells_.to_state(sides.data() + cells_.width, right);
            for (std::size_t k = 0; k < v; ++k) total[k] = left[k] + right[k];
        }
        const double now = value(part, left, total, right);
        if (!(now > best.score + slack(part))) return;
        best.score = now;
        best.column = static_cast<std::int32_t>(j);
        best.bin = cut;
        best.missing_first = weight(left) >= weight(right);
        best.left.assign(left, v);
    }

    // A threshold drawn evenly between the edges inside the node's range of bins.
    Cut drawn(const Part& part, std::size_t j, std::size_t low, std::size_t high) const {
        const double* edges = columns_.edges[j].data();
        const double from = edges[low], to = edges[high - 1];
        return {edges, from + Philox(part.key, 2).uniform(j) * (to - from), low, high - low, false};
    }

    // The last bins below the thresholds: the first edges not below them, by searches side by side, without branches.
    static void find(std::span<Cut> cuts) {
        std::size_t longest = 0;
        for (const Cut& cut : cuts) longest = std::max(longest, cut.length);
        for (; longest > 1; longest -= longest / 2)
            for (Cut& cut : cuts) {
                const std::size_t half = cut.length / 2;
                if (half == 0) continue;
                cut.first += -static_cast<std::size_t>(cut.edges[cut.first + half - 1] < cut.at) & half;
                cut.length -= half;
            }
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
            Cut drawn_one[1] = {drawn(part, j, bins[0], bins[known - 1])};
            find(drawn_one);
            const std::size_t cut = drawn_one[0].first;
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
        const Known& of = known(part);
        const std::uint8_t* codes = of.codes + j;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const std::uint8_t code = codes[rows_[i] * d_];
            const bool first = code == missing_bin ? best.missing_first
                               : split.kind == Kind::subset ? best.first[code]
                                                            : code <= best.bin;
            const double w = of.weight(rows_[i]);
            if constexpr (std::is_same_v<Label, double>) {
                const double centred = of.labels[rows_[i]] - part.said[0];
                purity_.tally(first ? first_side : second_side, &centred, w);
            } else {
                purity_.tally(first ? first_side : second_side, &of.labels[rows_[i]], w);
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
    static constexpr std::size_t near_bytes_ = 1 << 17;  // of codes, that stay in the second cache

    const BinnedColumns& columns_;
    const Purity& purity_;
    Cells cells_;
    double scale_;
    const BinnedRules& rules_;
    std::size_t d_;
    bool whole_;
    std::vector<std::uint32_t> rows_, spare_;
    Known all_, near_;
    std::unique_ptr<Copies> copies_;
};

}  // namespace lanatus::tree
