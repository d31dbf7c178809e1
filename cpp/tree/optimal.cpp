#include "tree/optimal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/random.hpp"

namespace lanatus::tree {
namespace {

using Rows = std::vector<std::uint32_t>;

// A set of rows by the xor of 128 random bits of each: two sets that differ meet with a probability of 2^-128.
struct Name {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Name&) const = default;
    Name operator^(const Name& other) const { return {low ^ other.low, high ^ other.high}; }
};
struct Key {
    Name rows;
    int depth = 0;
    bool operator==(const Key&) const = default;
};
struct Hash {
    std::size_t operator()(const Key& key) const {
        return static_cast<std::size_t>(key.rows.low + static_cast<std::uint64_t>(key.depth) * 0x9E3779B97F4A7C15u);
    }
    std::size_t operator()(const Name& name) const { return static_cast<std::size_t>(name.low); }
};

struct Solved {
    double lower = 0;  // no tree costs less
    double cost = std::numeric_limits<double>::infinity();
    std::int32_t test = -1;
    bool known = false;  // whether cost is that of the best tree
};

// Class weights and rows of all rows, of those that pass each test, and of those that pass two.
class Counts {
  public:
    Counts(std::size_t n_tests, std::size_t n_classes)
        : F(n_tests), C(n_classes), all(C), one(F * C), two(F * F * C), rows_one(F), rows_two(F * F) {}

    const double* pair(std::size_t f, std::size_t g) const { return &two[(f * F + g) * C]; }
    double rows_pair(std::size_t f, std::size_t g) const { return rows_two[f * F + g]; }

    std::size_t F, C;
    double n_rows = 0;
    std::vector<double> all, one, two, rows_one, rows_two;
};

struct Best {
    double cost = 0;
    std::int32_t test = -1;
    std::array<std::int32_t, 2> below{-1, -1};
};

class Search {
  public:
    Search(MatrixView<const std::uint8_t> tests, std::span<const std::uint32_t> codes, std::size_t n_classes,
           std::span<const double> weights, const OptimalOptions& options)
        : tests_(tests), codes_(codes), weights_(weights), options_(options), F(tests.rows), C(n_classes),
          names_(tests.cols), counts_(F, C) {
        const Philox random(0x6F7074, 1);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const PhiloxBlock b = random.block(i);
            names_[i] = {std::uint64_t{b[1]} << 32 | b[0], std::uint64_t{b[3]} << 32 | b[2]};
        }
    }

    OptimalTree run() {
        Rows rows(tests_.cols);
        std::iota(rows.begin(), rows.end(), 0u);
        OptimalTree tree;
        tree.cost = solve(rows, options_.max_depth, std::numeric_limits<double>::infinity());
        tree.nodes.push_back({});
        build(tree, 0, rows, options_.max_depth);
        tree.n_solved = n_solved_;
        tree.optimal = !exhausted_;
        return tree;
    }

  private:
    double weight(std::uint32_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }
    Name name_of(const Rows& rows) const {
        Name name;
        for (const auto i : rows) name = name ^ names_[i];
        return name;
    }
    double leaf(const double* mass) const {
        return std::accumulate(mass, mass + C, 0.0) - *std::max_element(mass, mass + C) + options_.leaf_cost;
    }

    // The cost of the best tree of these rows, or a lower bound of it that is `limit` or more.
    double solve(const Rows& rows, int depth, double limit) {
        if (depth <= 2 || exhausted_) return two_levels(rows, std::min(depth, 2)).cost;
        const Key key{name_of(rows), depth};
        if (const auto at = solved_.find(key); at != solved_.end()) {
            if (at->second.known) return at->second.cost;
            if (at->second.lower >= limit) return at->second.lower;
        }
        if (++n_solved_ > options_.max_solved) {
            exhausted_ = true;
            return two_levels(rows, 2).cost;
        }
        Solved found = best_split(rows, depth, limit);
        found.known = found.cost < limit;
        if (!found.known) found.lower = std::max(found.lower, limit);
        solved_[key] = found;
        return found.known ? found.cost : found.lower;
    }

    Solved best_split(const Rows& rows, int depth, double limit) {
        std::vector<double> mass(C);
        for (const auto i : rows) mass[codes_[i]] += weight(i);
        Solved found{0, leaf(mass.data()), -1, false};
        const double least = 2 * options_.leaf_cost;  // of a tree with a test
        std::unordered_set<Name, Hash> seen;
        for (const std::size_t f : by_gain(rows, mass)) {
            double bound = std::min(found.cost, limit);
            if (exhausted_ || least >= bound) break;
            auto [first, second] = parted(rows, f);
            if (std::min(first.size(), second.size()) < options_.min_rows) continue;
            const Name one = name_of(first), other = name_of(second);
            if (!seen.insert(one).second || (one != other && !seen.insert(other).second)) continue;  // the same parts
            const double below = lower(other, depth - 1);
            if (lower(one, depth - 1) + below >= bound) continue;
            const double cost = solve(first, depth - 1, bound - below);
            if (cost + below >= bound) continue;
            const double both = cost + solve(second, depth - 1, bound - cost);
            if (both < bound) found.cost = both, found.test = static_cast<std::int32_t>(f);
        }
        return found;
    }

    double lower(const Name& rows, int depth) const {
        const auto at = solved_.find({rows, depth});
        if (at == solved_.end()) return options_.leaf_cost;
        return at->second.known ? at->second.cost : at->second.lower;
    }

    std::pair<Rows, Rows> parted(const Rows& rows, std::size_t f) const {
        std::pair<Rows, Rows> parts;
        const std::uint8_t* passes = tests_.row(f);
        for (const auto i : rows) (passes[i] ? parts.first : parts.second).push_back(i);
        return parts;
    }

    // Tests that part the rows, those that lower Gini's impurity most first: a good tree early bounds the others.
    std::vector<std::size_t> by_gain(const Rows& rows, const std::vector<double>& mass) const {
        std::vector<std::pair<double, std::size_t>> order;
        std::vector<double> inside(C);
        for (std::size_t f = 0; f < F; ++f) {
            std::fill(inside.begin(), inside.end(), 0.0);
            std::size_t n = 0;
            const std::uint8_t* passes = tests_.row(f);
            for (const auto i : rows)
                if (passes[i]) inside[codes_[i]] += weight(i), ++n;
            if (std::min(n, rows.size() - n) < options_.min_rows) continue;
            double w1 = 0, w0 = 0, squares1 = 0, squares0 = 0;
            for (std::size_t c = 0; c < C; ++c) {
                const double out = mass[c] - inside[c];
                w1 += inside[c], w0 += out;
                squares1 += inside[c] * inside[c], squares0 += out * out;
            }
            order.emplace_back(-((w1 > 0 ? squares1 / w1 : 0) + (w0 > 0 ? squares0 / w0 : 0)), f);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::size_t> tests;
        for (const auto& [gain, f] : order) tests.push_back(f);
        return tests;
    }

    // ------------------------------------------------------------ the last two levels

    Best two_levels(const Rows& rows, int depth) {
        count(rows, depth);
        const Counts& n = counts_;
        Best best{leaf(n.all.data()), -1, {-1, -1}};
        std::vector<double> outside(C);
        for (std::size_t f = 0; f < F; ++f) {
            const double passing = n.rows_one[f], rest = n.n_rows - passing;
            const double fewest = static_cast<double>(options_.min_rows);
            if (std::min(passing, rest) < fewest) continue;
            const double* inside = &n.one[f * C];
            for (std::size_t c = 0; c < C; ++c) outside[c] = n.all[c] - inside[c];
            Best found{0, static_cast<std::int32_t>(f), {-1, -1}};
            double parts[2] = {leaf(inside), leaf(outside.data())};
            if (depth == 2)
                for (std::size_t g = 0; g < F; ++g) improve(f, g, inside, outside.data(), parts, found.below);
            found.cost = parts[0] + parts[1];
            if (found.cost < best.cost) best = found;
        }
        return best;
    }

    // Whether test g makes the child of rows that pass f (or of the others) cheaper.
    void improve(std::size_t f, std::size_t g, const double* inside, const double* outside, double (&parts)[2],
                 std::array<std::int32_t, 2>& below) const {
        const Counts& n = counts_;
        const double* both = n.pair(f, g);
        const double* other = &n.one[g * C];
        const double fewest = static_cast<double>(options_.min_rows), together = n.rows_pair(f, g);
        const double second = n.rows_one[g] - together;  // pass g but not f
        if (std::min(together, n.rows_one[f] - together) >= fewest) {
            const double cost = leaves(inside, both, nullptr);
            if (cost < parts[0]) parts[0] = cost, below[0] = static_cast<std::int32_t>(g);
        }
        if (std::min(second, n.n_rows - n.rows_one[f] - second) >= fewest) {
            const double cost = leaves(outside, other, both);
            if (cost < parts[1]) parts[1] = cost, below[1] = static_cast<std::int32_t>(g);
        }
    }

    // Cost of two leaves: one with the class weights `part` (less `without`), one with the rest of `mass`.
    double leaves(const double* mass, const double* part, const double* without) const {
        double sum = 0, most1 = 0, most0 = 0;
        for (std::size_t c = 0; c < C; ++c) {
            const double in = without ? part[c] - without[c] : part[c], out = mass[c] - in;
            sum += mass[c];
            most1 = std::max(most1, in), most0 = std::max(most0, out);
        }
        return sum - most1 - most0 + 2 * options_.leaf_cost;
    }

    void count(const Rows& rows, int depth) {
        Counts& n = counts_;
        n.n_rows = static_cast<double>(rows.size());
        std::fill(n.all.begin(), n.all.end(), 0.0);
        for (const auto i : rows) n.all[codes_[i]] += weight(i);
        if (weights_.empty()) count_bits(rows, depth);
        else count_weights(rows, depth);
    }

    // Rows in the order of their classes, those of each class from a new word on, as bits for each test.
    void count_bits(const Rows& rows, int depth) {
        std::vector<std::size_t> size(C), first(C + 1), at(C);
        for (const auto i : rows) ++size[codes_[i]];
        for (std::size_t c = 0; c < C; ++c) first[c + 1] = first[c] + (size[c] + 63) / 64;
        const std::size_t words = first[C];
        bits_.assign(F * words, 0);
        for (const auto i : rows) {
            const std::size_t c = codes_[i], place = 64 * first[c] + at[c]++;
            for (std::size_t f = 0; f < F; ++f)
                bits_[f * words + place / 64] |= std::uint64_t{tests_.row(f)[i]} << (place % 64);
        }
        for (std::size_t f = 0; f < F; ++f) {
            const std::uint64_t* a = &bits_[f * words];
            for (std::size_t g = depth == 2 ? 0 : f; g <= f; ++g) {
                const std::uint64_t* b = &bits_[g * words];
                double sum = 0;
                for (std::size_t c = 0; c < C; ++c) {
                    int set = 0;
                    for (std::size_t word = first[c]; word < first[c + 1]; ++word)
                        set += std::popcount(a[word] & b[word]);
                    store(f, g, c, set);
                    sum += set;
                }
                store_rows(f, g, sum);
            }
        }
    }

    void count_weights(const Rows& rows, int depth) {
        Counts& n = counts_;
        std::fill(n.one.begin(), n.one.end(), 0.0);
        std::fill(n.rows_one.begin(), n.rows_one.end(), 0.0);
        std::fill(n.two.begin(), n.two.end(), 0.0);
        std::fill(n.rows_two.begin(), n.rows_two.end(), 0.0);
        std::vector<std::size_t> passed;
        for (const auto i : rows) {
            passed.clear();
            for (std::size_t f = 0; f < F; ++f)
                if (tests_.row(f)[i]) passed.push_back(f);
            const double w = weight(i);
            for (const std::size_t f : passed) {
                n.one[f * C + codes_[i]] += w, n.rows_one[f] += 1;
                if (depth == 2)
                    for (const std::size_t g : passed)
                        n.two[(f * F + g) * C + codes_[i]] += w, n.rows_two[f * F + g] += 1;
            }
        }
    }

    void store(std::size_t f, std::size_t g, std::size_t c, double value) {
        if (f == g) counts_.one[f * C + c] = value;
        counts_.two[(f * F + g) * C + c] = counts_.two[(g * F + f) * C + c] = value;
    }
    void store_rows(std::size_t f, std::size_t g, double value) {
        if (f == g) counts_.rows_one[f] = value;
        counts_.rows_two[f * F + g] = counts_.rows_two[g * F + f] = value;
    }

    // ------------------------------------------------------------ the tree itself

    void build(OptimalTree& tree, std::size_t node, const Rows& rows, int depth) {
        const auto at = depth > 2 ? solved_.find({name_of(rows), depth}) : solved_.end();
        if (at != solved_.end()) {
            if (at->second.test < 0) return;
            const std::size_t first = split(tree, node, at->second.test);
            const auto [one, other] = parted(rows, static_cast<std::size_t>(at->second.test));
            build(tree, first, one, depth - 1);
            build(tree, first + 1, other, depth - 1);
            return;
        }
        const Best best = two_levels(rows, std::min(depth, 2));
        if (best.test < 0) return;
        const std::size_t first = split(tree, node, best.test);
        for (std::size_t side = 0; side < 2; ++side)
            if (best.below[side] >= 0) split(tree, first + side, best.below[side]);
    }

    static std::size_t split(OptimalTree& tree, std::size_t node, std::int32_t test) {
        const std::size_t first = tree.nodes.size();
        tree.nodes[node].test = test;
        tree.nodes[node].first_child = static_cast<std::int32_t>(first);
        for (int side = 0; side < 2; ++side) tree.nodes.push_back({-1, -1, static_cast<std::int32_t>(node)});
        return first;
    }

    MatrixView<const std::uint8_t> tests_;
    std::span<const std::uint32_t> codes_;
    std::span<const double> weights_;
    const OptimalOptions options_;
    std::size_t F, C;
    std::vector<Name> names_;
    Counts counts_;
    std::vector<std::uint64_t> bits_;
    std::unordered_map<Key, Solved, Hash> solved_;
    std::uint64_t n_solved_ = 0;
    bool exhausted_ = false;
};

}  // namespace

OptimalTree optimal_tree(MatrixView<const std::uint8_t> tests, std::span<const std::uint32_t> codes,
                         std::size_t n_classes, std::span<const double> weights, const OptimalOptions& options) {
    return Search(tests, codes, n_classes, weights, options).run();
}

}  // namespace lanatus::tree
