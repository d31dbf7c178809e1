// Split criteria as purities: phi(node) is a number, homogeneous in the weights, such that a split gains
//   (sum over children of phi(child) - phi(node)) / weight(node).
// gini   sum_k c_k^2 / W           impurity 1 - phi / W
// entropy  sum_k c_k log2 c_k - W log2 W     impurity -phi / W
// error  max_k c_k                 impurity 1 - phi / W
// mean   sum_o S_o^2 / W           impurity (Q - phi) / W, Q the sum of squares
// poisson  sum_o S_o log(S_o / W)  impurity (sum y log y - phi) / W, half the mean deviance; no S_o may be 0
// with c_k the weight of class k and S_o the weighted sum of target o. Several outputs are averaged.
//
// A state is a flat row of numbers that add up: the class weights, or W, S_1, ..., S_o, Q. A Run follows the state of a set
// to which rows come one by one, in constant time a row where the criterion allows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace lanatus::tree {

inline double xlog2x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// ---------------------------------------------------------------- one column of classes

struct GiniTerm {
    double operator()(double c) const { return c * c; }
    static double phi(double sum, double W) { return W > 0 ? sum / W : 0.0; }
    static double impurity(double phi, double W) { return W > 0 ? std::max(0.0, 1 - phi / W) : 0.0; }
};

// x log2 x from a table where weights are whole numbers, for the logarithm is dear.
struct EntropyTerm {
    const double* table = nullptr;
    std::size_t size = 0;
    double operator()(double c) const {
        if (table != nullptr) {
            const auto i = static_cast<std::size_t>(c);
            if (i < size && static_cast<double>(i) == c) return table[i];
        }
        return xlog2x(c);
    }
    double phi(double sum, double W) const { return sum - (*this)(W); }
    static double impurity(double phi, double W) { return W > 0 ? std::max(0.0, -phi / W) : 0.0; }
};

template <class Term>
class ClassPurity {
  public:
    using Label = std::uint32_t;
    ClassPurity(std::size_t n_classes, Term term) : width(n_classes), term_(term) {}

    struct Run {
        std::vector<double> c;
        double W = 0, sum = 0;
    };
    Run run() const { return {std::vector<double>(width), 0, 0}; }
    Run run(const double* state) const {
        Run r{std::vector<double>(state, state + width), 0, 0};
        for (double x : r.c) r.W += x, r.sum += term_(x);
        return r;
    }
    void add(Run& r, const Label* y, double w) const {
        double& c = r.c[*y];
        r.sum -= term_(c);
        r.sum += term_(c += w);
        r.W += w;
    }
    void remove(Run& r, const Label* y, double w) const { add(r, y, -w); }
    double phi(const Run& r) const { return term_.phi(r.sum, r.W); }
    double phi_of_two(double a, double b, double W) const { return term_.phi(term_(a) + term_(b), W); }
    static const double* state_of(const Run& r) { return r.c.data(); }
    static double weight(const Run& r) { return r.W; }

    void tally(double* state, const Label* y, double w) const { state[*y] += w; }
    double weight(const double* state) const {
        double W = 0;
        for (std::size_t k = 0; k < width; ++k) W += state[k];
        return W;
    }
    double phi(const double* state) const {
        double W = 0, sum = 0;
        for (std::size_t k = 0; k < width; ++k) W += state[k], sum += term_(state[k]);
        return term_.phi(sum, W);
    }
    double impurity(const double* state) const { return term_.impurity(phi(state), weight(state)); }
    // By which the values of a nominal column are put in order for a cut in two: the share of class `view`.
    std::size_t views() const { return width <= 2 ? 1 : width; }
    double key(const double* state, std::size_t view) const {
        const double W = weight(state);
        return W > 0 ? state[width <= 2 ? width - 1 : view] / W : 0.0;
    }
    double mean(const double* state) const { return key(state, 0); }  // for order constraints, of two classes

    std::size_t width;

  private:
    Term term_;
};

// ---------------------------------------------------------------- any criterion of class weights, several outputs

// value(states of the children, number of children) -> score, larger is better; for a criterion of the user's.
using Judge = std::function<double(const double*, std::size_t)>;

enum class ClassCriterion { gini, entropy, error };

class GeneralPurity {
  public:
    using Label = std::uint32_t;
    GeneralPurity(std::vector<std::size_t> classes, ClassCriterion criterion)
        : classes_(std::move(classes)), criterion_(criterion) {
        offset_.push_back(0);
        for (std::size_t k : classes_) offset_.push_back(offset_.back() + k);
        width = offset_.back();
    }
    struct Run {
        std::vector<double> c;
        double W = 0;
    };
    Run run() const { return {std::vector<double>(width), 0}; }
    Run run(const double* state) const { return {std::vector<double>(state, state + width), weight(state)}; }
    void add(Run& r, const Label* y, double w) const {
        tally(r.c.data(), y, w);
        r.W += w;
    }
    void remove(Run& r, const Label* y, double w) const { add(r, y, -w); }
    double phi(const Run& r) const { return phi(r.c.data()); }
    static const double* state_of(const Run& r) { return r.c.data(); }
    static double weight(const Run& r) { return r.W; }

    void tally(double* state, const Label* y, double w) const {
        for (std::size_t o = 0; o < classes_.size(); ++o) state[offset_[o] + y[o]] += w;
    }
    double weight(const double* state) const {
        double W = 0;
        for (std::size_t k = 0; k < classes_[0]; ++k) W += state[k];
        return W;
    }
    double phi(const double* state) const {
        double all = 0;
        for (std::size_t o = 0; o < classes_.size(); ++o) all += one(state + offset_[o], classes_[o]);
        return all / static_cast<double>(classes_.size());
    }
    double impurity(const double* state) const {
        const double W = weight(state);
        if (!(W > 0)) return 0;
        return std::max(0.0, criterion_ == ClassCriterion::entropy ? -phi(state) / W : 1 - phi(state) / W);
    }
    std::size_t views() const { return width <= 2 ? 1 : width; }
    double key(const double* state, std::size_t view) const {
        const double W = weight(state);
        return W > 0 ? state[width <= 2 ? width - 1 : view] / W : 0.0;
    }
    double mean(const double* state) const { return key(state, 0); }

    std::size_t width;

  private:
    double one(const double* c, std::size_t k) const {
        double W = 0, sum = 0, most = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const double x = std::max(c[i], 0.0);
            W += x;
            most = std::max(most, x);
            sum += criterion_ == ClassCriterion::gini ? x * x : xlog2x(x);
        }
        if (criterion_ == ClassCriterion::error) return most;
        if (criterion_ == ClassCriterion::gini) return W > 0 ? sum / W : 0.0;
        return sum - xlog2x(W);
    }
    std::vector<std::size_t> classes_, offset_;
    ClassCriterion criterion_;
};

// ---------------------------------------------------------------- numbers

enum class MeanCriterion { squares, poisson };

class MeanPurity {
  public:
    using Label = double;
    MeanPurity(std::size_t n_outputs, MeanCriterion criterion)
        : width(n_outputs + 2), n_(n_outputs), criterion_(criterion) {}

    struct Run {
        std::vector<double> s;
    };
    Run run() const { return {std::vector<double>(width)}; }
    Run run(const double* state) const { return {std::vector<double>(state, state + width)}; }
    void add(Run& r, const Label* y, double w) const {
        double* s = r.s.data();
        s[0] += w;
        for (std::size_t o = 0; o < n_; ++o) s[1 + o] += w * y[o];
    }
    void remove(Run& r, const Label* y, double w) const { add(r, y, -w); }
    double phi(const Run& r) const { return phi(r.s.data()); }
    static const double* state_of(const Run& r) { return r.s.data(); }
    static double weight(const Run& r) { return r.s[0]; }

    void tally(double* s, const Label* y, double w) const {
        s[0] += w;
        for (std::size_t o = 0; o < n_; ++o) {
            s[1 + o] += w * y[o];
            s[1 + n_] +=
                criterion_ == MeanCriterion::squares ? w * y[o] * y[o] : (y[o] > 0 ? w * y[o] * std::log(y[o]) : 0.0);
        }
    }
    double weight(const double* s) const { return s[0]; }
    double phi(const double* s) const {
        if (!(s[0] > 0)) return 0;
        double all = 0;
        for (std::size_t o = 0; o < n_; ++o)
            all += criterion_ == MeanCriterion::squares ? s[1 + o] * s[1 + o] / s[0] : log_term(s[1 + o], s[0]);
        return all / static_cast<double>(n_);
    }
    double impurity(const double* s) const {
        if (!(s[0] > 0)) return 0;
        const double purity = phi(s);
        return std::isfinite(purity) ? std::max(0.0, (s[1 + n_] / static_cast<double>(n_) - purity) / s[0]) : 0.0;
    }
    std::size_t views() const { return n_; }
    double key(const double* s, std::size_t view) const { return s[0] > 0 ? s[1 + view] / s[0] : 0.0; }
    double mean(const double* s) const { return key(s, 0); }

    std::size_t width;

  private:
    // No rate may be zero: whoever it says never happens would have a likelihood of zero once it did.
    static double log_term(double sum, double weight) {
        return sum > 1e-12 * weight ? sum * std::log(sum / weight) : -std::numeric_limits<double>::infinity();
    }
    std::size_t n_;
    MeanCriterion criterion_;
};

}  // namespace lanatus::tree
