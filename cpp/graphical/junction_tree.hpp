// Beliefs on a junction tree: all marginals, the most probable states and expected counts, for many rows of evidence.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::graphical {

// A forest of cliques, parents before their children, with tables one behind the other. Positions: `up` says of each
// entry of a clique which entry of the separator to its parent it belongs to, `down` the same of each entry of the parent.
// A variable is looked up in one clique that holds it, its home: its state there is entry / stride mod its cardinality.
struct JunctionTree {
    std::span<const std::int64_t> start;         // (cliques + 1,), where tables begin
    std::span<const double> potentials;          // (start[cliques],)
    std::span<const std::int32_t> parent;        // (cliques,), -1 of a root
    std::span<const std::int32_t> separator;     // (cliques,), entries of the separator to the parent; 1 of a root
    std::span<const std::int32_t> up;            // (start[cliques],)
    std::span<const std::int64_t> down_start;    // (cliques + 1,)
    std::span<const std::int32_t> down;          // (down_start[cliques],)
    std::span<const std::int64_t> state_start;   // (variables + 1,), where the states of each variable begin
    std::span<const std::int32_t> home, stride;  // (variables,)

    std::size_t n_cliques() const noexcept { return parent.size(); }
    std::size_t n_variables() const noexcept { return home.size(); }
    std::size_t size(std::size_t c) const noexcept { return static_cast<std::size_t>(start[c + 1] - start[c]); }
    std::size_t cardinality(std::size_t v) const noexcept {
        return static_cast<std::size_t>(state_start[v + 1] - state_start[v]);
    }
};

// Where families (or any sets of variables that share a clique) are counted: `place` says of each entry of the home
// clique to which entry of the family's table it belongs.
struct Families {
    std::span<const std::int32_t> home;         // (families,)
    std::span<const std::int64_t> place_start;  // (families + 1,)
    std::span<const std::int32_t> place;        // (place_start[families],), each as long as the home clique
    std::span<const std::int64_t> table_start;  // (families + 1,), where their tables begin
};

// The memory of one thread.
class Beliefs {
  public:
    explicit Beliefs(const JunctionTree& tree) : tree_(tree), belief_(tree.potentials.size()) {
        std::size_t total = 0, widest = 1;
        offset_.reserve(tree.n_cliques());
        for (std::size_t c = 0; c < tree.n_cliques(); ++c) {
            offset_.push_back(total);
            total += static_cast<std::size_t>(tree.separator[c]);
            widest = std::max(widest, static_cast<std::size_t>(tree.separator[c]));
        }
        message_.resize(total);
        fresh_.resize(widest);
    }

    // The tables with the evidence put in: a code below 0 says nothing of its variable.
    void enter(std::span<const std::int32_t> evidence) {
        std::copy(tree_.potentials.begin(), tree_.potentials.end(), belief_.begin());
        for (std::size_t v = 0; v < evidence.size(); ++v)
            if (evidence[v] >= 0) keep_state(v, static_cast<std::size_t>(evidence[v]));
    }

    // Messages from the leaves to the roots; the logarithm of what all tables sum to, -infinity if that is 0.
    double collect() {
        double log_sum = 0;
        for (std::size_t c = tree_.n_cliques(); c-- > 0;) {
            const auto own = table(c);
            const auto message = out_of(c);
            std::fill(message.begin(), message.end(), 0.0);
            const std::int32_t* up = tree_.up.data() + tree_.start[c];
            for (std::size_t e = 0; e < own.size(); ++e) message[static_cast<std::size_t>(up[e])] += own[e];
            const double sum = scaled(message);
            if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
            log_sum += std::log(sum);
            if (tree_.parent[c] >= 0) multiply_parent(c, message);
        }
        return log_sum;
    }

    // Messages back from the roots; afterwards each table is proportional to the joint distribution of its variables.
    void distribute() {
        for (std::size_t c = 0; c < tree_.n_cliques(); ++c) {
            if (tree_.parent[c] < 0) continue;
            const auto above = table(static_cast<std::size_t>(tree_.parent[c]));
            const auto sent = out_of(c);
            const std::span<double> message{fresh_.data(), sent.size()};
            std::fill(message.begin(), message.end(), 0.0);
            const std::int32_t* down = tree_.down.data() + tree_.down_start[c];
            for (std::size_t e = 0; e < above.size(); ++e) message[static_cast<std::size_t>(down[e])] += above[e];
            for (std::size_t s = 0; s < sent.size(); ++s) message[s] = sent[s] > 0 ? message[s] / sent[s] : 0.0;
            scaled(message);
            const auto own = table(c);
            const std::int32_t* up = tree_.up.data() + tree_.start[c];
            for (std::size_t e = 0; e < own.size(); ++e) own[e] *= message[static_cast<std::size_t>(up[e])];
        }
    }

    // P(state | evidence) of each variable, one behind the other.
    void marginals(std::span<double> out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t v = 0; v < tree_.n_variables(); ++v) {
            const auto own = table(static_cast<std::size_t>(tree_.home[v]));
            const std::size_t k = tree_.cardinality(v), stride = static_cast<std::size_t>(tree_.stride[v]);
            const auto mine = out.subspan(static_cast<std::size_t>(tree_.state_start[v]), k);
            for (std::size_t e = 0, state = 0; e < own.size(); state = state + 1 == k ? 0 : state + 1)
                for (std::size_t s = 0; s < stride; ++s, ++e) mine[state] += own[e];
            scaled(mine);
        }
    }

    // Adds weight * P(entry of the family | evidence) to the tables of all families.
    void count(const Families& families, double weight, std::span<double> out) {
        for (std::size_t f = 0; f < families.home.size(); ++f) {
            const auto own = table(static_cast<std::size_t>(families.home[f]));
            double sum = 0;
            for (const double value : own) sum += value;
            const std::int32_t* place = families.place.data() + families.place_start[f];
            double* mine = out.data() + families.table_start[f];
            for (std::size_t e = 0; e < own.size(); ++e) mine[place[e]] += own[e] * (weight / sum);
        }
    }

    // The most probable states of all variables with the evidence that was entered, the first entry where several are
    // equal, and the logarithm of their product; -infinity, and no states, if everything is impossible.
    double most_probable(std::span<std::int32_t> states) {
        double log_scale = 0;
        for (std::size_t c = tree_.n_cliques(); c-- > 0;) {
            const auto own = table(c);
            const auto message = out_of(c);
            std::fill(message.begin(), message.end(), 0.0);
            const std::int32_t* up = tree_.up.data() + tree_.start[c];
            for (std::size_t e = 0; e < own.size(); ++e) {
                double& best = message[static_cast<std::size_t>(up[e])];
                best = std::max(best, own[e]);
            }
            const double top = *std::max_element(message.begin(), message.end());
            if (!(top > 0)) return -std::numeric_limits<double>::infinity();
            log_scale += std::log(top);
            for (double& value : message) value /= top;
            if (tree_.parent[c] >= 0) multiply_parent(c, message);
        }
        trace_back(states);
        return log_scale;
    }

  private:
    const JunctionTree& tree_;
    std::vector<double> belief_, message_, fresh_;
    std::vector<std::size_t> offset_;

    std::span<double> table(std::size_t c) { return {belief_.data() + tree_.start[c], tree_.size(c)}; }
    std::span<const double> table(std::size_t c) const { return {belief_.data() + tree_.start[c], tree_.size(c)}; }
    std::span<double> out_of(std::size_t c) {
        return {message_.data() + offset_[c], static_cast<std::size_t>(tree_.separator[c])};
    }

    static double scaled(std::span<double> values) {
        double sum = 0;
        for (const double value : values) sum += value;
        if (sum > 0)
            for (double& value : values) value /= sum;
        return sum;
    }

    void keep_state(std::size_t v, std::size_t kept) {
        const auto own = table(static_cast<std::size_t>(tree_.home[v]));
        const std::size_t k = tree_.cardinality(v), stride = static_cast<std::size_t>(tree_.stride[v]);
        for (std::size_t e = 0, state = 0; e < own.size(); e += stride, state = state + 1 == k ? 0 : state + 1)
            if (state != kept) std::fill_n(own.begin() + static_cast<std::ptrdiff_t>(e), stride, 0.0);
    }

    void multiply_parent(std::size_t c, std::span<const double> message) {
        const auto above = table(static_cast<std::size_t>(tree_.parent[c]));
        const std::int32_t* down = tree_.down.data() + tree_.down_start[c];
        for (std::size_t e = 0; e < above.size(); ++e) above[e] *= message[static_cast<std::size_t>(down[e])];
    }

    void trace_back(std::span<std::int32_t> states) const {
        std::vector<std::size_t> chosen(tree_.n_cliques());
        for (std::size_t c = 0; c < tree_.n_cliques(); ++c) {
            const auto own = table(c);
            const std::int32_t* up = tree_.up.data() + tree_.start[c];
            const bool root = tree_.parent[c] < 0;
            const std::int32_t wanted = root ? 0
                                             : tree_.down[static_cast<std::size_t>(tree_.down_start[c]) +
                                                          chosen[static_cast<std::size_t>(tree_.parent[c])]];
            std::size_t best = own.size();
            for (std::size_t e = 0; e < own.size(); ++e)
                if ((root || up[e] == wanted) && (best == own.size() || own[e] > own[best])) best = e;
            chosen[c] = best;
        }
        for (std::size_t v = 0; v < states.size(); ++v) {
            const std::size_t entry = chosen[static_cast<std::size_t>(tree_.home[v])];
            states[v] =
                static_cast<std::int32_t>(entry / static_cast<std::size_t>(tree_.stride[v]) % tree_.cardinality(v));
        }
    }
};

// Rows of evidence, each with the memory of a chunk of rows; chunks depend on the number of rows only.
inline Chunks chunks_of_rows(std::size_t n) { return Chunks::of(n, 8, 64, 1); }

// Objective: P(v | e) for all variables v and P(e), for each row e of `evidence` (rows, variables).
// Result: marginals (rows, states of all variables), log_evidence (rows,); where P(e) = 0, that is -infinity and the
// marginals of the row are 0. Cost: two passes over all tables a row.
inline void all_marginals(const JunctionTree& tree, MatrixView<const std::int32_t> evidence,
                          MatrixView<double> marginals, std::span<double> log_evidence, int n_threads) {
    parallel_chunks(chunks_of_rows(evidence.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        Beliefs beliefs(tree);
        for (std::size_t i = begin; i < end; ++i) {
            beliefs.enter({evidence.row(i), evidence.cols});
            log_evidence[i] = beliefs.collect();
            const std::span<double> out{marginals.row(i), marginals.cols};
            if (std::isinf(log_evidence[i])) {
                std::fill(out.begin(), out.end(), 0.0);
                continue;
            }
            beliefs.distribute();
            beliefs.marginals(out);
        }
    });
}

// Objective: ln P(e) alone, one pass over all tables a row.
inline void log_evidence_of(const JunctionTree& tree, MatrixView<const std::int32_t> evidence, std::span<double> out,
                            int n_threads) {
    parallel_chunks(chunks_of_rows(evidence.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        Beliefs beliefs(tree);
        for (std::size_t i = begin; i < end; ++i) {
            beliefs.enter({evidence.row(i), evidence.cols});
            out[i] = beliefs.collect();
        }
    });
}

// Objective: argmax_x P(x, e) for each row e. Result: states (rows, variables), log_product (rows,).
// Ties: the first entry of a clique, from the roots down. States of a row that is impossible are -1.
inline void most_probable_states(const JunctionTree& tree, MatrixView<const std::int32_t> evidence,
                                 MatrixView<std::int32_t> states, std::span<double> log_product, int n_threads) {
    parallel_chunks(chunks_of_rows(evidence.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        Beliefs beliefs(tree);
        for (std::size_t i = begin; i < end; ++i) {
            beliefs.enter({evidence.row(i), evidence.cols});
            const std::span<std::int32_t> out{states.row(i), states.cols};
            std::fill(out.begin(), out.end(), -1);
            log_product[i] = beliefs.most_probable(out);
        }
    });
}

// Objective: sum over rows of w_i P(family | row i), the E step of a network with missing values.
// Result: counts (entries of all families), the log-likelihood sum_i w_i ln P(row i); -infinity if a row with a weight is
// impossible. Sums of chunks are added in order.
inline double expected_counts(const JunctionTree& tree, const Families& families, MatrixView<const std::int32_t> rows,
                              std::span<const double> weights, std::span<double> counts, int n_threads) {
    struct Part {
        std::vector<double> counts;
        double log_likelihood = 0;
    };
    const auto parts =
        parallel_parts<Part>(Chunks::of(rows.rows, 8, 16, 1), n_threads, [&](std::size_t begin, std::size_t end) {
            Part part{std::vector<double>(counts.size()), 0};
            Beliefs beliefs(tree);
            for (std::size_t i = begin; i < end; ++i) {
                const double weight = weights.empty() ? 1.0 : weights[i];
                if (weight == 0) continue;
                beliefs.enter({rows.row(i), rows.cols});
                const double log_row = beliefs.collect();
                part.log_likelihood += weight * log_row;
                if (std::isinf(log_row)) return part;
                beliefs.distribute();
                beliefs.count(families, weight, part.counts);
            }
            return part;
        });
    double log_likelihood = 0;
    std::fill(counts.begin(), counts.end(), 0.0);
    for (const Part& part : parts) {
        log_likelihood += part.log_likelihood;
        for (std::size_t e = 0; e < counts.size(); ++e) counts[e] += part.counts[e];
    }
    return log_likelihood;
}

}  // namespace lanatus::graphical
