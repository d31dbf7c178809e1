// The finder by histograms: how a node's columns are cut and the best cut is chosen.
#pragma once
#include "tree/histogram.hpp"

namespace lanatus::tree {

// One column on its own: cells are cleared as they are first met, and met again in order by their bits.
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::consider(const Part& part, std::size_t j, Room& room,
                                                     Candidate& best) const {
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
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::gather(const Part& part, const std::uint32_t* columns, std::size_t k,
                                                   Room& room) const {
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
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::judge_cuts(const Part& part, const std::uint32_t* columns, std::size_t k,
                                                       Room& room, Candidate& best) const {
    const std::size_t m = part.end - part.begin;
    room.cuts.resize(k);
    for (std::size_t c = 0; c < k; ++c) {
        const auto [low, high] = range_of(room.codes.data() + c * m, m);
        const bool by_histogram = columns_.is_nominal(columns[c]) || high == missing_bin;
        room.cuts[c] =
            by_histogram || low == high ? Cut{nullptr, 0, 0, 0, by_histogram} : drawn(part, columns[c], low, high);
    }
    find(room.cuts);
    for (std::size_t c = 0; c < k; ++c)
        if (room.cuts[c].by_histogram) consider(part, columns[c], room, best);
        else if (room.cuts[c].middles != nullptr)
            judge_cut(part, columns[c], room.codes.data() + c * m, room.cuts[c].first, room, best);
}

template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::judge_cut(const Part& part, std::size_t j, const std::uint8_t* codes,
                                                      std::size_t cut, Room& room, Candidate& best) const {
    const std::size_t m = part.end - part.begin, v = purity_.width;
    double *left = room.left.data(), *right = room.right.data(), *total = room.total.data();
    if (std::is_same_v<Cells, ClassCells> && cells_.width == 2) {
        std::int64_t below = 0, below_second = 0;
        if (room.unit) {
            std::tie(below, below_second) =
                count_up_to(codes, room.is_second.data(), m, static_cast<std::uint8_t>(cut));
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

// A threshold drawn evenly between the middles of the node's least and largest bin: the cut is between the middles that it
// falls between, so that every cut has the chance that its gap has.
template <class Purity, class Cells>
inline auto HistogramFinder<Purity, Cells>::drawn(const Part& part, std::size_t j, std::size_t low,
                                                  std::size_t high) const -> Cut {
    const double* middle = columns_.middle[j].data();
    const double from = middle[low], to = middle[high];
    return {middle + 1, from + Philox(part.key, 2).uniform(j) * (to - from), low, high - low, false};
}

// The last bins below the thresholds: before the first middles not below them, by searches side by side, without branches.
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::find(std::span<Cut> cuts) {
    std::size_t longest = 0;
    for (const Cut& cut : cuts) longest = std::max(longest, cut.length);
    for (; longest > 1; longest -= longest / 2)
        for (Cut& cut : cuts) {
            const std::size_t half = cut.length / 2;
            if (half == 0) continue;
            cut.first += -static_cast<std::size_t>(cut.middles[cut.first + half - 1] < cut.at) & half;
            cut.length -= half;
        }
}

// The bins of a filled histogram that hold rows, packed, and judged.
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::read(const Part& part, std::size_t j, const Number* cells, Room& room,
                                                 Candidate& best) const {
    const std::size_t w = cells_.width;
    std::size_t count = 0;
    for (std::size_t b = 0; b < bins_a_column; ++b) {
        if (cells_.is_empty(cells + b * w)) continue;
        std::copy_n(cells + b * w, w, room.packed.data() + count * w);
        room.bins[count++] = static_cast<std::uint8_t>(b);
    }
    judge(part, j, room, count, best);
}

// The best cut of a column by the packed cells of its bins, the missing one last.
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::judge(const Part& part, std::size_t j, Room& room, std::size_t count,
                                                  Candidate& best) const {
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
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::judge_two(const Part& part, std::size_t j, const Room& room,
                                                      std::size_t count, Candidate& best) const {
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

// Rows are counted by weight: exactly where all weigh the same, and else as near as a limit on rows can be read.
template <class Purity, class Cells>
inline double HistogramFinder<Purity, Cells>::least_weight(const Part& part) const {
    const double rows = rules_.min_leaf > 1 ? static_cast<double>(rules_.min_leaf) * part.weight /
                                                  static_cast<double>(part.n_rows) * (1 - 1e-9)
                                            : 0.0;
    return scale_ * std::max(rules_.min_leaf_weight, rows);
}

// Purity of a cut, or minus infinity where a child is too small.
template <class Purity, class Cells>
inline double HistogramFinder<Purity, Cells>::value(const Part& part, const double* left, const double* total,
                                                    double* right) const {
    const std::size_t v = purity_.width;
    for (std::size_t k = 0; k < v; ++k) right[k] = total[k] - left[k];
    const double a = weight(left), b = weight(right), least = least_weight(part);
    if (!(a > 0) || !(b > 0) || a < least || b < least) return -std::numeric_limits<double>::infinity();
    return purity_.phi(left) + purity_.phi(right);
}

// Nominal bins (missing values as one more) by the share of a class or the mean, cut at the best place.
template <class Purity, class Cells>
inline void HistogramFinder<Purity, Cells>::halve(const Part& part, std::size_t j, Room& room, std::size_t count,
                                                  Candidate& best) const {
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
template <class Purity, class Cells>
inline Split HistogramFinder<Purity, Cells>::finished(const Part& part, const Candidate& best, Room& mine) const {
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
        split.threshold =
            best.bin < columns_.edges[j].size() ? columns_.edges[j][best.bin] : std::numeric_limits<double>::infinity();
    }
    double* first_side = mine.left.data();
    double* second_side = mine.right.data();
    if constexpr (std::is_same_v<Cells, MeanCells>)
        if (rows_.empty()) {
            double whole[3] = {};
            for (std::size_t k = 0; k < 3; ++k) whole[k] = best.left[k] + best.right[k];
            split.first_share = best.left[0] / whole[0];
            split.gain =
                std::max(0.0, (purity_.phi(best.left.data()) + purity_.phi(best.right.data()) - purity_.phi(whole)) /
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
        const bool first = code == missing_bin          ? best.missing_first
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

template <class Purity, class Cells>
inline Split HistogramFinder<Purity, Cells>::gained(const Part& part, Split& split, const double* first_side,
                                                    const double* second_side) const {
    const double a = purity_.weight(first_side), b = purity_.weight(second_side);
    split.first_share = a / (a + b);
    const double before = std::is_same_v<Label, double> ? 0.0 : purity_.phi(part.said.data());
    split.gain = std::max(0.0, (purity_.phi(first_side) + purity_.phi(second_side) - before) / part.weight);
    return std::move(split);
}

}  // namespace lanatus::tree
