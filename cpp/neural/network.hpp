// A feedforward network, its error and gradient by back-propagation, and whole rounds of stochastic descent.
//
//     b_0 = x,   b_l = f_l(b_(l-1) W_l + c_l),   E = sum_i w_i loss(b_L(x_i), y_i) / sum_i w_i
//
// All parameters are one vector theta: for each layer W (in, out) row by row, c (out) and, with batch normalisation,
// gamma and beta (out); then the tables of embeddings, a row for missing and one for each value. The book's thresholds are
// -c. Nominal columns enter as rows of their tables, beside the numbers.
//
// A batch is cut into slots by its size alone; each adds up its own gradient, and the slots are added in order, so that
// the number of threads does not matter. Work: 6 operations a weight and row for the gradient, 2 for the outputs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "neural/leaf.hpp"
#include "neural/rows.hpp"

namespace lanatus::neural {

enum class Loss { squared, cross_entropy, poisson };

struct Layer {
    std::size_t in = 0, out = 0;
    Unit unit = Unit::identity;
    bool normed = false;                                     // normalised over the batch, before the unit
    double dropout = 0;                                      // share of its outputs that are left out
    std::size_t weights = 0, bias = 0, gamma = 0, beta = 0;  // where they begin in theta
    std::size_t running = 0;  // where its means begin among the running numbers; variances follow
};
struct Embedding {
    std::size_t values = 0, width = 0, table = 0;  // table: (values + 1, width), where it begins in theta
};

struct Shape {
    std::vector<Layer> layers;
    std::vector<Embedding> embeddings;
    Loss loss = Loss::squared;
    std::size_t n_numbers = 0, n_inputs = 0, n_parameters = 0, n_running = 0;

    std::size_t n_outputs() const noexcept { return layers.back().out; }
    bool normed() const noexcept { return n_running > 0; }
};

// Codes of classes (n), or numbers (n, outputs); weights may be empty.
template <class T>
struct Targets {
    std::span<const std::int32_t> codes;
    MatrixView<const T> numbers;
    std::span<const double> weight;
};

struct Training {
    Rule rule = Rule::adam;
    double momentum = 0, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8;
    double share = 1;                // of the error in what is minimised
    double decay = 0;                // alpha: of the squared weights, over the weight of a batch
    double decay_all = 0;            // of the squares of all parameters
    double clip = 0;                 // longest gradient, 0 for any
    double least = 1e-6, most = 50;  // of Rprop
    double running_share = 0.1;      // of a batch in the running means and variances
    std::uint64_t seed = 0;
    std::size_t batch = 200;
};

// What an optimiser keeps between steps: two numbers a parameter, and how many steps it has done.
template <class T>
struct Memory {
    T *theta, *first, *second, *running;
    std::uint64_t step;
};

struct Sum {
    double loss = 0, weight = 0;
};

// One round over the rows in `order`, a step for each batch, at the rates given for the steps; `layer_rates` multiply them.
// The sum of the losses before each step, without penalties; step counts on in memory.
template <class T>
Sum epoch(const Shape&, const Rows&, const Targets<T>&, std::span<const std::int64_t> order,
          std::span<const double> rates, std::span<const double> layer_rates, const Training&, Memory<T>&,
          int n_threads);

// Sums over all rows of the weighted loss and of its gradient (added to `gradient`, which holds zeros).
template <class T>
Sum gradient_of(const Shape&, const Rows&, const Targets<T>&, const T* theta, const T* running, T* gradient,
                int n_threads);

// Outputs of layer `at` (1 for the first hidden one) for all rows, with running means for batch normalisation.
template <class T>
void outputs_of(const Shape&, const Rows&, const T* theta, const T* running, std::size_t at, MatrixView<T> out,
                int n_threads);

// Row (i K + k) <- derivatives of output k for row i by all parameters; `before` takes those of what the last unit is given.
template <class T>
void jacobian_of(const Shape&, const Rows&, const T* theta, const T* running, bool before, MatrixView<T> out,
                 int n_threads);

}  // namespace lanatus::neural
