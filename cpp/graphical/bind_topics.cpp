#include <cmath>

#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "graphical/topics.hpp"

namespace lanatus::graphical {
using namespace nb::literals;

namespace {

void require_weights_of(std::span<const double> values, const char* message) {
    for (const double value : values) require(value >= 0 && std::isfinite(value), message);
}

auto py_document_topics(const Csr<double>& counts, const In2<double>& word_weight, const In1<double>& alpha,
                        const In2<double>& gamma, int max_iter, double tol, int n_threads) {
    require_threads(n_threads);
    const auto X = counts.view();
    const std::size_t k = alpha.shape(0);
    require(k > 0 && word_weight.shape(0) == X.cols && word_weight.shape(1) == k,
            "word_weight must be (words, topics)");
    require(gamma.shape(0) == X.rows && gamma.shape(1) == k, "gamma must be (documents, topics)");
    require_weights_of({word_weight.data(), word_weight.size()},
                       "word_weight holds a negative number, NaN or infinity");
    for (const double value : span(alpha))
        require(value > 0 && std::isfinite(value), "alpha must be above 0 and finite");
    for (std::size_t i = 0; i < gamma.size(); ++i)
        require(gamma.data()[i] > 0 && std::isfinite(gamma.data()[i]), "gamma must be above 0");
    auto own = new_array<double>(X.rows, k), weight = new_array<double>(X.rows, k);
    std::copy(gamma.data(), gamma.data() + gamma.size(), own.data());
    {
        nb::gil_scoped_release nogil;
        document_topics(X, view(word_weight), span(alpha), max_iter, tol, view(own), view(weight), n_threads);
    }
    return std::tuple(own, weight);
}

auto py_topic_words(const Csc<double>& counts, const In2<double>& document_weight, const In2<double>& word_weight,
                    int n_threads) {
    require_threads(n_threads);
    const auto by_word = counts.view();
    require(document_weight.shape(0) == by_word.cols && word_weight.shape(0) == by_word.rows &&
                document_weight.shape(1) == word_weight.shape(1),
            "weights must be (documents, topics) and (words, topics)");
    auto out = new_array<double>(by_word.rows, word_weight.shape(1));
    {
        nb::gil_scoped_release nogil;
        topic_words(by_word, view(document_weight), view(word_weight), view(out), n_threads);
    }
    return out;
}

void py_gibbs_sweep(const In1<std::int32_t>& word, const In1<std::int64_t>& start, InOut1<std::int32_t> topic,
                    InOut2<std::int32_t> of_document, InOut2<std::int32_t> of_word, InOut1<std::int64_t> of_topic,
                    const In1<double>& alpha, double eta, std::uint64_t seed, std::uint64_t sweep, int n_threads) {
    require_threads(n_threads);
    const Tokens tokens{span(word), span(start), span(topic), view(of_document), view(of_word), span(of_topic)};
    const std::size_t k = tokens.of_topic.size(), n = tokens.word.size();
    require(k > 0 && alpha.shape(0) == k && tokens.of_document.cols == k && tokens.of_word.cols == k,
            "counts must have a column a topic");
    require(tokens.topic.size() == n && tokens.start.size() == tokens.of_document.rows + 1 &&
                tokens.start.front() == 0 && tokens.start.back() == static_cast<std::int64_t>(n),
            "start does not cut the words into documents");
    require(eta > 0 && std::isfinite(eta), "eta must be above 0 and finite");
    for (const double value : span(alpha))
        require(value > 0 && std::isfinite(value), "alpha must be above 0 and finite");
    for (std::size_t d = 0; d + 1 < tokens.start.size(); ++d)
        require(tokens.start[d] <= tokens.start[d + 1], "start goes back");
    for (std::size_t i = 0; i < n; ++i) {
        require(tokens.word[i] >= 0 && static_cast<std::size_t>(tokens.word[i]) < tokens.of_word.rows,
                "a token is no word");
        require(tokens.topic[i] >= 0 && static_cast<std::size_t>(tokens.topic[i]) < k, "a token has no topic");
    }
    nb::gil_scoped_release nogil;
    gibbs_sweep(tokens, span(alpha), eta, seed, sweep, n_threads);
}

}  // namespace

void bind_topics(nb::module_& m) {
    m.def("document_topics", &py_document_topics, "counts"_a, "word_weight"_a.noconvert(), "alpha"_a.noconvert(),
          "gamma"_a.noconvert(), nb::kw_only(), "max_iter"_a, "tol"_a, "n_threads"_a,
          "-> (gamma, exp(E ln theta)), (documents, topics) each");
    m.def("topic_words", &py_topic_words, "counts"_a, "document_weight"_a.noconvert(), "word_weight"_a.noconvert(),
          nb::kw_only(), "n_threads"_a, "-> expected counts (words, topics)");
    m.def("gibbs_sweep", &py_gibbs_sweep, "word"_a.noconvert(), "start"_a.noconvert(), "topic"_a.noconvert(),
          "of_document"_a.noconvert(), "of_word"_a.noconvert(), "of_topic"_a.noconvert(), "alpha"_a.noconvert(),
          nb::kw_only(), "eta"_a, "seed"_a, "sweep"_a, "n_threads"_a,
          "Draws the topic of every token once; counts change in place.");
}

}  // namespace lanatus::graphical
