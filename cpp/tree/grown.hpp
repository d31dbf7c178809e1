// A tree while it grows: nodes in a row, the children of a node side by side and after it.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace lanatus::tree {

enum class Kind : std::int8_t { leaf = 0, threshold = 1, values = 2, subset = 3 };

using Bits = std::vector<std::uint32_t>;

inline bool has_bit(const std::uint32_t* words, std::size_t n_words, std::size_t bit) {
    return bit / 32 < n_words && (words[bit / 32] >> (bit % 32) & 1u);
}
inline void set_bit(Bits& words, std::size_t bit) {
    if (words.size() <= bit / 32) words.resize(bit / 32 + 1);
    words[bit / 32] |= 1u << (bit % 32);
}

// Names the random numbers of a child by those of its parent, so that they do not depend on the order of growth.
inline std::uint64_t key_of(std::uint64_t parent, std::size_t child) {
    const PhiloxBlock block = philox4x32({static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(parent >> 32),
                                          static_cast<std::uint32_t>(child), 0},
                                         {0x7265, 0x6531});
    return std::uint64_t{block[1]} << 32 | block[0];
}

// Whole numbers drawn one after the other, four to a block of random bits.
class Draws {
  public:
    explicit Draws(std::uint64_t key) : key_{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)} {}
    std::size_t below(std::size_t bound) {
        if (used_ == 4) {
            block_ = philox4x32({count_++, 0, 0, 1}, key_);
            used_ = 0;
        }
        return static_cast<std::size_t>((std::uint64_t{block_[used_++]} * bound) >> 32);
    }

  private:
    std::array<std::uint32_t, 2> key_;
    PhiloxBlock block_{};
    std::uint32_t count_ = 0;
    std::size_t used_ = 4;
};

// A test that stands in where the value that the node asks for is missing.
struct Surrogate {
    std::int32_t feature = -1;
    double threshold = std::numeric_limits<double>::quiet_NaN();  // NaN for a nominal column
    std::int32_t below = 0;                                       // child of values up to the threshold
    Bits subset, known;  // nominal: values for child 0; values that it has seen
    double agreement = 0;
};

// A few numbers, without a heap for up to four of them.
class Few {
  public:
    Few() = default;
    explicit Few(std::size_t n) { assign(n); }
    void assign(std::size_t n) {
        size_ = n;
        if (n > near_.size()) far_.assign(n, 0.0);
        else near_.fill(0.0);
    }
    void assign(const double* from, std::size_t n) {
        assign(n);
        std::copy_n(from, n, data());
    }
    double* data() { return size_ > near_.size() ? far_.data() : near_.data(); }
    const double* data() const { return size_ > near_.size() ? far_.data() : near_.data(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    double& operator[](std::size_t i) { return data()[i]; }
    double operator[](std::size_t i) const { return data()[i]; }
    const double* begin() const { return data(); }
    const double* end() const { return data() + size_; }

  private:
    std::size_t size_ = 0;
    std::array<double, 4> near_{};
    std::vector<double> far_;
};

// What few tests have: the values of a subset, the shares of many children, stand-ins.
struct Extra {
    Bits subset;
    std::vector<double> shares;
    std::vector<Surrogate> surrogates;
};

struct Split {
    std::int32_t feature = -1;
    Kind kind = Kind::leaf;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    std::uint32_t rank = 0;  // the same threshold as the finder counts values
    std::int32_t n_children = 2;
    std::int32_t missing = -1;  // child of missing values, -1: all, by share
    double gain = 0;            // what the criterion says, per unit of the node's weight
    double first_share = 0.5;   // of the known weight, of the first of two children
    Few first_said;             // what the first child says, where the finder knows it already
    std::unique_ptr<Extra> extra;

    Extra& more() {
        if (!extra) extra = std::make_unique<Extra>();
        return *extra;
    }
    double share(std::size_t child) const {
        return extra && !extra->shares.empty() ? extra->shares[child] : child == 0 ? first_share : 1 - first_share;
    }
    bool has(std::size_t value) const { return has_bit(extra->subset.data(), extra->subset.size(), value); }
};

struct Node {
    std::int32_t feature = -1;
    Kind kind = Kind::leaf;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    std::int32_t first_child = -1, n_children = 0, parent = -1, missing = -1;
    double share = 1, weight = 0, impurity = 0, gain = 0;
    std::int64_t n_rows = 0;
    std::unique_ptr<Extra> extra;
};

struct Grown {
    std::size_t width = 1;  // numbers that a node says
    std::vector<Node> nodes;
    std::vector<double> value;

    std::size_t add(Node&& node, const double* said) {
        nodes.push_back(std::move(node));
        value.insert(value.end(), said, said + width);
        return nodes.size() - 1;
    }
    // Node `at` becomes a test whose children begin at `first`.
    void split(std::size_t at, Split&& split, std::size_t first) {
        Node& node = nodes[at];
        node.feature = split.feature;
        node.kind = split.kind;
        node.threshold = split.threshold;
        node.n_children = split.n_children;
        node.first_child = static_cast<std::int32_t>(first);
        node.missing = split.missing;
        node.gain = split.gain;
        node.extra = std::move(split.extra);
    }
};

// The same tree with nodes numbered as a walk from the root meets them, whatever order they grew in. `parts[i]` hangs at
// node `at[i]` of the top, which it replaces.
Grown numbered(Grown top, std::vector<std::size_t> at, std::vector<Grown> parts);

}  // namespace lanatus::tree
