// Topics of documents: collapsed Gibbs sampling, and the two halves of a variational step.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"

namespace lanatus::graphical {

// psi(x) for x > 0: shifted upwards until the asymptotic series is exact to rounding.
inline double digamma(double x) {
    double shift = 0;
    for (; x < 10; x += 1) shift -= 1 / x;
    const double inv = 1 / (x * x);
    const double tail =
        inv * (1.0 / 12 -
               inv * (1.0 / 120 - inv * (1.0 / 252 - inv * (1.0 / 240 - inv * (1.0 / 132 - inv * 691.0 / 32760)))));
    return shift + std::log(x) - 0.5 / x - tail;
}

// Objective: gamma_dk, parameters of q(theta_d), which maximise the bound given exp(E ln beta); each document by itself.
// Given: counts (documents, words), word_weight (words, topics), alpha (topics,), gamma to begin with.
// Result: gamma, and weight_dk = exp(E ln theta_dk). Cost: entries times topics a round, until the mean change of gamma is
// below tol; threads over documents.
inline void document_topics(CsrView<double> counts, MatrixView<const double> word_weight, std::span<const double> alpha,
                            int max_iter, double tol, MatrixView<double> gamma, MatrixView<double> weight,
                            int n_threads) {
    const std::size_t k = alpha.size();
    parallel_chunks(Chunks::of(counts.rows, 8, 256, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> next(k);
        for (std::size_t d = begin; d < end; ++d) {
            const auto row = counts.row(d);
            double *own = gamma.row(d), *theta = weight.row(d);
            const auto exponentiate = [&] {
                double total = 0;
                for (std::size_t t = 0; t < k; ++t) total += own[t];
                const double norm = digamma(total);
                for (std::size_t t = 0; t < k; ++t) theta[t] = std::exp(digamma(own[t]) - norm);
            };
            exponentiate();
            for (int iter = 0; iter < max_iter; ++iter) {
                std::fill(next.begin(), next.end(), 0.0);
                for (std::size_t e = 0; e < row.values.size(); ++e) {
                    const double* word = word_weight.row(static_cast<std::size_t>(row.columns[e]));
                    double norm = 1e-100;
                    for (std::size_t t = 0; t < k; ++t) norm += theta[t] * word[t];
                    const double share = row.values[e] / norm;
                    for (std::size_t t = 0; t < k; ++t) next[t] += share * word[t];
                }
                double change = 0;
                for (std::size_t t = 0; t < k; ++t) {
                    const double value = alpha[t] + theta[t] * next[t];
                    change += std::abs(value - own[t]);
                    own[t] = value;
                }
                exponentiate();
                if (change < tol * static_cast<double>(k)) break;
            }
        }
    });
}

// Objective: the expected counts of each word in each topic, sum_d n_dw phi_dwk, given the weights of documents and words.
// Given: counts by columns (its view: words, documents). Result: (words, topics). Cost: entries times topics; threads over
// words, each of which adds up its documents in order.
inline void topic_words(CsrView<double> by_word, MatrixView<const double> document_weight,
                        MatrixView<const double> word_weight, MatrixView<double> out, int n_threads) {
    const std::size_t k = word_weight.cols;
    parallel_chunks(Chunks::of(by_word.rows, 64, 256, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t w = begin; w < end; ++w) {
            const auto column = by_word.row(w);
            double* sum = out.row(w);
            const double* word = word_weight.row(w);
            std::fill(sum, sum + k, 0.0);
            for (std::size_t e = 0; e < column.values.size(); ++e) {
                const double* theta = document_weight.row(static_cast<std::size_t>(column.columns[e]));
                double norm = 1e-100;
                for (std::size_t t = 0; t < k; ++t) norm += theta[t] * word[t];
                const double share = column.values[e] / norm;
                for (std::size_t t = 0; t < k; ++t) sum[t] += share * theta[t];
            }
            for (std::size_t t = 0; t < k; ++t) sum[t] *= word[t];
        }
    });
}

// Tokens of documents one behind the other, with the topic of each and the counts that follow from them.
struct Tokens {
    std::span<const std::int32_t> word;
    std::span<const std::int64_t> start;  // (documents + 1,)
    std::span<std::int32_t> topic;
    MatrixView<std::int32_t> of_document;  // (documents, topics)
    MatrixView<std::int32_t> of_word;      // (words, topics)
    std::span<std::int64_t> of_topic;      // (topics,)
};

// One block of documents, which sees the counts of the others as they were when the sweep began.
class GibbsBlock {
  public:
    GibbsBlock(const Tokens& tokens, std::span<const double> alpha, double eta)
        : tokens_(tokens), alpha_(alpha.begin(), alpha.end()), eta_(static_cast<float>(eta)),
          of_word_(tokens.of_word.data, tokens.of_word.data + tokens.of_word.size()),
          of_topic_(tokens.of_topic.begin(), tokens.of_topic.end()), scale_(alpha.size()), below_(alpha.size()) {
        const double vocabulary = eta * static_cast<double>(tokens.of_word.rows);
        base_ = vocabulary;
        for (std::size_t t = 0; t < scale_.size(); ++t) rescale(t);
    }

    void sweep(std::size_t begin, std::size_t end, const Philox& draw) {
        for (std::size_t d = begin; d < end; ++d)
            for (auto i = static_cast<std::size_t>(tokens_.start[d]);
                 i < static_cast<std::size_t>(tokens_.start[d + 1]); ++i)
                redraw(d, i, draw.uniform(i));
    }
    const std::vector<std::int32_t>& of_word() const noexcept { return of_word_; }

  private:
    Tokens tokens_;
    std::vector<float> alpha_;
    float eta_;
    double base_ = 0;
    std::vector<std::int32_t> of_word_;
    std::vector<std::int64_t> of_topic_;
    std::vector<float> scale_, below_;

    void rescale(std::size_t t) { scale_[t] = static_cast<float>(1.0 / (static_cast<double>(of_topic_[t]) + base_)); }

    void redraw(std::size_t d, std::size_t i, double uniform) {
        const std::size_t k = scale_.size();
        std::int32_t* document = tokens_.of_document.row(d);
        std::int32_t* word = of_word_.data() + static_cast<std::size_t>(tokens_.word[i]) * k;
        const auto old = static_cast<std::size_t>(tokens_.topic[i]);
        --document[old], --word[old], --of_topic_[old];
        rescale(old);
        for (std::size_t t = 0; t < k; ++t)
            below_[t] =
                (static_cast<float>(document[t]) + alpha_[t]) * (static_cast<float>(word[t]) + eta_) * scale_[t];
        float total = 0;
        for (std::size_t t = 0; t < k; ++t) below_[t] = total += below_[t];
        const float at = static_cast<float>(uniform) * total;
        std::size_t chosen = 0;
        while (chosen + 1 < k && below_[chosen] <= at) ++chosen;
        ++document[chosen], ++word[chosen], ++of_topic_[chosen];
        rescale(chosen);
        tokens_.topic[i] = static_cast<std::int32_t>(chosen);
    }
};

// How many blocks a sweep is cut into: no more than copies of the counts are cheap beside the tokens.
inline std::size_t gibbs_blocks(std::size_t tokens, std::size_t cells) {
    return std::clamp<std::size_t>(tokens / (cells + 1) / 2, 1, 8);
}

// Objective: one sweep of collapsed Gibbs sampling, P(z_i = k | rest) ~ (n_dk + alpha_k) (n_wk + eta) / (n_k + V eta).
// Documents are cut into blocks by the sizes alone; a block sees its own changes at once, and those of the others after the
// sweep (Newman et al., 2009), so that the number of threads does not matter. Cost: topics a token.
inline void gibbs_sweep(const Tokens& tokens, std::span<const double> alpha, double eta, std::uint64_t seed,
                        std::uint64_t sweep, int n_threads) {
    const std::size_t documents = tokens.start.size() - 1, cells = tokens.of_word.size();
    const std::size_t blocks = gibbs_blocks(tokens.word.size(), cells);
    const Philox draw(seed, sweep);
    std::vector<std::size_t> edge(blocks + 1, documents);
    for (std::size_t b = 0, d = 0; b < blocks; ++b) {
        const auto wanted = static_cast<std::int64_t>(tokens.word.size() * b / blocks);
        while (d < documents && tokens.start[d] < wanted) ++d;
        edge[b] = d;
    }
    std::vector<std::vector<std::int32_t>> counts(blocks);
    parallel_for(blocks, n_threads, [&](std::size_t b) {
        GibbsBlock block(tokens, alpha, eta);
        block.sweep(edge[b], edge[b + 1], draw);
        counts[b] = block.of_word();
    });
    const std::size_t k = tokens.of_topic.size();
    parallel_chunks(Chunks::of(tokens.of_word.rows, 256, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin * k; c < end * k; ++c) {
            std::int32_t now = tokens.of_word.data[c];
            for (const auto& own : counts) now += own[c] - tokens.of_word.data[c];
            tokens.of_word.data[c] = now;
        }
    });
    std::fill(tokens.of_topic.begin(), tokens.of_topic.end(), 0);
    for (std::size_t c = 0; c < cells; ++c) tokens.of_topic[c % k] += tokens.of_word.data[c];
}

}  // namespace lanatus::graphical
