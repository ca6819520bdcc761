// The CUDA engine against the GPU's limits: see register.hpp and cuda_limits.hpp. On a machine
// without a GPU it says so and exits with 77.
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "bench/register.hpp"
#include "cudamat/cuda/graph.hpp"
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
constexpr double kCopy = 0.9;    ///< asked of what moves bytes at the copy bandwidth
constexpr double kRead = 0.85;   ///< asked of reductions
constexpr double kMove = 0.85;   ///< asked of transpose, slices and selections
constexpr double kGemm = 0.98;   ///< asked of products
constexpr double kNormal = 0.5;  ///< asked of normals, which take some 60 instructions each
constexpr double kSort = 0.12;   ///< asked of sorts, which pass over the memory some seven times
constexpr double kChoice = 0.4;  ///< asked of selections, whose flags are written and read
constexpr double kLink = 0.8;    ///< asked of transfers of pageable memory, beside pinned memory
constexpr double kScan = 0.6;    ///< asked of cumsum, which reads twice
constexpr double kRbm = 1 / 1.15;

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
  add_moving<T>("fill_with_randn", shape, kNormal, 1, [](M& a, M&, M&) { a.fill_with_randn(); });
  for (const bool normal : {false, true})
    add_moving<T>(normal ? "fill_with_randn_by_curand" : "fill_with_rand_by_curand", shape,
                  normal ? kNormal : kCopy, 1, [=](M& a, M&, M&) {
                    cudamat::cuda::draw_with_curand(true);
                    normal ? a.fill_with_randn() : a.fill_with_rand();
                    cudamat::cuda::draw_with_curand(false);
                  });
}

template <class T>
void broadcasts() {
  using M = Matrix<T>;
  for (const Shape shape : {Shape{8192, kElements / 8192},
                            {8191, kElements / 8192},  // columns that are no whole packs
                            {8, kElements / 8},
                            {kElements / 8, 8}}) {
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
  // Into a target: the host does not wait.
  const auto whole = [&](const char* name, auto run) {
    add(
        label<T>(name, "64M"), kRead,
        [=] { return gpu::read_floor(double(kElements) * sizeof(T)); },
        [=] {
          M a = random<T>({8192, kElements / 8192}), number = M::empty({1, 1});
          return gpu::time(kRepeats, [&] { run(a, number); });
        });
  };
  whole("euclid_norm", [](M& a, M& number) { a.euclid_norm(number); });
  whole("manhattan_norm", [](M& a, M& number) { a.manhattan_norm(number); });
  whole("total_sum", [](M& a, M& number) { a.total_sum(number); });
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
void sorts() {
  using M = Matrix<T>;
  const auto measure = [](const char* name, Shape shape, double target, auto run) {
    add_moving<T>(name, shape, target, 2, [=](M& a, M&, M& c) { run(a, c); });
  };
  for (const Index rows :
       {kElements / 512, kElements / 256, kElements / 128, kElements / 64, kElements}) {
    measure("sort", {rows, 1}, kSort, [](M& a, M& c) { a.sort(c); });
    measure("argsort", {rows, 1}, kSort, [](M& a, M& c) { a.argsort(c); });
  }
  for (const Shape shape : {Shape{256, kElements / 256}, {8192, kElements / 8192}})
    measure("sort", shape, kSort, [](M& a, M& c) { a.sort(c); });
}

/// Along rows, and along one long row.
template <class T>
void scans() {
  using M = Matrix<T>;
  for (const Shape shape : {Shape{8192, kElements / 8192}, {1, kElements}})
    add_moving<T>("cumsum", shape, kScan, 2, [](M& a, M&, M& c) { a.cumsum(c); });
}

/// Of a positive definite matrix; `ops` n^3 operations, against a product's speed.
template <class T>
void solvers() {
  using M = Matrix<T>;
  const auto measure = [](const char* name, Index n, double ops, auto run) {
    add(
        label<T>(name, fmt::format("{}", Shape{n, n})), 0,
        [=] { return ops / 2 * gpu::product_floor<T>(false, false, n, n, n); },
        [=] {
          cudamat::HostMatrix<T> definite({n, n});
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) definite(i, j) = T(1) / T(1 + (i > j ? i - j : j - i));
          for (Index i = 0; i < n; ++i) definite(i, i) = T(16);
          const M a(definite);
          M b = random<T>({n, 64}), square = M::empty({n, n}), solution = M::empty({n, 64});
          return gpu::time(5, [&] { run(a, b, square, solution); });
        });
  };
  for (const Index n : {Index{256}, Index{2048}}) {
    measure("cholesky", n, 1.0 / 3, [](const M& a, M&, M& l, M&) { cudamat::cholesky(a, l); });
    measure("solve", n, 2.0 / 3, [](const M& a, M& b, M&, M& x) { cudamat::solve(a, b, x); });
    measure("inv", n, 2, [](const M& a, M&, M& c, M&) { cudamat::inv(a, c); });
  }
}

/// y = A x and y = A' x, which read A once.
template <class T>
void vector_products() {
  using M = Matrix<T>;
  for (const Shape shape : {Shape{8192, 8192}, {1 << 20, 64}, {64, 1 << 20}})
    for (const bool transposed : {false, true})
      add(
          label<T>(transposed ? "dot_vector_aT" : "dot_vector", fmt::format("{}", shape)), kRead,
          [=] { return gpu::read_floor(double(shape.size()) * sizeof(T)); },
          [=] {
            M a = random<T>(shape);
            M x = random<T>({transposed ? shape.rows : shape.cols, 1});
            M y = M::empty({transposed ? shape.cols : shape.rows, 1});
            if (transposed) a = a.T();
            return gpu::time(kRepeats, [&] { cudamat::dot(a, x, y); });
          });
}

/// What values choose: each of them is a sort or a selection, and waits for the number.
template <class T>
void choices() {
  using M = Matrix<T>;
  const Shape row{1, kElements / 4};
  const auto floor_of = [=](double arrays) {
    return [=] { return gpu::copy_floor(arrays * double(row.cols) * sizeof(T)); };
  };
  add(label<T>("select", fmt::format("{}", row)), kChoice, floor_of(2.5), [=] {
    M a = random<T>(row), mask = random<T>(row), c = M::empty(row);
    mask.less_than(T(0.5));
    return gpu::time(kRepeats, [&] { cudamat::select(a, mask, c); });
  });
  add(label<T>("unique", fmt::format("{}", row)), kSort, floor_of(2), [=] {
    M a = random<T>(row), c = M::empty(row);
    a.mult(T(100'000)).floor();
    return gpu::time(kRepeats, [&] { cudamat::unique(a, c); });
  });
  for (const Index keys : {Index{10}, Index{1'000'000}})
    for (const bool weighed : {false, true})
      add(label<T>(weighed ? "sums_by_key" : "bincount", fmt::format("{} of {}", keys, row.cols)),
          kSort, floor_of(weighed ? 2 : 1), [=] {
            M a = random<T>(row), w = random<T>(row), sums = M::empty({1, keys + 1});
            a.mult(static_cast<T>(keys)).floor();
            return gpu::time(kRepeats, [&] {
              if (weighed)
                cudamat::bincount(a, w, sums);
              else
                cudamat::bincount(a, sums);
            });
          });
  add(label<T>("histogram", fmt::format("100 bins of {}", row.cols)), kSort, floor_of(1), [=] {
    M a = random<T>(row), counts = M::empty({1, 100});
    cudamat::HostMatrix<T> edges({1, 101});
    for (Index k = 0; k < 101; ++k) edges(0, k) = T(k) / 100;
    const M bins(edges);
    return gpu::time(kRepeats, [&] { cudamat::histogram(a, bins, counts); });
  });
}

/// Of pageable memory of the host.
template <class T>
void transfers() {
  using E = typename Matrix<T>::engine;
  for (const bool up : {true, false})
    add(
        label<T>(up ? "copy_to_device" : "copy_to_host", "64M"), kLink,
        [=] { return gpu::link_floor(double(kElements) * sizeof(T), up); },
        [=] {
          Matrix<T> a = random<T>({kElements, 1});
          std::vector<T> host(std::size_t{kElements}, T(1));
          return gpu::time(5, [&] {
            up ? E::copy_to_device(host.data(), a.data(), kElements)
               : E::copy_to_host(a.data(), host.data(), kElements);
          });
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
  product<T>("dot", false, false, 64, 64, 64);
}

/// Products that round their operands, against those that do not.
void tf32_products() {
  for (const Index n : {Index{4096}, Index{1024}})
    add(
        label<float>("dot_tf32", fmt::format("{0}x{0}x{0}", n)), kGemm,
        [=] { return gpu::product_floor<float>(false, false, n, n, n); },
        [=] {
          Matrix<float> a = random<float>({n, n}), b = random<float>({n, n});
          Matrix<float> c = Matrix<float>::empty({n, n});
          cudamat::cuda::set_tf32(true);
          const double seconds = gpu::time(kRepeats, [&] { cudamat::dot(a, b, c); });
          cudamat::cuda::set_tf32(false);
          return seconds;
        });
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

/// What the host pays to queue a statement, by family; and what a statement takes of a graph of so
/// many, launched again and again.
struct SmallOperands {
  Matrix<float> a = random<float>({64, 64}), b = random<float>({64, 64});
  Matrix<float> row = random<float>({1, 64}), number = random<float>({1, 1});
};
template <class F>
void small_call(const std::string& name, F run) {
  const auto calls_of = [run](SmallOperands& on, int count) {
    return [run, &on, count] {
      for (int k = 0; k < count; ++k) run(on.a, on.b, on.row, on.number);
    };
  };
  if (name != "small_empty")
    bench::add_small_call(label<float>(name + "_replayed", "64x64"), 0.5, [=] {
      SmallOperands on;
      constexpr int kCalls = 50;
      const auto calls = calls_of(on, kCalls);
      calls();
      cudamat::cuda::Recorder recorder;
      const cudamat::cuda::Graph graph = recorder.record(calls);
      const double each = gpu::time(20, [&] { graph.launch(); }) / kCalls;
      return std::pair{each, each};
    });
  bench::add_small_call(label<float>(name, "64x64"), 2.5, [=] {
    SmallOperands on;
    constexpr int kCalls = 500;  // fewer than the driver queues before it waits
    double best = 1;
    for (int i = 0; i < 20; ++i) {
      cudamat::cuda_sync_threads();
      best = std::min(best, tools::timed(calls_of(on, kCalls)));
    }
    return std::pair{best / kCalls, best / kCalls};
  });
}

void small_calls() {
  using M = Matrix<float>;
  small_call("small_add", [](M& a, M& b, M&, M&) { a.add(b); });
  small_call("small_add_row_vec", [](M& a, M&, M& row, M&) { a.add_row_vec(row); });
  small_call("small_sum", [](M& a, M&, M& row, M&) { a.sum(0, row); });
  small_call("small_total_sum", [](M& a, M&, M&, M& number) { a.total_sum(number); });
  small_call("small_dot", [](M& a, M& b, M&, M&) { b.add_dot(a, a, 0.5f, 0.5f); });
  small_call("small_fill_with_rand", [](M& a, M&, M&, M&) { a.fill_with_rand(); });
  small_call("small_empty", [](M&, M&, M&, M&) { (void)M::empty({64, 64}); });
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
  sorts<float>();
  scans<float>();
  choices<float>();
  transfers<float>();
  elementwise<double>();
  reductions<double>();
  products<float>();
  products<double>();
  vector_products<float>();
  tf32_products();
  solvers<float>();
  rbm_step();
  small_calls();
  return bench::run(argc, argv);
}
