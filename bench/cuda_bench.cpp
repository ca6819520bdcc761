// The CUDA engine against the GPU's limits: see register.hpp and cuda_limits.hpp. On a machine
// without a GPU it says so and exits with 77.
#include <chrono>
#include <fmt/format.h>
#include <string>

#include "bench/register.hpp"
#include "cudamat/cudamat.hpp"
#include "tools/cuda_limits.hpp"
#include "tools/rbm.hpp"

namespace {

namespace gpu = tools::gpu;
using bench::add;
using cudamat::Index;
using cudamat::Shape;

template <class T>
using Matrix = cudamat::CUDAMatrix<T>;

constexpr Index kElements = Index{64} << 20;
constexpr int kRepeats = 25;
constexpr double kCopy = 0.9;   ///< asked of what moves bytes at the copy bandwidth
constexpr double kRead = 0.85;  ///< asked of reductions
constexpr double kMove = 0.85;  ///< asked of transpose, slices and selections
constexpr double kGemm = 0.98;  ///< asked of products
constexpr double kRbm = 1 / 1.3;

template <class T>
Matrix<T> random(Shape shape) {
  Matrix<T> result = Matrix<T>::empty(shape);
  result.fill_with_rand();
  return result;
}

template <class T>
std::string label(const std::string& workload, const std::string& size) {
  return fmt::format("{}/cudamat/cuda-float{}/{}", workload, sizeof(T) * 8, size);
}

/// `arrays_moved` of the shape's size must move once; run(a, b, c) works on three such matrices.
template <class T, class F>
void add_moving(const std::string& workload, Shape shape, double target, double arrays_moved,
                F run) {
  add(
      label<T>(workload, fmt::format("{}", shape)), target,
      [=] { return gpu::copy_floor(arrays_moved * double(shape.size()) * sizeof(T)); },
      [=] {
        Matrix<T> a = random<T>(shape), b = random<T>(shape), c = random<T>(shape);
        return gpu::time(kRepeats, [&] { run(a, b, c); });
      });
}

template <class T>
void elementwise() {
  using M = Matrix<T>;
  const Shape shape{8192, kElements / 8192};
  const auto measure = [&](const char* name, double arrays, auto run) {
    add_moving<T>(name, shape, kCopy, arrays, run);
  };
  measure("add", 3, [](M& a, M& b, M& c) { a.add(b, c); });
  measure("mult_in_place", 3, [](M& a, M& b, M&) { a.mult(b); });
  measure("add_mult", 3, [](M& a, M& b, M&) { a.add_mult(b, T(0.5)); });
  measure("add_scalar", 2, [](M& a, M&, M& c) { a.add(T(2), c); });
  measure("less_than", 3, [](M& a, M& b, M& c) { a.less_than(b, c); });
  measure("where", 4, [](M& a, M& b, M& c) { cudamat::where(c, a, b, c); });
  measure("fill", 1, [](M& a, M&, M&) { a.assign(T(1)); });
  measure("sigmoid", 2, [](M& a, M&, M& c) { a.sigmoid(c); });
  measure("exp", 2, [](M& a, M&, M& c) { cudamat::exp(a, c); });
  measure("log", 2, [](M& a, M&, M& c) { cudamat::log(a, c); });
  measure("tanh", 2, [](M& a, M&, M& c) { cudamat::tanh(a, c); });
  measure("sqrt", 2, [](M& a, M&, M& c) { cudamat::sqrt(a, c); });
  measure("fill_with_rand", 1, [](M& a, M&, M&) { a.fill_with_rand(); });
}

template <class T>
void broadcasts() {
  using M = Matrix<T>;
  for (const Shape shape :
       {Shape{8192, kElements / 8192}, {8, kElements / 8}, {kElements / 8, 8}}) {
    const auto measure = [&](const char* name, bool column, auto run) {
      add(
          label<T>(name, fmt::format("{}", shape)), kCopy,
          [=] { return gpu::copy_floor(2.0 * double(shape.size()) * sizeof(T)); },
          [=] {
            M a = random<T>(shape), target = random<T>(shape);
            M vec = random<T>(column ? Shape{shape.rows, 1} : Shape{1, shape.cols});
            return gpu::time(kRepeats, [&] { run(a, vec, target); });
          });
    };
    measure("add_col_vec", true, [](M& a, M& vec, M& t) { a.add_col_vec(vec, t); });
    measure("mult_by_row", false, [](M& a, M& vec, M& t) { a.mult_by_row(vec, t); });
  }
}

template <class T>
void reductions() {
  using M = Matrix<T>;
  for (const Shape shape : {Shape{8192, kElements / 8192}, {8, kElements / 8}, {kElements / 8, 8}})
    for (const int axis : {0, 1}) {
      const auto measure = [&](const char* name, auto run) {
        add(
            label<T>(fmt::format("{}_axis{}", name, axis), fmt::format("{}", shape)), kRead,
            [=] { return gpu::read_floor(double(shape.size()) * sizeof(T)); },
            [=] {
              M a = random<T>(shape);
              M target = M::empty(axis == 0 ? Shape{1, shape.cols} : Shape{shape.rows, 1});
              return gpu::time(kRepeats, [&] { run(a, axis, target); });
            });
      };
      measure("sum", [](M& a, int n, M& t) { a.sum(n, t); });
      measure("max", [](M& a, int n, M& t) { a.max(n, t); });
      measure("argmax", [](M& a, int n, M& t) { a.argmax(n, t); });
    }
  const auto whole = [&](const char* name, auto run) {
    add(
        label<T>(name, "64M"), kRead,
        [=] { return gpu::read_floor(double(kElements) * sizeof(T)); },
        [=] {
          M a = random<T>({8192, kElements / 8192});
          return gpu::time(kRepeats, [&] { (void)run(a); });
        });
  };
  whole("euclid_norm", [](M& a) { return a.euclid_norm(); });
  whole("manhattan_norm", [](M& a) { return a.manhattan_norm(); });
}

template <class T>
void moving() {
  using M = Matrix<T>;
  for (const Shape shape : {Shape{8192, kElements / 8192}, {8, kElements / 8}, {kElements / 8, 8}})
    add_moving<T>("transpose", shape, kMove, 2, [=](M& a, M&, M& c) {
      c.reshape(shape.transposed());
      a.transpose(c);
    });
  const Shape shape{8192, kElements / 8192};
  add(
      label<T>("get_row_slice", "4096 of 8192 rows"), kMove,
      [=] { return gpu::copy_floor(double(shape.size()) * sizeof(T)); },
      [=] {
        M a = random<T>(shape), half = M::empty({4096, shape.cols});
        return gpu::time(kRepeats, [&] { a.get_row_slice(1000, 5096, half); });
      });
  add(
      label<T>("select_columns", fmt::format("{}", shape)), kMove,
      [=] { return gpu::copy_floor(2.0 * double(shape.size()) * sizeof(T)); },
      [=] {
        M a = random<T>(shape), c = M::empty(shape);
        cudamat::HostMatrix<T> order({1, shape.cols});
        for (Index j = 0; j < shape.cols; ++j) order(0, j) = T((j * 4001 + 17) % shape.cols);
        const M indices(order);
        return gpu::time(kRepeats, [&] { a.select_columns(indices, c); });
      });
}

template <class T>
void product(const char* name, bool trans_a, bool trans_b, Index m, Index n, Index k) {
  using M = Matrix<T>;
  add(
      label<T>(name, fmt::format("{}x{}x{}", m, n, k)), kGemm,
      [=] { return gpu::product_floor<T>(trans_a, trans_b, m, n, k); },
      [=] {
        M a = random<T>(trans_a ? Shape{k, m} : Shape{m, k});
        M b = random<T>(trans_b ? Shape{n, k} : Shape{k, n});
        M c = M::empty({m, n});
        if (trans_a) a = a.T();
        if (trans_b) b = b.T();
        return gpu::time(kRepeats, [&] { cudamat::dot(a, b, c); });
      });
}

template <class T>
void products() {
  product<T>("dot", false, false, 128, 4096, 784);
  product<T>("dot_aT", true, false, 784, 4096, 128);
  product<T>("dot_bT", false, true, 128, 784, 4096);
  product<T>("dot", false, false, 4096, 4096, 4096);
}

/// The report's machine: five products, and every byte of its matrices moved once.
void rbm_step() {
  constexpr Index kVis = 784, kHid = 4096, kBatch = 128;
  add(
      label<float>("rbm_step", "784x4096x128"), kRbm,
      [=] {
        return 2 * gpu::product_floor<float>(true, false, kHid, kBatch, kVis) +
               gpu::product_floor<float>(false, false, kVis, kBatch, kHid) +
               2 * gpu::product_floor<float>(false, true, kVis, kHid, kBatch) +
               gpu::copy_floor(bench::rbm_bytes(kVis, kHid, kBatch, sizeof(float)));
      },
      [=] {
        Matrix<float> data = random<float>({kVis, kBatch});
        rbm::Rbm<Matrix<float>> machine(kVis, {});
        return gpu::time(kRepeats, [&] { machine.step(data, 0); });
      });
}

/// What the host pays to queue a statement.
void small_calls() {
  bench::add_small_call(label<float>("small_add", "64x64"), 5, [] {
    Matrix<float> a = random<float>({64, 64}), b = random<float>({64, 64});
    constexpr int kCalls = 500;  // fewer than the driver queues before it waits
    double best = 1;
    for (int i = 0; i < 20; ++i) {
      cudamat::cuda_sync_threads();
      best = std::min(best, tools::timed([&] {
                        for (int k = 0; k < kCalls; ++k) a.add(b);
                      }));
    }
    return std::pair{best / kCalls, best / kCalls};
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (cudamat::cuda::device_count() == 0) {
    fmt::print(stderr, "cuda_bench: {}\n", cudamat::cuda::describe_device());
    return 77;
  }
  fmt::print(stderr, "cuda_bench: {}\n", cudamat::cuda::describe_device());
  elementwise<float>();
  broadcasts<float>();
  reductions<float>();
  moving<float>();
  elementwise<double>();
  reductions<double>();
  products<float>();
  products<double>();
  rbm_step();
  small_calls();
  return bench::run(argc, argv);
}
