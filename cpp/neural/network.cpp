#include "neural/network.hpp"

#include <array>
#include <cmath>
#include <memory>

#include "core/parallel.hpp"
#include "core/random.hpp"

namespace lanatus::neural {

namespace {

constexpr std::size_t block_rows = 128;  // taken together, so that a layer stays in the second cache

// What is drawn for one batch.
struct Draw {
    std::uint64_t seed = 0, step = 0;
};

// Buffers of one slot: outputs of the layers for a block of rows, and what goes back.
template <class T>
class Bench {
  public:
    Bench(const Shape& shape, std::size_t rows, bool back) : shape_(shape), rows_(rows), panel_(panel_size<T>()) {
        std::size_t widest = shape.n_inputs;
        outputs_.emplace_back(rows * shape.n_inputs);
        for (const Layer& layer : shape.layers) {
            outputs_.emplace_back(rows * layer.out);
            widest = std::max(widest, layer.out);
            if (back) {
                masks_.emplace_back(layer.dropout > 0 ? rows * layer.out : 0);
                normed_.emplace_back(layer.normed ? rows * layer.out : 0);
                spreads_.emplace_back(layer.normed ? layer.out : 0);
            }
        }
        sums_ = Buffer<double>(rows);
        if (!back) return;
        std::size_t transposed = 0;
        for (const Layer& layer : shape.layers) transposed = std::max(transposed, layer.in * layer.out);
        slope_ = Buffer<T>(rows * widest);
        next_ = Buffer<T>(rows * widest);
        transposed_ = Buffer<T>(transposed);
    }

    MatrixView<T> output(std::size_t layer, std::size_t rows) const {
        const std::size_t width = layer == 0 ? shape_.n_inputs : shape_.layers[layer - 1].out;
        return {outputs_[layer].data(), rows, width};
    }

    // Inputs of the rows numbered by `row(0..count)`.
    template <class RowOf>
    void read(const Rows& rows, std::size_t count, const RowOf& row, const T* theta) {
        const MatrixView<T> H = output(0, count);
        for (std::size_t r = 0; r < count; ++r) {
            T* to = H.row(r);
            if (!rows.is_sparse()) rows.read(row(r), to);
            T* part = to + shape_.n_numbers;
            for (std::size_t e = 0; e < shape_.embeddings.size(); ++e) {
                const Embedding& one = shape_.embeddings[e];
                const T* from = theta + one.table + place(rows, row(r), e) * one.width;
                part = std::copy(from, from + one.width, part);
            }
        }
    }

    // z of a layer, from the outputs of the one before.
    template <class RowOf>
    void product(const Rows& rows, std::size_t l, std::size_t count, const RowOf& row, const T* theta) {
        const Layer& layer = shape_.layers[l];
        const MatrixView<T> Z = output(l + 1, count), H = output(l, count);
        const T* W = theta + layer.weights;
        if (l > 0 || !rows.is_sparse())
            return multiply(Strided<T>{H.data, H.cols, 1}, W, theta + layer.bias, false, Z, layer.in, panel_.data());
        for (std::size_t r = 0; r < count; ++r) {
            std::copy_n(theta + layer.bias, layer.out, Z.row(r));
            rows.entries(row(r), [&](std::size_t j, double value) {
                add_scaled(Z.row(r), static_cast<T>(value), W + j * layer.out, layer.out);
            });
            for (std::size_t j = shape_.n_numbers; j < layer.in; ++j)
                add_scaled(Z.row(r), H.row(r)[j], W + j * layer.out, layer.out);
        }
    }

    // Forward as the network answers, up to layer `last`; the last unit is left out with `before`.
    template <class RowOf>
    void answer(const Rows& rows, std::size_t count, const RowOf& row, const T* theta, const T* running,
                std::size_t last, bool before = false) {
        read(rows, count, row, theta);
        for (std::size_t l = 0; l < last; ++l) {
            const Layer& layer = shape_.layers[l];
            product(rows, l, count, row, theta);
            const MatrixView<T> Z = output(l + 1, count);
            if (layer.normed) norm_as_learned(layer, Z, theta, running);
            if (before && l + 1 == last) return;
            if (layer.unit == Unit::softmax) softmax_rows(Z, sums_.data());
            else activate(layer.unit, Z.data, Z.size());
        }
    }

    // Forward as in training: batch statistics, dropout; the loss of the block, and the slope of the last z.
    template <class RowOf>
    Sum learn(const Rows& rows, const Targets<T>& targets, std::size_t begin, std::size_t count, const RowOf& row,
              const T* theta, T* running, double running_share, const Draw& draw) {
        read(rows, count, row, theta);
        const std::size_t L = shape_.layers.size();
        for (std::size_t l = 0; l < L; ++l) {
            const Layer& layer = shape_.layers[l];
            product(rows, l, count, row, theta);
            const MatrixView<T> Z = output(l + 1, count);
            if (layer.normed) norm_by_batch(l, Z, theta, running, running_share);
            if (l + 1 == L) break;
            activate(layer.unit, Z.data, Z.size());
            if (layer.dropout > 0) drop(l, begin, Z, draw);
        }
        return end(targets, count, row);
    }

    // Backward from the slope of the last z; what the block adds to the gradient.
    template <class RowOf>
    void back(const Rows& rows, std::size_t count, const RowOf& row, const T* theta, T* gradient, bool dropping) {
        for (std::size_t l = shape_.layers.size(); l-- > 0;) {
            const Layer& layer = shape_.layers[l];
            const MatrixView<T> D{slope_.data(), count, layer.out};
            if (layer.normed) unnorm(l, D, theta, gradient);
            add_rows(D, gradient + layer.bias);
            add_weights(rows, l, count, row, D, gradient + layer.weights);
            if (l > 0) {
                through(l, D, theta);
                const Layer& below = shape_.layers[l - 1];
                const MatrixView<T> H = output(l, count);
                if (dropping && below.dropout > 0) undrop(l - 1, H);
                times_slope(below.unit, H.data, next_.data(), H.size());
                std::swap(slope_, next_);
            } else if (!shape_.embeddings.empty()) {
                into_tables(rows, count, row, D, theta, gradient);
            }
        }
    }

    // The slope of the last layer's outputs: 1 for output k, the others 0.
    void point_at(std::size_t k, std::size_t count, bool before) {
        const Layer& last = shape_.layers.back();
        const MatrixView<T> A = output(shape_.layers.size(), count);
        std::fill_n(slope_.data(), count * last.out, T{0});
        for (std::size_t r = 0; r < count; ++r) {
            T* slope = slope_.data() + r * last.out;
            slope[k] = 1;
            if (before) continue;
            if (last.unit == Unit::softmax)
                for (std::size_t j = 0; j < last.out; ++j)
                    slope[j] = A.row(r)[k] * ((j == k ? T{1} : T{0}) - A.row(r)[j]);
            else times_slope(last.unit, A.row(r), slope, last.out);
        }
    }

  private:
    std::size_t place(const Rows& rows, std::size_t i, std::size_t e) const {
        const std::int32_t code = rows.codes[i * rows.n_codes + e];
        return code < 0 || static_cast<std::size_t>(code) >= shape_.embeddings[e].values
                   ? 0
                   : static_cast<std::size_t>(code) + 1;
    }

    void norm_as_learned(const Layer& layer, MatrixView<T> Z, const T* theta, const T* running) const {
        const T *mean = running + layer.running, *variance = mean + layer.out;
        for (std::size_t r = 0; r < Z.rows; ++r)
            for (std::size_t j = 0; j < Z.cols; ++j)
                Z.row(r)[j] = theta[layer.gamma + j] * (Z.row(r)[j] - mean[j]) / std::sqrt(variance[j] + T(1e-5)) +
                              theta[layer.beta + j];
    }
    void norm_by_batch(std::size_t l, MatrixView<T> Z, const T* theta, T* running, double share) {
        const Layer& layer = shape_.layers[l];
        T *mean = running + layer.running, *variance = mean + layer.out;
        for (std::size_t j = 0; j < Z.cols; ++j) {
            double sum = 0, square = 0;
            for (std::size_t r = 0; r < Z.rows; ++r) sum += static_cast<double>(Z.row(r)[j]);
            const double middle = sum / static_cast<double>(Z.rows);
            for (std::size_t r = 0; r < Z.rows; ++r) {
                const double apart = static_cast<double>(Z.row(r)[j]) - middle;
                square += apart * apart;
            }
            const double var = square / static_cast<double>(Z.rows);
            const T part = static_cast<T>(1 / std::sqrt(var + 1e-5));
            spreads_[l][j] = part;
            for (std::size_t r = 0; r < Z.rows; ++r) {
                T& hat = normed_[l][r * Z.cols + j];
                hat = (Z.row(r)[j] - static_cast<T>(middle)) * part;
                Z.row(r)[j] = theta[layer.gamma + j] * hat + theta[layer.beta + j];
            }
            mean[j] += static_cast<T>(share * (middle - static_cast<double>(mean[j])));
            variance[j] += static_cast<T>(share * (var - static_cast<double>(variance[j])));
        }
    }
    // From the slope of what the unit is given to that of z, with those of gamma and beta.
    void unnorm(std::size_t l, MatrixView<T> D, const T* theta, T* gradient) {
        const Layer& layer = shape_.layers[l];
        const double n = static_cast<double>(D.rows);
        for (std::size_t j = 0; j < D.cols; ++j) {
            double sum = 0, along = 0;
            for (std::size_t r = 0; r < D.rows; ++r) {
                sum += static_cast<double>(D.row(r)[j]);
                along += static_cast<double>(D.row(r)[j]) * static_cast<double>(normed_[l][r * D.cols + j]);
            }
            gradient[layer.beta + j] += static_cast<T>(sum);
            gradient[layer.gamma + j] += static_cast<T>(along);
            const double scale = static_cast<double>(theta[layer.gamma + j]) * static_cast<double>(spreads_[l][j]);
            for (std::size_t r = 0; r < D.rows; ++r) {
                const double hat = static_cast<double>(normed_[l][r * D.cols + j]);
                T& slope = D.row(r)[j];
                slope = static_cast<T>(scale * (static_cast<double>(slope) - sum / n - hat * along / n));
            }
        }
    }

    void drop(std::size_t l, std::size_t begin, MatrixView<T> H, const Draw& draw) {
        const double p = shape_.layers[l].dropout;
        const Philox random(draw.seed, l + 1);
        const T kept = static_cast<T>(1 / (1 - p));
        const auto limit = static_cast<std::uint32_t>(p * 4294967295.0);
        const std::uint64_t width = (H.cols + 3) / 4;
        for (std::size_t r = 0; r < H.rows; ++r)
            for (std::size_t j = 0; j < H.cols; j += 4) {
                const PhiloxBlock bits = random.block(((draw.step << 20) + begin + r) * width + j / 4);
                for (std::size_t c = j; c < std::min(j + 4, H.cols); ++c) {
                    const T mask = bits[c - j] < limit ? T{0} : kept;
                    masks_[l][r * H.cols + c] = mask;
                    H.row(r)[c] *= mask;
                }
            }
    }
    // Outputs as they were before they were dropped and enlarged, the slopes with the mask.
    void undrop(std::size_t l, MatrixView<T> H) {
        for (std::size_t i = 0; i < H.size(); ++i) {
            const T mask = masks_[l][i];
            next_[i] *= mask;
            H.data[i] = mask == T{0} ? T{0} : H.data[i] / mask;
        }
    }

    // Loss of the block, and the slope of the last z into slope_.
    template <class RowOf>
    Sum end(const Targets<T>& targets, std::size_t count, const RowOf& row) {
        const Layer& last = shape_.layers.back();
        const MatrixView<T> Z = output(shape_.layers.size(), count);
        const std::size_t K = last.out;
        const bool crossed = shape_.loss == Loss::cross_entropy;
        if (crossed && last.unit == Unit::softmax && !targets.codes.empty()) return end_of_classes(targets, Z, row);
        Sum sum;
        // Losses that are told from z itself, before the unit rounds it away.
        Buffer<double>& losses = losses_;
        if (losses.size() < count) losses = Buffer<double>(rows_);
        for (std::size_t r = 0; r < count; ++r) {
            losses[r] = 0;
            if (!crossed || last.unit == Unit::softmax) continue;
            for (std::size_t k = 0; k < K; ++k) {
                const double z = static_cast<double>(Z.row(r)[k]);
                losses[r] += std::max(z, 0.0) - z * wanted(targets, row(r), k) + std::log1p(std::exp(-std::abs(z)));
            }
        }
        if (last.unit == Unit::softmax) {
            if (crossed)
                for (std::size_t r = 0; r < count; ++r) {
                    double largest = static_cast<double>(Z.row(r)[0]), own = 0;
                    for (std::size_t k = 0; k < K; ++k) {
                        const double z = static_cast<double>(Z.row(r)[k]);
                        largest = std::max(largest, z);
                        own += z * wanted(targets, row(r), k);
                    }
                    losses[r] = largest - own;
                }
            softmax_rows(Z, sums_.data());
            if (crossed)
                for (std::size_t r = 0; r < count; ++r) losses[r] += std::log(sums_[r]);
        } else {
            activate(last.unit, Z.data, Z.size());
        }
        for (std::size_t r = 0; r < count; ++r) {
            T* slope = slope_.data() + r * K;
            const double w = targets.weight.empty() ? 1.0 : targets.weight[row(r)];
            for (std::size_t k = 0; k < K; ++k) {
                const double a = static_cast<double>(Z.row(r)[k]), y = wanted(targets, row(r), k), error = a - y;
                if (shape_.loss == Loss::squared) losses[r] += 0.5 * error * error;
                else if (shape_.loss == Loss::poisson) losses[r] += a - (y > 0 ? y * std::log(std::max(a, 1e-300)) : 0);
                slope[k] = static_cast<T>(w * error);
            }
            sum.loss += w * losses[r];
            sum.weight += w;
        }
        if (shape_.loss == Loss::squared) {
            if (last.unit == Unit::softmax) softmax_slope(Z);
            else times_slope(last.unit, Z.data, slope_.data(), Z.size());
        }
        return sum;
    }
    // The same for one class a row, of which nothing but its own output has to be looked at.
    template <class RowOf>
    Sum end_of_classes(const Targets<T>& targets, MatrixView<T> Z, const RowOf& row) {
        if (losses_.size() < Z.rows) losses_ = Buffer<double>(rows_);
        for (std::size_t r = 0; r < Z.rows; ++r) {
            const T* z = Z.row(r);
            T largest = z[0];
            for (std::size_t k = 1; k < Z.cols; ++k) largest = z[k] > largest ? z[k] : largest;
            losses_[r] = static_cast<double>(largest) - static_cast<double>(z[targets.codes[row(r)]]);
        }
        softmax_rows(Z, sums_.data());
        std::copy_n(Z.data, Z.size(), slope_.data());
        Sum sum;
        double product = 1;  // of sums of exponentials, for one logarithm of sixteen rows that weigh the same
        for (std::size_t r = 0; r < Z.rows; ++r) {
            const std::size_t i = row(r);
            T* slope = slope_.data() + r * Z.cols;
            slope[targets.codes[i]] -= T{1};
            if (targets.weight.empty()) {
                product *= sums_[r];
                if (r % 16 == 15 || r + 1 == Z.rows || product > 1e200) sum.loss += std::log(product), product = 1;
                sum.loss += losses_[r];
                sum.weight += 1;
                continue;
            }
            const double w = targets.weight[i];
            for (std::size_t k = 0; k < Z.cols; ++k) slope[k] *= static_cast<T>(w);
            sum.loss += w * (losses_[r] + std::log(sums_[r]));
            sum.weight += w;
        }
        return sum;
    }
    void softmax_slope(MatrixView<T> A) {
        for (std::size_t r = 0; r < A.rows; ++r) {
            T *slope = slope_.data() + r * A.cols, sum = 0;
            for (std::size_t k = 0; k < A.cols; ++k) sum += slope[k] * A.row(r)[k];
            for (std::size_t k = 0; k < A.cols; ++k) slope[k] = A.row(r)[k] * (slope[k] - sum);
        }
    }
    double wanted(const Targets<T>& targets, std::size_t i, std::size_t k) const {
        if (targets.codes.empty()) return static_cast<double>(targets.numbers.row(i)[k]);
        if (shape_.n_outputs() == 1) return targets.codes[i];
        return static_cast<std::size_t>(targets.codes[i]) == k ? 1.0 : 0.0;
    }

    template <class RowOf>
    void add_weights(const Rows& rows, std::size_t l, std::size_t count, const RowOf& row, MatrixView<T> D,
                     T* gradient) {
        const Layer& layer = shape_.layers[l];
        const MatrixView<T> H = output(l, count);
        const MatrixView<T> G{gradient, layer.in, layer.out};
        if (l > 0 || !rows.is_sparse()) {
            if (layer.out <= 4) return add_outer(H, D.data, G);
            return multiply(Strided<T>{H.data, 1, H.cols}, D.data, nullptr, true, G, count, panel_.data());
        }
        for (std::size_t r = 0; r < count; ++r) {
            rows.entries(row(r), [&](std::size_t j, double value) {
                add_scaled(G.row(j), static_cast<T>(value), D.row(r), layer.out);
            });
            for (std::size_t j = shape_.n_numbers; j < layer.in; ++j)
                add_scaled(G.row(j), H.row(r)[j], D.row(r), layer.out);
        }
    }

    // next_ <- D W'
    void through(std::size_t l, MatrixView<T> D, const T* theta) {
        const Layer& layer = shape_.layers[l];
        transpose(MatrixView<const T>{theta + layer.weights, layer.in, layer.out}, transposed_.data());
        multiply(Strided<T>{D.data, D.cols, 1}, transposed_.data(), nullptr, false,
                 MatrixView<T>{next_.data(), D.rows, layer.in}, layer.out, panel_.data());
    }

    template <class RowOf>
    void into_tables(const Rows& rows, std::size_t count, const RowOf& row, MatrixView<T> D, const T* theta,
                     T* gradient) {
        const Layer& layer = shape_.layers[0];
        const std::size_t width = layer.in - shape_.n_numbers;
        const T* W = theta + layer.weights + shape_.n_numbers * layer.out;
        transpose(MatrixView<const T>{W, width, layer.out}, transposed_.data());
        multiply(Strided<T>{D.data, D.cols, 1}, transposed_.data(), nullptr, false,
                 MatrixView<T>{next_.data(), count, width}, layer.out, panel_.data());
        for (std::size_t r = 0; r < count; ++r) {
            const T* from = next_.data() + r * width;
            for (std::size_t e = 0; e < shape_.embeddings.size(); ++e) {
                const Embedding& one = shape_.embeddings[e];
                add_to(gradient + one.table + place(rows, row(r), e) * one.width, from, one.width);
                from += one.width;
            }
        }
    }

    const Shape& shape_;
    std::size_t rows_;
    std::vector<Buffer<T>> outputs_, masks_, normed_, spreads_;
    Buffer<T> panel_, slope_, next_, transposed_;
    Buffer<double> sums_, losses_;
};

// A batch cut into slots, each of which adds up a gradient of its own.
template <class T>
class Slots {
  public:
    Slots(const Shape& shape, std::size_t batch, bool one) : shape_(shape) {
        const std::size_t most = one ? 1 : std::clamp<std::size_t>(batch / 64, 1, 16);
        block_ = one && shape.normed() ? batch : std::min(batch, block_rows);
        for (std::size_t s = 0; s < most; ++s) {
            benches_.push_back(std::make_unique<Bench<T>>(shape, block_, true));
            if (s > 0) gradients_.emplace_back(shape.n_parameters);
        }
    }

    // Adds the gradient over rows [0, count) into `gradient`.
    template <class RowOf>
    Sum add(const Rows& rows, const Targets<T>& targets, std::size_t count, const RowOf& row, const T* theta,
            T* running, double running_share, const Draw* draw, T* gradient, int n_threads) {
        const std::size_t slots = std::min(benches_.size(), std::max<std::size_t>(1, count / 64));
        const std::size_t length = (count + slots - 1) / slots;
        std::array<Sum, 16> sums{};
        // Waking a thread costs more than a small batch.
        const int threads = shape_.n_parameters * count < 200'000 ? 1 : n_threads;
        parallel_for(slots, threads, [&](std::size_t s) {
            T* own = s == 0 ? gradient : gradients_[s - 1].data();
            if (s > 0) std::fill_n(own, shape_.n_parameters, T{0});
            const std::size_t stop = std::min(count, (s + 1) * length);
            for (std::size_t begin = s * length; begin < stop; begin += block_) {
                const std::size_t here = std::min(block_, stop - begin);
                const auto shifted = [&, begin](std::size_t r) { return row(begin + r); };
                const Sum part = benches_[s]->learn(rows, targets, begin, here, shifted, theta, running, running_share,
                                                    draw ? *draw : Draw{});
                benches_[s]->back(rows, here, shifted, theta, own, true);
                sums[s].loss += part.loss;
                sums[s].weight += part.weight;
            }
        });
        for (std::size_t s = 1; s < slots; ++s) {
            add_to(gradient, gradients_[s - 1].data(), shape_.n_parameters);
            sums[0].loss += sums[s].loss;
            sums[0].weight += sums[s].weight;
        }
        return sums[0];
    }

  private:
    const Shape& shape_;
    std::size_t block_;
    std::vector<std::unique_ptr<Bench<T>>> benches_;
    std::vector<Buffer<T>> gradients_;
};

// The parameters move: weights with their decay, the others without.
template <class T>
void step_of(const Shape& shape, const Training& how, double rate, std::span<const double> layer_rates, double weight,
             double clipped, const T* gradient, Memory<T>& memory) {
    Move move_by{.rule = how.rule,
                 .momentum = how.momentum,
                 .beta_1 = how.beta_1,
                 .beta_2 = how.beta_2,
                 .epsilon = how.epsilon,
                 .least = how.least,
                 .most = how.most};
    move_by.share = how.share * clipped / weight;
    const double decay = how.rule == Rule::adamw ? 0 : how.decay / weight;
    const auto part = [&](std::size_t begin, std::size_t n, double its_decay, double its_shrink, double times) {
        move_by.rate = rate * times;
        move_by.decay = its_decay + how.decay_all;
        move_by.shrink = its_shrink;
        move(move_by, memory.step, gradient + begin, memory.theta + begin, memory.first + begin, memory.second + begin,
             n);
    };
    const double shrink = how.rule == Rule::adamw ? how.decay : 0;
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const Layer& layer = shape.layers[l];
        const double times = layer_rates.empty() ? 1 : layer_rates[l];
        part(layer.weights, layer.in * layer.out, decay, shrink, times);
        part(layer.bias, layer.out, 0, 0, times);
        if (layer.normed) part(layer.gamma, 2 * layer.out, 0, 0, times);
    }
    if (!shape.embeddings.empty()) {
        const std::size_t begin = shape.embeddings.front().table;
        part(begin, shape.n_parameters - begin, 0, 0, layer_rates.empty() ? 1 : layer_rates[0]);
    }
}

template <class T>
double length_of(const T* gradient, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
    return std::sqrt(sum);
}

}  // namespace

template <class T>
Sum epoch(const Shape& shape, const Rows& rows, const Targets<T>& targets, std::span<const std::int64_t> order,
          std::span<const double> rates, std::span<const double> layer_rates, const Training& how, Memory<T>& memory,
          int n_threads) {
    Slots<T> slots(shape, std::min(how.batch, order.size()), shape.normed() || rows.is_sparse());
    Buffer<T> gradient(shape.n_parameters);
    Sum total;
    for (std::size_t begin = 0, step = 0; begin < order.size(); begin += how.batch, ++step) {
        const std::size_t count = std::min(how.batch, order.size() - begin);
        const auto row = [&](std::size_t r) { return static_cast<std::size_t>(order[begin + r]); };
        std::fill_n(gradient.data(), shape.n_parameters, T{0});
        const Draw draw{how.seed, ++memory.step};
        const Sum part = slots.add(rows, targets, count, row, memory.theta, memory.running, how.running_share, &draw,
                                   gradient.data(), n_threads);
        total.loss += part.loss;
        total.weight += part.weight;
        if (!(part.weight > 0)) continue;
        if (!std::isfinite(part.loss)) return {part.loss, total.weight};
        double clipped = 1;
        if (how.clip > 0) {
            const double length = length_of(gradient.data(), shape.n_parameters) / part.weight;
            if (length > how.clip) clipped = how.clip / length;
        }
        step_of(shape, how, rates[step], layer_rates, part.weight, clipped, gradient.data(), memory);
    }
    return total;
}

template <class T>
Sum gradient_of(const Shape& shape, const Rows& rows, const Targets<T>& targets, const T* theta, const T* running,
                T* gradient, int n_threads) {
    Buffer<T> own(shape.n_running);
    std::copy_n(running, shape.n_running, own.data());
    Slots<T> slots(shape, rows.n, shape.normed() || rows.is_sparse());
    return slots.add(
        rows, targets, rows.n, [](std::size_t r) { return r; }, theta, own.data(), 0.0, nullptr, gradient, n_threads);
}

template <class T>
void outputs_of(const Shape& shape, const Rows& rows, const T* theta, const T* running, std::size_t at,
                MatrixView<T> out, int n_threads) {
    const Chunks chunks = Chunks::of(rows.n, 1024);
    parallel_chunks(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        Bench<T> bench(shape, std::min(block_rows, end - begin), false);
        for (std::size_t first = begin; first < end; first += block_rows) {
            const std::size_t count = std::min(block_rows, end - first);
            bench.answer(rows, count, [=](std::size_t r) { return first + r; }, theta, running, at);
            const MatrixView<T> found = bench.output(at, count);
            std::copy_n(found.data, found.size(), out.row(first));
        }
    });
}

template <class T>
void jacobian_of(const Shape& shape, const Rows& rows, const T* theta, const T* running, bool before, MatrixView<T> out,
                 int n_threads) {
    const std::size_t K = shape.n_outputs();
    parallel_chunks(Chunks::of(rows.n, 16, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        Bench<T> bench(shape, 1, true);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t k = 0; k < K; ++k) {
                const auto row = [=](std::size_t) { return i; };
                bench.answer(rows, 1, row, theta, running, shape.layers.size(), before);
                bench.point_at(k, 1, before);
                T* to = out.row(i * K + k);
                std::fill_n(to, shape.n_parameters, T{0});
                bench.back(rows, 1, row, theta, to, false);
            }
    });
}

#define LANATUS_INSTANTIATE(T)                                                                                \
    template Sum epoch(const Shape&, const Rows&, const Targets<T>&, std::span<const std::int64_t>,           \
                       std::span<const double>, std::span<const double>, const Training&, Memory<T>&, int);   \
    template Sum gradient_of(const Shape&, const Rows&, const Targets<T>&, const T*, const T*, T*, int);      \
    template void outputs_of(const Shape&, const Rows&, const T*, const T*, std::size_t, MatrixView<T>, int); \
    template void jacobian_of(const Shape&, const Rows&, const T*, const T*, bool, MatrixView<T>, int);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::neural
