// npmat against the machine's limits. Names are workload/layer/engine/size; the counter `fraction`
// is the floor of limits.hpp divided by the best time, `target` what the project asks of it.
#include <fmt/format.h>
#include <string>

#include "bench/register.hpp"
#include "npmat/npmat.hpp"
#include "tools/limits.hpp"
#include "tools/rbm.hpp"

namespace {

using bench::add;
using cudamat::Index;
using cudamat::Shape;
using tools::best_time;

template <class T>
using Matrix = npmat::CUDAMatrix<T>;

constexpr Index kElements = Index{16} << 20;
constexpr int kRepeats = 15;

template <class T>
Matrix<T> random(Shape shape) {
  Matrix<T> result = Matrix<T>::empty(shape);
  result.fill_with_rand();
  return result;
}

template <class T>
std::string engine() {
  return fmt::format("npmat-float{}", sizeof(T) * 8);
}

/// `bytes` an element must move once; run(a, b, c) works on three matrices.
template <class T, class F>
void add_elementwise(const std::string& workload, double target, int arrays_moved, F run) {
  add(
      fmt::format("{}/cudamat/{}/16M", workload, engine<T>()), target,
      [=] { return tools::copy_floor(double(arrays_moved) * kElements * sizeof(T)); },
      [=] {
        const Shape shape{4096, kElements / 4096};
        Matrix<T> a = random<T>(shape), b = random<T>(shape), c = random<T>(shape);
        return best_time(kRepeats, [&] { run(a, b, c); });
      });
}

template <class T>
void elementwise() {
  using M = Matrix<T>;
  const double move = 0.85;
  add_elementwise<T>("add", move, 3, [](M& a, M& b, M& c) { a.add(b, c); });
  add_elementwise<T>("add_in_place", move, 3, [](M& a, M& b, M&) { a.add(b); });
  add_elementwise<T>("mult", move, 3, [](M& a, M& b, M& c) { a.mult(b, c); });
  add_elementwise<T>("mult_in_place", move, 3, [](M& a, M& b, M&) { a.mult(b); });
  add_elementwise<T>("add_mult", move, 3, [](M& a, M& b, M&) { a.add_mult(b, T(0.5)); });
  add_elementwise<T>("add_scalar", move, 2, [](M& a, M&, M& c) { a.add(T(2), c); });
  add_elementwise<T>("mult_scalar_in_place", move, 2, [](M& a, M&, M&) { a.mult(T(1)); });
  add_elementwise<T>("less_than", move, 3, [](M& a, M& b, M& c) { a.less_than(b, c); });
  add_elementwise<T>("less_than_scalar", move, 2, [](M& a, M&, M& c) { a.less_than(T(0.5), c); });
  add_elementwise<T>("where", move, 4, [](M& a, M& b, M& c) { npmat::where(c, a, b, c); });
  const double transcendental = 0.6;
  // The argument is drawn anew by a copy, which is not timed: repeated exponentials would overflow.
  const auto in_place = [&](const char* name, auto function) {
    add(
        fmt::format("{}/cudamat/{}/16M", name, engine<T>()), transcendental,
        [] { return tools::copy_floor(2.0 * kElements * sizeof(T)); },
        [=] {
          const M source = random<T>({4096, kElements / 4096});
          M work = source.copy();
          double best = 1e9;
          for (int i = 0; i < kRepeats; ++i) {
            work.assign(source);
            best = std::min(best, tools::timed([&] { function(work); }));
          }
          return best;
        });
  };
  in_place("sigmoid", [](M& a) { a.apply_sigmoid(); });
  in_place("exp", [](M& a) { npmat::exp(a); });
  in_place("log", [](M& a) { npmat::log(a); });
  in_place("tanh", [](M& a) { npmat::tanh(a); });
  in_place("sqrt", [](M& a) { npmat::sqrt(a); });
}

template <class T>
void matrices() {
  using M = Matrix<T>;
  constexpr Index kSide = 4096;
  const Shape square{kSide, kSide};
  const double bytes = double(square.size()) * sizeof(T);
  const auto reduction = [&](const char* name, int axis, auto function) {
    add(
        fmt::format("{}_axis{}/cudamat/{}/4096x4096", name, axis, engine<T>()), 0.8,
        [=] { return tools::read_floor(bytes); },
        [=] {
          M a = random<T>(square);
          M t = M::empty(axis == 0 ? Shape{1, kSide} : Shape{kSide, 1});
          return best_time(kRepeats, [&] { function(a, axis, t); });
        });
  };
  for (const int axis : {0, 1}) {
    reduction("sum", axis, [](M& a, int n, M& t) { a.sum(n, t); });
    reduction("max", axis, [](M& a, int n, M& t) { a.max(n, t); });
  }
  const auto broadcast = [&](const char* name, Shape vec, double target, auto function) {
    add(
        fmt::format("{}/cudamat/{}/4096x4096", name, engine<T>()), target,
        [=] { return tools::copy_floor(2 * bytes); },
        [=] {
          M a = random<T>(square), v = random<T>(vec), t = random<T>(square);
          return best_time(kRepeats, [&] { function(a, v, t); });
        });
  };
  broadcast("add_col_vec", {kSide, 1}, 0.85, [](M& a, M& v, M& t) { a.add_col_vec(v, t); });
  broadcast("add_row_vec", {1, kSide}, 0.85, [](M& a, M& v, M& t) { a.add_row_vec(v, t); });
  broadcast("mult_by_col", {kSide, 1}, 0.85, [](M& a, M& v, M& t) { a.mult_by_col(v, t); });
  broadcast("mult_by_row", {1, kSide}, 0.85, [](M& a, M& v, M& t) { a.mult_by_row(v, t); });
  broadcast("transpose", {1, 1}, 0.5, [](M& a, M&, M& t) { a.transpose(t); });
}

template <class T>
void product(const char* name, bool trans_a, bool trans_b, Index m, Index n, Index k) {
  using M = Matrix<T>;
  add(
      fmt::format("{}/cudamat/{}/{}x{}x{}", name, engine<T>(), m, n, k), 0.95,
      [=] { return tools::product_floor<T>(trans_a, trans_b, m, n, k); },
      [=] {
        M a = random<T>(trans_a ? Shape{k, m} : Shape{m, k});
        M b = random<T>(trans_b ? Shape{n, k} : Shape{k, n});
        M c = M::empty({m, n});
        if (trans_a) a = a.T();
        if (trans_b) b = b.T();
        return best_time(7, [&] { npmat::dot(a, b, c); });
      });
}

template <class T>
void products() {
  product<T>("dot", false, false, 128, 4096, 784);
  product<T>("dot_aT", true, false, 784, 4096, 128);
  product<T>("dot_bT", false, true, 128, 784, 4096);
  product<T>("dot", false, false, 2048, 2048, 2048);
}

/// The report's machine: five products, and every byte of its matrices moved once.
void rbm_step() {
  constexpr Index kVis = 784, kHid = 4096, kBatch = 128;
  add(
      "rbm_step/cudamat/npmat-float32/784x4096x128", 1 / 1.25,
      [=] {
        return 2 * tools::product_floor<float>(true, false, kHid, kBatch, kVis) +
               tools::product_floor<float>(false, false, kVis, kBatch, kHid) +
               2 * tools::product_floor<float>(false, true, kVis, kHid, kBatch) +
               tools::copy_floor(bench::rbm_bytes(kVis, kHid, kBatch, sizeof(float)));
      },
      [=] {
        Matrix<float> data = random<float>({kVis, kBatch});
        rbm::Rbm<Matrix<float>> machine(kVis, {});
        return best_time(kRepeats, [&] { machine.step(data, 0); });
      });
}

/// What a call costs beyond its arithmetic: the same sums as a bare loop over the same memory.
void small_calls() {
  for (const Index side : {Index{1}, Index{8}, Index{64}})
    bench::add_small_call(fmt::format("small_add/cudamat/npmat-float32/{0}x{0}", side), 1, [side] {
      Matrix<float> a = random<float>({side, side}), b = random<float>({side, side});
      constexpr int kCalls = 1000;
      const double calls = best_time(50, [&] {
        for (int i = 0; i < kCalls; ++i) a.add(b);
      });
      float* const x = a.data();
      const float* const y = b.data();
      const double loops = best_time(50, [&] {
        for (int i = 0; i < kCalls; ++i) {
          for (Index j = 0; j < side * side; ++j) x[j] += y[j];
          benchmark::ClobberMemory();
        }
      });
      return std::pair{calls / kCalls, (calls - loops) / kCalls};
    });
}

}  // namespace

int main(int argc, char** argv) {
  elementwise<float>();
  matrices<float>();
  products<float>();
  products<double>();
  rbm_step();
  small_calls();
  return bench::run(argc, argv);
}
