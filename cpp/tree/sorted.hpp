// The exact finder: every threshold between two values that differ is tried, on columns that are sorted once.
//
// A part holds its rows in a row ("entries": a row may be in several parts by a fraction of its weight) and, for each numeric
// column, the entries in the order of their values. Children take the order over by a stable pass, O(d m) a level. Where
// only some columns are tried at a node (max_features) they are sorted there instead.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "tree/columns.hpp"
#include "tree/finder.hpp"
#include "tree/grown.hpp"
#include "tree/median.hpp"
#include "tree/purity.hpp"
#include "tree/rules.hpp"
#include "tree/sorted_rows.hpp"

namespace lanatus::tree {

// The rows of a node with their labels.
template <class Label>
struct SortedPart : SortedRows {
    std::vector<Label> labels;
};

template <class Purity>
class SortedFinder final : public Finder<SortedPart<typename Purity::Label>> {
    using Label = typename Purity::Label;
    using Run = typename Purity::Run;

  public:
    using Part = SortedPart<Label>;

    // labels: n x n_outputs, by row. centred: numbers, taken about the mean of each node, for the sake of precision.
    SortedFinder(const Columns& columns, const Purity& purity, std::span<const Label> labels, std::size_t n_outputs,
                 const Rules& rules, bool centred)
        : columns_(columns), purity_(purity), labels_(labels), n_outputs_(n_outputs), rules_(rules), centred_(centred),
          inherits_(rules.max_features >= columns.d) {}

    Part root(std::span<const double> weights, int n_threads) const {
        Part part;
        part.key = rules_.seed;
        for (std::size_t i = 0; i < columns_.n; ++i)
            if (const double w = weights.empty() ? 1.0 : weights[i]; w > 0) {
                part.rows.push_back(static_cast<std::uint32_t>(i));
                part.weights.push_back(w);
            }
        describe(part, nullptr);
        if (!inherits_) return part;
        part.order.resize(columns_.d);
        parallel_for(columns_.d, columns_.n * columns_.d < 100'000 ? 1 : n_threads, [&](std::size_t j) {
            if (!columns_.is_nominal(j)) part.order[j] = sorted(columns_, part.rows, j);
        });
        return part;
    }

    Split best(Part& part, int n_threads) override {
        const std::size_t d = columns_.d;
        std::vector<Candidate> found(d);
        if (inherits_) {
            const bool wide = static_cast<double>(part.rows.size()) * static_cast<double>(d) > 2e4;
            parallel_for(d, wide ? n_threads : 1, [&](std::size_t j) { found[j] = consider(part, j); });
        } else {
            // As many columns as asked, and on until one of them can be split.
            std::vector<std::uint32_t> columns(d);
            std::iota(columns.begin(), columns.end(), 0u);
            const Philox random(part.key, 1);
            bool any = false;
            for (std::size_t i = 0; i < d && (i < rules_.max_features || !any); ++i) {
                std::swap(columns[i], columns[i + random.below(i, d - i)]);
                found[columns[i]] = consider(part, columns[i]);
                any = any || found[columns[i]].valid;
            }
        }
        Split split = choose(rules_, part.impurity, found);
        if (split.feature >= 0 && rules_.missing == Missing::surrogate && split.kind != Kind::values)
            find_surrogates(columns_, part, rules_.max_surrogates, split);
        return split;
    }

    std::vector<Part> divide(Part& part, const Split& split, int n_threads) override {
        const std::size_t m = part.rows.size(), k = static_cast<std::size_t>(split.n_children);
        const auto& rank = columns_.rank[static_cast<std::size_t>(split.feature)];
        std::vector<std::int32_t> child(m);
        std::vector<std::uint32_t> place(m);
        std::vector<Part> children(k);
        std::uint32_t fractions = 0;
        for (std::size_t e = 0; e < m; ++e) {
            const std::uint32_t r = rank[part.rows[e]];
            child[e] = r != Columns::none ? child_of(split, r) : child_of_missing(columns_, split, part.rows[e]);
            if (child[e] < 0) {
                place[e] = fractions++;
                continue;
            }
            Part& to = children[static_cast<std::size_t>(child[e])];
            place[e] = static_cast<std::uint32_t>(to.rows.size());
            to.rows.push_back(part.rows[e]);
            to.weights.push_back(part.weights[e]);
        }
        std::vector<std::uint32_t> base(k);
        for (std::size_t c = 0; c < k; ++c) base[c] = static_cast<std::uint32_t>(children[c].rows.size());
        for (std::size_t e = 0; fractions && e < m; ++e)
            for (std::size_t c = 0; child[e] < 0 && c < k; ++c)
                if (split.share(c) > 0) {
                    children[c].rows.push_back(part.rows[e]);
                    children[c].weights.push_back(part.weights[e] * split.share(c));
                }
        for (std::size_t c = 0; c < k; ++c) {
            children[c].depth = part.depth + 1;
            children[c].key = key_of(part.key, c);
            children[c].low = part.low;
            children[c].high = part.high;
            describe(children[c], &part);
        }
        bound(children, split);
        if (inherits_) {
            std::vector<SortedRows*> to;
            for (Part& child_rows : children) {
                child_rows.order.resize(columns_.d);
                to.push_back(&child_rows);
            }
            const bool wide = static_cast<double>(m) * static_cast<double>(columns_.d) > 2e4;
            parallel_for(columns_.d, wide ? n_threads : 1, [&](std::size_t j) {
                if (!columns_.is_nominal(j)) hand_down(part.order[j], j, {child, place, base}, split, to);
            });
        }
        part = Part{};
        return children;
    }

  private:
    // What a part says of itself; an empty one says what its parent does.
    void describe(Part& part, const Part* parent) const {
        const std::size_t m = part.rows.size(), k = n_outputs_;
        part.n_rows = static_cast<std::int64_t>(m);
        if (m == 0 && parent != nullptr) {
            part.state = parent->state;
            part.said = parent->said;
            part.impurity = parent->impurity;
            return;
        }
        part.labels.resize(m * k);
        part.unit = std::all_of(part.weights.begin(), part.weights.end(), [](double w) { return w == 1.0; });
        std::vector<double> centre(k, 0.0);
        if constexpr (std::is_same_v<Label, double>) {
            double all = 0;
            for (std::size_t e = 0; e < m; ++e) {
                all += part.weights[e];
                for (std::size_t o = 0; o < k; ++o) centre[o] += part.weights[e] * labels_[part.rows[e] * k + o];
            }
            for (double& c : centre) c /= all;
        }
        part.state.assign(purity_.width, 0.0);
        for (std::size_t e = 0; e < m; ++e) {
            for (std::size_t o = 0; o < k; ++o) {
                part.labels[e * k + o] = labels_[part.rows[e] * k + o];
                if constexpr (std::is_same_v<Label, double>)
                    if (centred_) part.labels[e * k + o] -= centre[o];
            }
            purity_.tally(part.state.data(), &part.labels[e * k], part.weights[e]);
        }
        part.weight = purity_.weight(part.state.data());
        part.impurity = purity_.impurity(part.state.data());
        if constexpr (std::is_same_v<Label, double>) {
            part.said = centre;
            // Equal numbers leave a rest of rounding about their mean.
            double largest = 0;
            for (double c : centre) largest = std::max(largest, std::abs(c));
            if (part.impurity <= 1e-24 * largest * largest) part.impurity = 0;
            if (rules_.median && part.impurity > 0) say_medians(part, centre);
        } else {
            part.said = part.state;
        }
    }

    // ------------------------------------------------------------ absolute deviations

    // Of numbers only, and false at compile time for classes.
    bool by_medians() const { return std::is_same_v<Label, double> && rules_.median; }

    std::vector<double> output(const Part& part, std::size_t o) const {
        std::vector<double> y(part.rows.size());
        for (std::size_t e = 0; e < y.size(); ++e) y[e] = static_cast<double>(part.labels[e * n_outputs_ + o]);
        return y;
    }
    void say_medians(Part& part, const std::vector<double>& centre) const {
        part.impurity = 0;
        for (std::size_t o = 0; o < n_outputs_; ++o) {
            Deviations all(output(part, o));
            for (std::size_t e = 0; e < part.rows.size(); ++e) all.add(e, part.weights[e]);
            part.said[o] = all.median() + (centred_ ? centre[o] : 0.0);
            part.impurity += all.total() / part.weight / static_cast<double>(n_outputs_);
        }
    }
    // Deviations of the first 1, 2, ... of some entries, of the mean output; and the medians of the first output.
    std::vector<double> running_deviations(const Part& part, const std::vector<std::uint32_t>& entries,
                                           std::vector<double>* medians = nullptr) const {
        std::vector<double> out(entries.size(), 0.0);
        if (medians != nullptr) medians->resize(entries.size());
        for (std::size_t o = 0; o < n_outputs_; ++o) {
            Deviations run(output(part, o));
            for (std::size_t i = 0; i < entries.size(); ++i) {
                run.add(entries[i], part.weights[entries[i]]);
                out[i] += run.total() / static_cast<double>(n_outputs_);
                if (medians != nullptr && o == 0 && !rules_.monotone.empty()) (*medians)[i] = run.median();
            }
        }
        return out;
    }
    // The cut of a column after which medians are nearest, and where missing values, if they count, go with it: to the right,
    // then to the left.
    void cut_by_medians(const Part& part, std::size_t j, const Sorted& order, double drawn, bool counted,
                        double& highest, std::size_t& cut, std::int32_t& missing_at) const {
        const std::size_t m = order.size, least = static_cast<std::size_t>(rules_.min_leaf);
        std::vector<std::uint32_t> gone, known(m);
        for (std::uint32_t e = 0; counted && e < part.rows.size(); ++e)
            if (columns_.rank[j][part.rows[e]] == Columns::none) gone.push_back(e);
        for (std::size_t i = 0; i < m; ++i) known[i] = static_cast<std::uint32_t>(order[i]);
        double all = 0, lost = 0;
        for (const std::uint32_t e : known) all += part.weights[e];
        for (const std::uint32_t e : gone) lost += part.weights[e];
        for (std::int32_t side = 1; side >= (gone.empty() ? 1 : 0); --side) {
            const std::size_t more_left = side == 0 ? gone.size() : 0, more_right = side == 1 ? gone.size() : 0;
            std::vector<std::uint32_t> from_left, from_right;
            (side == 0 ? from_left : from_right) = gone;
            from_left.insert(from_left.end(), known.begin(), known.end());
            from_right.insert(from_right.end(), known.rbegin(), known.rend());
            std::vector<double> left_median, right_median;
            const std::vector<double> left = running_deviations(part, from_left, &left_median);
            const std::vector<double> right = running_deviations(part, from_right, &right_median);
            double below = side == 0 ? lost : 0.0;
            for (std::size_t i = 0; i < m; ++i) {
                below += part.weights[known[i]];
                if (i + 1 == m && more_right == 0) break;
                if (i + 1 < m && (order[i + 1] >> 32) == (order[i] >> 32)) continue;
                if (i + 1 + more_left < least || m - i - 1 + more_right < least) continue;
                if (below < rules_.min_leaf_weight || all + lost - below < rules_.min_leaf_weight) continue;
                if (rules_.random && !at_draw(columns_.distinct[j], order, i, drawn)) continue;
                const std::size_t l = i + more_left, r = m + more_right - i - 2;
                if (!ordered(part, j, left_median[l], right_median[r])) continue;
                const double now = -(left[l] + right[r]);
                if (now > highest + 1e-10 * std::max(left.back(), 1e-300)) highest = now, cut = i, missing_at = side;
            }
        }
    }
    // What a split gains by medians: chosen by squares where the column is nominal.
    double gain_by_medians(const Part& part, const Split& split) const {
        const auto& rank = columns_.rank[static_cast<std::size_t>(split.feature)];
        std::vector<std::uint32_t> all;
        std::vector<std::vector<std::uint32_t>> sides(static_cast<std::size_t>(split.n_children));
        for (std::uint32_t e = 0; e < part.rows.size(); ++e)
            if (const std::uint32_t r = rank[part.rows[e]];
                r != Columns::none || (rules_.missing == Missing::branch && !rules_.multiway)) {
                all.push_back(e);
                sides[static_cast<std::size_t>(r != Columns::none ? child_of(split, r) : split.missing)].push_back(e);
            }
        double after = 0;
        for (const auto& side : sides) after += side.empty() ? 0.0 : running_deviations(part, side).back();
        return all.empty() ? 0.0 : std::max(0.0, (running_deviations(part, all).back() - after) / part.weight);
    }

    // Order constraints: what lies below must not say more than what lies above, in all that grows from here.
    void bound(std::vector<Part>& children, const Split& split) const {
        if (rules_.monotone.empty()) return;
        const int sign = rules_.monotone[static_cast<std::size_t>(split.feature)];
        if (sign != 0 && split.kind == Kind::threshold) {
            const double middle = (said(children[0]) + said(children[1])) / 2;
            (sign > 0 ? children[0].high : children[0].low) = middle;
            (sign > 0 ? children[1].low : children[1].high) = middle;
        }
        for (Part& child : children) {
            const double now = said(child), kept = std::clamp(now, child.low, child.high);
            if (now == kept || child.said.empty()) continue;
            if constexpr (std::is_same_v<Label, double>) {
                child.said[0] = kept;
            } else {
                const double all = child.said[0] + child.said[1];
                child.said[1] = all * kept;
                child.said[0] = all - child.said[1];
            }
        }
    }
    double said(const Part& part) const {
        if constexpr (std::is_same_v<Label, double>) return part.said[0];
        else {
            double all = 0;
            for (double c : part.said) all += c;
            return all > 0 && part.said.size() > 1 ? part.said[1] / all : 0.0;
        }
    }

    const Label* label(const Part& part, std::size_t e) const { return &part.labels[e * n_outputs_]; }

    // ------------------------------------------------------------ one column

    Candidate consider(const Part& part, std::size_t j) const;
    std::vector<double> missing_state(const Part& part, std::size_t j, std::int64_t& count) const;
    bool ordered(const Part& part, std::size_t j, double left, double right) const;
    double score(const Run& left, const Run& right) const;
    Candidate numeric(const Part& part, std::size_t j) const;
    // Two classes and nothing special: the same search with sums in registers. Between two rows of one class, each alone at its
    // value, there is no best cut (Fayyad and Irani 1992), unless the better ones are forbidden by the least size of a child.
    bool scan_two(const Part& part, const Sorted& order, const std::vector<double>& known, double slack,
                  double& highest, std::size_t& cut) const {
        if constexpr (!requires(const Purity& p) { p.phi_of_two(1.0, 1.0, 2.0); }) return false;
        else {
            if (purity_.width != 2) return false;
            const std::size_t m = order.size;
            const double t0 = known[0], t1 = known[1], least = rules_.min_leaf_weight;
            const auto rows = static_cast<std::size_t>(rules_.min_leaf);
            const bool any_size = rows <= 1 && least <= 0;
            double l0 = 0, l1 = 0;
            const Label* labels = part.labels.data();
            const double* weights = part.weights.data();
            Label label = labels[static_cast<std::uint32_t>(order[0])];
            bool alone = true;  // the value of this row is no other's before it
            for (std::size_t i = 0; i + 1 < m; ++i) {
                const std::uint64_t item = order[i], after = order[i + 1];
                const double w = part.unit ? 1.0 : weights[static_cast<std::uint32_t>(item)];
                (label ? l1 : l0) += w;
                const Label next = labels[static_cast<std::uint32_t>(after)];
                const bool same = (item >> 32) == (after >> 32);
                const bool skip = same || (any_size && alone && next == label &&
                                           (i + 2 == m || (order[i + 2] >> 32) != (after >> 32)));
                alone = !same;
                label = next;
                if (skip || i + 1 < rows || m - i - 1 < rows) continue;
                const double left = l0 + l1, r0 = t0 - l0, r1 = t1 - l1, right = r0 + r1;
                const double now = purity_.phi_of_two(l0, l1, left) + purity_.phi_of_two(r0, r1, right);
                if (!(now > highest + slack) || left < least || right < least) continue;
                highest = now;
                cut = i;
            }
            return true;
        }
    }

    // Sides (or values) of a split by the states of what is known: gain, shares, where missing values go.
    void finish(const Part& part, Candidate& best, std::vector<double>& states, std::size_t k, double before,
                const double* gone, std::int32_t missing_at) const {
        const std::size_t w = purity_.width;
        Split& split = best.split;
        split.n_children = static_cast<std::int32_t>(k);
        std::vector<double>& shares = split.more().shares;
        shares.assign(k, 0.0);
        double known = 0, heaviest = -1, value = 0;
        std::int32_t majority = 0;
        for (std::size_t c = 0; c < k; ++c) {
            shares[c] = std::max(0.0, purity_.weight(states.data() + c * w));
            known += shares[c];
            if (shares[c] > heaviest) heaviest = shares[c], majority = static_cast<std::int32_t>(c);
        }
        for (double& share : shares) {
            share = known > 0 ? share / known : 1.0 / static_cast<double>(k);
            value -= xlog2x(share);
        }
        split.missing = gone != nullptr ? missing_at : rules_.missing == Missing::weights ? -1 : majority;
        if (gone != nullptr)
            for (std::size_t i = 0; i < w; ++i) states[static_cast<std::size_t>(missing_at) * w + i] += gone[i];
        if (rules_.judge) {
            best.gain = rules_.judge(states.data(), k);
        } else {
            double after = 0;
            for (std::size_t c = 0; c < k; ++c) after += purity_.phi(states.data() + c * w);
            best.gain = std::max(0.0, (after - before) / part.weight);
            if (!std::isfinite(after)) best.valid = false;  // a child that the criterion forbids
        }
        best.value = value;
        split.gain = best.gain;
    }

    // ------------------------------------------------------------ nominal columns

    struct Groups {
        std::vector<double> states;       // values x width
        std::vector<std::int64_t> count;  // entries of each value
        std::vector<std::size_t> present;
        std::int64_t n_missing = 0;
    };

    Groups group(const Part& part, std::size_t j) const;
    Candidate nominal(const Part& part, std::size_t j) const;
    std::vector<char> halve(const Part& part, const Groups& g, const std::vector<double>& known) const;
    const Columns& columns_;
    const Purity& purity_;
    std::span<const Label> labels_;
    std::size_t n_outputs_;
    const Rules& rules_;
    bool centred_, inherits_;
};

}  // namespace lanatus::tree
