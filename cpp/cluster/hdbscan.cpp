#include "cluster/hdbscan.hpp"

#include <algorithm>
#include <limits>

namespace lanatus::cluster {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
double density(double height) { return height > 0 ? 1 / height : infinity; }

// How much lambda rises; from infinity to infinity it does not.
double rise(double from, double to) { return from == to ? 0 : to - from; }

class Condenser {
  public:
    Condenser(MatrixView<const std::int64_t> children, std::span<const double> heights, std::size_t min_size)
        : children_(children), heights_(heights), n_(children.rows + 1), min_size_(min_size), rows_(children.rows) {
        for (std::size_t m = 0; m < rows_.size(); ++m) rows_[m] = size(child(m, 0)) + size(child(m, 1));
    }

    Branches run() {
        out_.branch_of.assign(n_, 0);
        out_.leaves_at.assign(n_, 0);
        add(-1, 0, static_cast<std::int64_t>(n_));
        if (n_ == 1) return std::move(out_);
        // From the top down, breadth first: so branches are numbered.
        struct Part {
            std::int64_t node;
            std::int32_t branch;
        };
        std::vector<Part> queue{{static_cast<std::int64_t>(2 * n_ - 2), 0}};
        for (std::size_t k = 0; k < queue.size(); ++k) {
            const auto [node, branch] = queue[k];
            const std::size_t merge = at(node) - n_;
            const double lambda = density(heights_[merge]);
            const std::int64_t left = child(merge, 0), right = child(merge, 1);
            const bool large_left = size(left) >= min_size(), large_right = size(right) >= min_size();
            if (large_left && large_right) {
                for (const std::int64_t part : {left, right}) {
                    const std::int32_t made = add(branch, lambda, size(part));
                    if (is_row(part)) fall_out(part, made, lambda);
                    else queue.push_back({part, made});
                }
                continue;
            }
            for (const auto& [part, large] : {std::pair{left, large_left}, std::pair{right, large_right}}) {
                if (large && !is_row(part)) queue.push_back({part, branch});
                else fall_out(part, branch, lambda);
            }
        }
        return std::move(out_);
    }

  private:
    MatrixView<const std::int64_t> children_;
    std::span<const double> heights_;
    std::size_t n_, min_size_;
    std::vector<std::int64_t> rows_;
    Branches out_;
    std::vector<std::int64_t> stack_;

    bool is_row(std::int64_t node) const { return at(node) < n_; }
    std::int64_t child(std::size_t merge, std::size_t which) const { return children_.row(merge)[which]; }
    std::int64_t size(std::int64_t node) const { return is_row(node) ? 1 : rows_[at(node) - n_]; }
    std::int64_t min_size() const { return static_cast<std::int64_t>(min_size_); }

    std::int32_t add(std::int32_t parent, double birth, std::int64_t size) {
        out_.parent.push_back(parent), out_.birth.push_back(birth), out_.size.push_back(size);
        return static_cast<std::int32_t>(out_.parent.size() - 1);
    }
    void fall_out(std::int64_t node, std::int32_t branch, double lambda) {
        stack_.assign(1, node);
        while (!stack_.empty()) {
            const std::int64_t part = stack_.back();
            stack_.pop_back();
            if (is_row(part)) out_.branch_of[at(part)] = branch, out_.leaves_at[at(part)] = lambda;
            else stack_.push_back(child(at(part) - n_, 0)), stack_.push_back(child(at(part) - n_, 1));
        }
    }
};

// The nearest branch above b, or b itself, that is not born before 1 / eps: the root at last, or below it if that is barred.
std::int32_t born_by(const Branches& tree, std::int32_t b, const Selection& how) {
    while (true) {
        const std::int32_t up = tree.parent[at(b)];
        if (up <= 0) return up == 0 && how.allow_root ? 0 : b;
        if (tree.birth[at(up)] < 1 / how.eps) return up;
        b = up;
    }
}

// Clusters born above 1 / eps give way to the branch above them that is not.
void widen(const Branches& tree, const Selection& how, std::vector<std::uint8_t>& chosen) {
    std::vector<std::uint8_t> wider(chosen.size());
    for (std::size_t b = 0; b < chosen.size(); ++b) {
        if (!chosen[b]) continue;
        const auto branch = static_cast<std::int32_t>(b);
        const bool late = b > 0 && tree.birth[b] > 1 / how.eps;
        wider[at(late ? born_by(tree, branch, how) : branch)] = 1;
    }
    for (std::size_t b = 1; b < wider.size(); ++b)  // parents stand before children: what lies inside another goes
        for (std::int32_t up = tree.parent[b]; up >= 0 && wider[b]; up = tree.parent[at(up)])
            if (wider[at(up)]) wider[b] = 0;
    chosen = wider;
}

}  // namespace

Branches condense(MatrixView<const std::int64_t> children, std::span<const double> heights, std::size_t min_size) {
    return Condenser(children, heights, min_size).run();
}

std::vector<double> stabilities(const Branches& tree) {
    std::vector<double> stability(tree.parent.size());
    for (std::size_t i = 0; i < tree.branch_of.size(); ++i) {
        const std::size_t b = at(tree.branch_of[i]);
        stability[b] += rise(tree.birth[b], tree.leaves_at[i]);
    }
    for (std::size_t b = 1; b < tree.parent.size(); ++b) {
        const std::size_t up = at(tree.parent[b]);
        stability[up] += rise(tree.birth[up], tree.birth[b]) * static_cast<double>(tree.size[b]);
    }
    return stability;
}

std::vector<std::uint8_t> choose(const Branches& tree, std::span<const double> stability, const Selection& how) {
    const std::size_t n = tree.parent.size();
    std::vector<std::uint8_t> chosen(n), parts(n);
    for (std::size_t b = 1; b < n; ++b) parts[at(tree.parent[b])] = 1;
    if (how.leaves) {
        for (std::size_t b = 0; b < n; ++b) chosen[b] = !parts[b];
    } else {
        std::vector<double> best(stability.begin(), stability.end()), below(n);
        for (std::size_t b = n; b-- > 0;) {  // children stand behind their parents
            const bool too_large = how.max_size > 0 && static_cast<double>(tree.size[b]) > how.max_size;
            const bool barred = b == 0 && !how.allow_root;
            chosen[b] = !barred && !(below[b] > best[b]) && !too_large;
            if (!chosen[b]) best[b] = below[b];
            if (b > 0) below[at(tree.parent[b])] += best[b];
        }
        for (std::size_t b = 1; b < n; ++b) {  // inside a cluster there is none
            bool covered = false;
            for (std::int32_t up = tree.parent[b]; up >= 0 && !covered; up = tree.parent[at(up)])
                covered = chosen[at(up)];
            if (covered) chosen[b] = 0;
        }
    }
    if (how.eps > 0 && n > 1) widen(tree, how, chosen);
    return chosen;
}

// The largest lambda at which a row falls out of each branch itself, or it parts.
static std::vector<double> ends(const Branches& tree) {
    std::vector<double> end(tree.parent.size());
    const auto raise = [&](std::int32_t branch, double lambda) { end[at(branch)] = std::max(end[at(branch)], lambda); };
    for (std::size_t i = 0; i < tree.branch_of.size(); ++i) raise(tree.branch_of[i], tree.leaves_at[i]);
    for (std::size_t b = 1; b < tree.parent.size(); ++b) raise(tree.parent[b], tree.birth[b]);
    return end;
}

void label_rows(const Branches& tree, std::span<const std::uint8_t> chosen, const Selection& how,
                std::span<std::int32_t> labels, std::span<double> probability) {
    const std::size_t n = tree.parent.size();
    std::vector<std::int32_t> cluster(n, -1), number(n, -1);  // the chosen branch that each lies in; its label
    std::int32_t count = 0;
    for (std::size_t b = 0; b < n; ++b) {
        if (chosen[b]) number[b] = count++, cluster[b] = static_cast<std::int32_t>(b);
        else if (b > 0) cluster[b] = cluster[at(tree.parent[b])];
    }
    const std::vector<double> end = ends(tree);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::int32_t own = cluster[at(tree.branch_of[i])];
        const double lambda = tree.leaves_at[i];
        // Of the root only what stays in it to the end.
        const bool noise = own < 0 || (own == 0 && lambda < (how.eps > 0 ? 1 / how.eps : end[0]));
        labels[i] = noise ? -1 : number[at(own)];
        probability[i] = 0;
        if (noise) continue;
        const double most = end[at(own)];
        probability[i] = lambda >= most || most == 0 ? 1 : most == infinity ? 0 : lambda / most;
    }
}

}  // namespace lanatus::cluster
