#include "core/ndarray.hpp"
#include "evaluation/ranking.hpp"

namespace lanatus::evaluation {
using namespace nb::literals;

namespace {

template <class T>
Ranking<T> ranking(const In1<T>& score, const In1<std::uint8_t>& positive, int n_threads, bool wide) {
    require_threads(n_threads);
    require(score.shape(0) >= 1, "there must be at least one row");
    require(positive.shape(0) == score.shape(0), "positive and score differ in number of rows");
    require(wide || score.shape(0) <= std::numeric_limits<std::uint32_t>::max(), "so many rows need wide indices");
    return {span(score), span(positive), {}};
}

template <class T>
auto py_pairs_won(In1<T> score, In1<std::uint8_t> positive, int n_threads, bool wide) {
    const Ranking<T> rows = ranking(score, positive, n_threads, wide);
    require(score.shape(0) < std::size_t{6'000'000'000}, "the pairs of so many rows cannot be counted in 64 bits");
    Tally<std::uint64_t> t;
    {
        nb::gil_scoped_release nogil;
        t = wide ? pairs_won<std::uint64_t, std::uint64_t>(rows, n_threads)
                 : pairs_won<std::uint32_t, std::uint64_t>(rows, n_threads);
    }
    return std::tuple(t.won, t.pos, t.neg);
}

template <class T>
auto py_weighted_pairs_won(In1<T> score, In1<std::uint8_t> positive, In1<double> w, int n_threads, bool wide) {
    Ranking<T> rows = ranking(score, positive, n_threads, wide);
    require(w.shape(0) == score.shape(0), "w and score differ in number of rows");
    rows.weight = span(w);
    Tally<double> t;
    {
        nb::gil_scoped_release nogil;
        t = wide ? pairs_won<std::uint64_t, double>(rows, n_threads)
                 : pairs_won<std::uint32_t, double>(rows, n_threads);
    }
    return std::tuple(t.won, t.pos, t.neg);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("pairs_won", &py_pairs_won<T>, "score"_a.noconvert(), "positive"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "wide"_a = false,
          "-> (won, positives, negatives), integers: 2 for each pair whose positive scores higher, 1 for each tie.\n"
          "Scores must not be NaN. wide=True: 64-bit indices, needed from 2**32 rows on.");
    m.def("weighted_pairs_won", &py_weighted_pairs_won<T>, "score"_a.noconvert(), "positive"_a.noconvert(),
          "w"_a.noconvert(), nb::kw_only(), "n_threads"_a, "wide"_a = false,
          "-> (won, positive mass, negative mass), floats: a pair counts the product of its weights.");
}

}  // namespace

void bind(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::evaluation
