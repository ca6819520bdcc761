// The layers side by side: the report's machine (UTML TR 2010-002) and a network of two layers,
// each written by hand in Cudamat statements, with garrays, and as statements that the rewriter
// makes of the program in NumPy's notation. Names are workload/layer/engine/size. GNUMPY_USE_GPU
// chooses the engine of all.
//
// A step of each is the same work: from a batch of data on the device to updated weights and the
// error of the batch, for which the host waits. Of the rewriter's lists it is one iteration of the
// inner loop, between the times when the runner comes to its first statement and to its end.
//
// Counters: `median_us`; `processor_us`, the best of the processor's time; `ratio` and
// `processor_ratio`, to the step by hand in the same turn (bench::Result); `peak_ratio`, to the
// peak by hand; and the figures of bench::Cost. What is counted by hand, an engine counts
// (counting.hpp); of the lists, the statements are; of garrays, gnumpy::work_done() tells it.
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/counting.hpp"
#include "bench/layers.hpp"
#include "bench/programs.hpp"
#include "bench/register.hpp"
#include "gnumpy/engine.hpp"
#include "gnumpy/gnumpy.hpp"
#include "npmat/random.hpp"
#include "rewriter/run/run.hpp"
#include "tools/limits.hpp"
#include "tools/network_gnumpy.hpp"
#include "tools/rbm_gnumpy.hpp"
#ifdef LAYERS_CUDA
#include "rewriter/run/run_cuda.hpp"
#endif

namespace {

namespace gpu = gnumpy;
using bench::Cost;
using bench::Layer;
using bench::Seconds;
using cudamat::Index;
using npmat::Array;

constexpr Index kBatch = 128;
constexpr Index kBatches = 8;  // the steps of a turn
constexpr Index kCases = kBatch * kBatches;
constexpr Index kVisible = 784, kHidden = 4096;                    // of the report's machine
constexpr Index kInputs = 784, kHiddenLayer = 512, kClasses = 10;  // of the network

/// Data and weights in C order, as NumPy has them; a case a row.
struct Start {
  std::map<std::string, Array<float>> arrays;

  Array<float>& make(const std::string& name, const std::vector<Index>& shape) {
    const auto size = static_cast<std::size_t>(npmat::element_count(shape));
    return arrays[name] = {shape, std::vector<float>(size)};
  }
  Array<float>& uniform(const std::string& name, const std::vector<Index>& shape) {
    Array<float>& array = make(name, shape);
    generator.uniform(array.data.data(), array.size());
    return array;
  }
  void normal(const std::string& name, const std::vector<Index>& shape, float deviation) {
    Array<float>& array = make(name, shape);
    generator.normal(array.data.data(), array.size());
    for (float& x : array.data) x *= deviation;
  }
  /// The array as a matrix; or with a case a column.
  template <class M>
  [[nodiscard]] M matrix(const std::string& name) const {
    const Array<float>& a = arrays.at(name);
    return M(cudamat::reformat<float>(std::span<const float>(a.data), {a.shape[0], a.shape[1]}));
  }
  template <class M>
  [[nodiscard]] M columns(const std::string& name) const {
    return matrix<M>(name).transpose();
  }
  [[nodiscard]] std::map<std::string, rewriter::Dims> shapes() const {
    std::map<std::string, rewriter::Dims> result;
    for (const auto& [name, array] : arrays) result[name] = array.shape;
    return result;
  }
  [[nodiscard]] gpu::garray garray(const std::string& name) const {
    return gpu::garray(arrays.at(name));
  }

  npmat::Generator generator;
};

/// A model with its data, ready to run the step of a batch.
using Step = std::function<void(Index)>;

void time_steps(std::vector<Seconds>& seconds, const Step& step) {
  for (Index batch = 0; batch < kBatches; ++batch) {
    const Seconds start = bench::now();
    step(batch);
    seconds.push_back(bench::now() - start);
  }
}

/// make.template operator()<M>() gives the step of a model written by hand, in which there are so
/// many views: statements that the engine does not see.
template <class M, class Make>
Layer by_hand(Make make, int views) {
  const Step step = make.template operator()<M>();
  const auto cost = [make, views] {
    using Engine = bench::Counting<typename M::engine>;
    const Step counted = make.template operator()<cudamat::Matrix<Engine>>();
    bench::Work& work = Engine::work();
    work.peak_bytes = work.bytes;
    const bench::Work before = work;
    counted(0);
    const auto launches = static_cast<double>(work.launches - before.launches);
    return Cost{launches + views, launches,
                static_cast<double>(work.allocations - before.allocations), work.peak_bytes};
  };
  return {"cudamat", [step](std::vector<Seconds>& seconds) { time_steps(seconds, step); }, cost};
}

/// make() gives the step of a model made of garrays, which are computed after these passes.
template <class Make>
Layer with_garrays(const std::string& passes, Make make) {
  const Step step = make();
  const auto time = [=](std::vector<Seconds>& seconds) {
    gpu::passes(passes);
    time_steps(seconds, step);
  };
  const auto cost = [=] {
    gpu::passes(passes);
    const std::int64_t others = gpu::memory_in_use();
    const Step counted = make();
    counted(0);  // from the second step on there is memory to use again
    gpu::reset_peak_memory();
    const gpu::Work before = gpu::work_done();
    counted(1);
    const gpu::Work after = gpu::work_done();
    return Cost{static_cast<double>(after.statements - before.statements),
                static_cast<double>(after.launches - before.launches),
                static_cast<double>(after.allocations - before.allocations),
                gpu::peak_memory() - others};
  };
  return {"gnumpy-" + passes, time, cost};
}

/// A list of the rewriter's; `inputs` are those of its program.
template <class M>
Layer rewritten(const bench::Training& training, const std::string& passes,
                const std::map<std::string, Array<float>>& inputs) {
  const rewriter::StatementList list = bench::list_of(training, passes);
  const bench::Body body = bench::last_loop(list);
  const auto peak = std::make_shared<std::int64_t>(0);
  const auto time = [=](std::vector<Seconds>& seconds) {
    Seconds start;
    rewriter::RunOptions options;
    options.print = [](const std::string&) {};
    options.before_statement = [&](std::size_t statement) {
      if (statement == body.first) start = bench::now();
      if (statement != body.end) return;
      M::engine::synchronize();
      seconds.push_back(bench::now() - start);
    };
    *peak = rewriter::run<M>(list, inputs, options).peak_bytes;
  };
  const auto cost = [=] {
    Cost of_step = bench::cost_of_step(list);
    of_step.peak_bytes = *peak;
    return of_step;
  };
  return {"rewriter-" + passes, time, cost};
}

/// Registers the layers of a model, by hand first; they are measured when the first is asked for.
void add_race(const std::string& workload, const std::string& engine, const std::string& size,
              const std::vector<Layer>& layers) {
  const auto results = std::make_shared<std::vector<bench::Result>>();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto report = [=](benchmark::State& state) {
      if (results->empty()) *results = bench::race(layers);
      const bench::Result& by_hand = results->front();
      const bench::Result& result = (*results)[i];
      for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(result.best.clock);
      const auto peak = static_cast<double>(result.cost.peak_bytes);
      state.counters["ratio"] = result.ratio.clock;
      state.counters["median_us"] = result.median.clock * 1e6;
      state.counters["processor_us"] = result.best.processor * 1e6;
      state.counters["processor_ratio"] = result.ratio.processor;
      state.counters["statements"] = result.cost.statements;
      state.counters["launches"] = result.cost.launches;
      state.counters["allocations"] = result.cost.allocations;
      state.counters["peak_bytes"] = peak;
      state.counters["peak_ratio"] = peak / static_cast<double>(by_hand.cost.peak_bytes);
    };
    benchmark::RegisterBenchmark(
        fmt::format("{}/{}/{}/{}", workload, layers[i].name, engine, size).c_str(), report)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
}

constexpr const char* kGnumpyPasses[] = {"default", "all"};
constexpr const char* kListPasses[] = {"none", "default", "all", "fast"};

/// The four ways of a model: by hand and with garrays as these make them, by the rewriter as the
/// program says.
template <class M, class Hand, class Garrays>
std::vector<Layer> layers_of(Hand hand, int views, Garrays garrays, const bench::Training& training,
                             const Start& start) {
  std::vector<Layer> layers{by_hand<M>(hand, views)};
  for (const char* passes : kGnumpyPasses) layers.push_back(with_garrays(passes, garrays));
  for (const char* passes : kListPasses)
    layers.push_back(rewritten<M>(training, passes, start.arrays));
  return layers;
}

template <class M>
void rbm_step(const std::string& engine) {
  const auto start = std::make_shared<Start>();
  start->uniform("dat", {kCases, kVisible});
  start->normal("w_vh", {kVisible, kHidden}, 0.1F);
  const auto hand = [start]<class N>() -> Step {
    struct Model {
      N data;
      rbm::Rbm<N> machine;
    };
    const auto model =
        std::make_shared<Model>(Model{start->columns<N>("dat"), {start->matrix<N>("w_vh"), {}}});
    return [model](Index batch) { model->machine.step(model->data, batch); };
  };
  const auto garrays = [start]() -> Step {
    const auto machine = std::make_shared<rbm::GnumpyRbm>(start->garray("w_vh"), rbm::Settings{});
    return [machine, dat = start->garray("dat")](Index batch) { machine->step(dat, batch); };
  };
  const bench::Training training{
      "rbm.py", bench::kRbmProgram, "rbm", start->shapes(), {{"num_epochs", 1}}};
  add_race("rbm_step", engine, fmt::format("{}x{}x{}", kVisible, kHidden, kBatch),
           layers_of<M>(hand, 1, garrays, training, *start));
}

template <class M>
void network_step(const std::string& engine) {
  const auto start = std::make_shared<Start>();
  start->uniform("dat", {kCases, kInputs});
  for (float& label : start->uniform("labels", {kCases, kClasses}).data) label = label < 0.1F;
  start->normal("w_1", {kInputs, kHiddenLayer}, 0.05F);
  start->normal("w_2", {kHiddenLayer, kClasses}, 0.05F);
  const auto hand = [start]<class N>() -> Step {
    struct Model {
      N data, labels;
      network::Network<N> network;
    };
    const auto model =
        std::make_shared<Model>(Model{start->columns<N>("dat"),
                                      start->columns<N>("labels"),
                                      {start->matrix<N>("w_1"), start->matrix<N>("w_2"), {}}});
    return [model](Index batch) { model->network.step(model->data, model->labels, batch); };
  };
  const auto garrays = [start]() -> Step {
    const auto network = std::make_shared<network::GnumpyNetwork>(
        start->garray("w_1"), start->garray("w_2"), network::Settings{});
    return [network, dat = start->garray("dat"), labels = start->garray("labels")](Index batch) {
      network->step(dat, labels, batch);
    };
  };
  const bench::Training training{
      "network.py", bench::kNetworkProgram, "train", start->shapes(), {{"num_epochs", 1}}};
  add_race("network_step", engine,
           fmt::format("{}x{}x{}x{}", kInputs, kHiddenLayer, kClasses, kBatch),
           layers_of<M>(hand, 2, garrays, training, *start));
}

/// What an operation on 8x8 arrays costs, most of it not its arithmetic. The code is the name.
void small_operations(const std::string& engine) {
  static gpu::garray a = gpu::rand({8, 8}), b = gpu::rand({8, 8}), row = gpu::rand(8), c;
  const auto add = [&](const char* code, int operations, void (*run)()) {
    bench::add_small_call(fmt::format("{}/gnumpy/{}/8x8", code, engine), 3, [=] {
      gpu::passes("default");
      constexpr int kCalls = 200;
      const double calls = tools::best_time(200, [&] {
        for (int i = 0; i < kCalls; ++i) run();
      });
      const double operation = calls / (kCalls * operations);
      return std::pair{operation, operation};
    });
  };
#define SMALL(operations, code) add(#code, operations, [] { code; })
  SMALL(1, c = a + b);
  SMALL(1, c += b);
  SMALL(1, c = a > 0.5);
  SMALL(3, c = (a + b) * row - 1);
  SMALL(1, c = gpu::exp(a));
  SMALL(1, c = gpu::dot(a, b));
  SMALL(3, c = (gpu::dot(a, b) + row).logistic());
  SMALL(3, c += gpu::dot(a.T(), b) * 0.001);
  SMALL(2, c = gpu::where(a > 0.5, a, b));
  SMALL(1, c = a.sum(0));
  SMALL(2, c += a.sum().item());
  SMALL(1, c = a.rand());
  SMALL(1, c = a[3]);
  SMALL(1, c = a(gpu::all, 3));
  SMALL(1, b[3] = 1.0);
  SMALL(2, b[gpu::slice(0, 4)] += a[gpu::slice(4, 8)]);
#undef SMALL
}

template <class M>
int measure(const std::string& engine, int argc, char** argv) {
  rbm_step<M>(engine);
  network_step<M>(engine);
  small_operations(engine);
  return bench::run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) try {
  const gnumpy::detail::Engine& engine = gnumpy::detail::engine();
  if (engine.bytes_per_element() != sizeof(float))
    cudamat::misuse("GNUMPY_CPU_PRECISION", "must be 32 here; it asks for {}", engine.name());
  fmt::print(stderr, "layers_bench: {}\n", engine.name());
#ifdef LAYERS_CUDA
  if (engine.on_gpu()) return measure<cudamat::CUDAMatrix<float>>("cuda-float32", argc, argv);
#endif
  return measure<npmat::CUDAMatrix<float>>("npmat-float32", argc, argv);
} catch (const cudamat::CUDAMatException& error) {
  fmt::print(stderr, "layers_bench: {}\n", error.what());
  return 2;
}
