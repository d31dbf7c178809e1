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
#include "tree/bin_cells.hpp"
#include "tree/finder.hpp"
#include "tree/grown.hpp"
#include "tree/purity.hpp"

namespace lanatus::tree {

// The rows of a node: from `begin` to `end` among the finder's.
template <class Number>
struct HistogramPart {
    std::size_t begin = 0, end = 0;
    bool near = false;  // which are numbers of the copies
    std::unique_ptr<Number[]> histogram;
    Few said;
    double weight = 0, impurity = 0;
    std::int64_t n_rows = 0, depth = 0;
    std::uint64_t key = 0;
};

template <class Purity, class Cells>
class HistogramFinder final : public Finder<HistogramPart<typename Cells::Number>> {
    using Label = typename Purity::Label;
    using Number = typename Cells::Number;

  public:
    using Part = HistogramPart<Number>;

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

    Split best(Part& part, int n_threads) override {
        const std::size_t m = part.end - part.begin;
        Candidate best;
        Room& mine = room();
        if (whole_ && m > few_) {
            if (!part.histogram) part.histogram = filled(part, n_threads);
            for (std::size_t j = 0; j < d_; ++j)
                read(part, j, part.histogram.get() + j * bins_a_column * cells_.width, mine, best);
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
            for (std::size_t c = 0; c < k; ++c)
                read(part, mine.columns[c], mine.cells.data() + c * bins_a_column * w, mine, best);
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

    std::vector<Part> divide(Part& part, const Split& split, int n_threads) override {
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
            for (std::size_t c = 0; c < columns_.bin_of[j].size(); ++c) first[columns_.bin_of[j][c]] = split.has(c);
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
        Few left, right;                        // states of the children, in the units of the cells
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
            fill(known(part), part.begin + chunks.begin(c), part.begin + chunks.end(c),
                 c > 0 ? parts[c].get() : out.get());
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
                for (std::size_t j = 0; j < d_; ++j, cell += step)
                    cells_.add(cell + codes[j] * cells_.width, of.cell_labels[row], w);
            }
        }
    }

    // A threshold and, once found, its bin: the first of the `length` middles from `first` that is not below it.
    struct Cut {
        const double* middles;  // from the second bin on; null where there is none
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
    // Not inlined: where it is, the compiler looks the thread's own up again in every loop.
    [[gnu::noinline]] Room& room() const {
        thread_local Room mine;
        mine.fit(cells_.width, purity_.width);
        return mine;
    }

    void consider(const Part& part, std::size_t j, Room& room, Candidate& best) const;
    void gather(const Part& part, const std::uint32_t* columns, std::size_t k, Room& room) const;
    void judge_cuts(const Part& part, const std::uint32_t* columns, std::size_t k, Room& room, Candidate& best) const;
    void judge_cut(const Part& part, std::size_t j, const std::uint8_t* codes, std::size_t cut, Room& room,
                   Candidate& best) const;
    Cut drawn(const Part& part, std::size_t j, std::size_t low, std::size_t high) const;
    static void find(std::span<Cut> cuts);
    void read(const Part& part, std::size_t j, const Number* cells, Room& room, Candidate& best) const;
    double slack(const Part& part) const { return 1e-10 * scale_ * std::max(part.weight * part.impurity, 1e-300); }

    void judge(const Part& part, std::size_t j, Room& room, std::size_t count, Candidate& best) const;
    void judge_two(const Part& part, std::size_t j, const Room& room, std::size_t count, Candidate& best) const;
    double weight(const double* state) const { return purity_.weight(state); }
    double least_weight(const Part& part) const;
    double value(const Part& part, const double* left, const double* total, double* right) const;
    void halve(const Part& part, std::size_t j, Room& room, std::size_t count, Candidate& best) const;
    Split finished(const Part& part, const Candidate& best, Room& mine) const;
    Split gained(const Part& part, Split& split, const double* first_side, const double* second_side) const;
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
