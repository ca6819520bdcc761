#include "tools/rbm_layers.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "gnumpy/gnumpy.hpp"
#include "npmat/npmat.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run.hpp"
#include "tools/memory.hpp"
#include "tools/rbm_gnumpy.hpp"
#include "tools/rbm_program.hpp"

#ifdef TOOLS_CUDA
#include "rewriter/run/run_cuda.hpp"
#endif

namespace rbm {

namespace {

/// Calls f with a null pointer to the matrix type of the engine.
template <class T, class F>
auto with_matrix(bool gpu, const F& f) {
#ifdef TOOLS_CUDA
  if constexpr (!std::is_same_v<T, long double>) {
    if (gpu) return f(static_cast<cudamat::CUDAMatrix<T>*>(nullptr));
  }
#endif
  (void)gpu;
  return f(static_cast<npmat::CUDAMatrix<T>*>(nullptr));
}

/// The epochs of a layer that has a step for each batch.
template <class T, class Step, class Read>
Weights<T> train_by_steps(const Task<T>& task, const Observer<T>& observer, const Step& step,
                          const Read& weights) {
  const Index batches = task.batches();
  observer.begin();
  for (int epoch = 0; epoch < task.epochs; ++epoch) {
    double error = 0;
    for (Index batch = 0; batch < batches; ++batch) {
      error += step(batch);
      observer.after_batch(batch + 1);
    }
    observer.after_epoch(error / static_cast<double>(batches), weights);
  }
  return weights();
}

// ---- Cudamat ----

/// The rows of the array as columns: the same numbers in the same order.
template <class M, class T>
M columns(const npmat::Array<T>& rows) {
  cudamat::HostMatrix<T> host({rows.shape[1], rows.shape[0]});
  std::copy(rows.data.begin(), rows.data.end(), host.data());
  return M(std::move(host));
}

/// The columns of a matrix as the rows of an array of this shape.
template <class M>
npmat::Array<typename M::value_type> to_rows(M& matrix, std::vector<Index> shape) {
  const auto values = matrix.asarray().values();
  return {std::move(shape), {values.begin(), values.end()}};
}

template <class M, class T>
Weights<T> train_cudamat(const Task<T>& task, const Observer<T>& observer) {
  M::init_random(task.seed);
  const M data = columns<M>(task.data);
  std::optional<M> draws;
  if (!task.draws.data.empty()) draws = columns<M>(task.draws);
  Rbm<M> machine(columns<M>(task.weights).transpose(), task.settings);
  const auto weights = [&] {
    M turned = machine.w_vh.transpose();
    return Weights<T>{to_rows(turned, task.weights.shape),
                      to_rows(machine.w_v, {task.weights.shape[0]}),
                      to_rows(machine.w_h, {task.weights.shape[1]})};
  };
  return train_by_steps(
      task, observer,
      [&](Index batch) { return machine.step(data, batch, draws ? &*draws : nullptr); }, weights);
}

// ---- gnumpy ----

/// gnumpy takes its engine from the environment when the first array is made.
template <class T>
void choose_for_gnumpy(bool gpu) {
  setenv("GNUMPY_USE_GPU", gpu ? "yes" : "no", 1);
  const char* const bits = std::is_same_v<T, float>    ? "32"
                           : std::is_same_v<T, double> ? "64"
                                                       : "128";
  setenv("GNUMPY_CPU_PRECISION", bits, 1);
}

template <class T>
Weights<T> train_gnumpy(bool gpu, const Task<T>& task, const Observer<T>& observer) {
  namespace gpu_ = gnumpy;
  choose_for_gnumpy<T>(gpu);
  gpu_::seed_rand(task.seed);
  const gpu_::garray dat(task.data);
  std::optional<gpu_::garray> draws;
  if (!task.draws.data.empty()) draws.emplace(task.draws);
  GnumpyRbm machine(gpu_::garray(task.weights), task.settings);
  return train_by_steps(
      task, observer,
      [&](Index batch) { return machine.step(dat, batch, draws ? &*draws : nullptr); },
      [&] {
        return Weights<T>{machine.w_vh.template as_numpy_array<T>(),
                          machine.w_v.template as_numpy_array<T>(),
                          machine.w_h.template as_numpy_array<T>()};
      });
}

// ---- the rewriter ----

/// The statements of the report's program for this task.
template <class T>
rewriter::StatementList statements(const Task<T>& task, const std::string& passes) {
  rewriter::ReadOptions given;
  given.function = "rbm";
  given.shapes = {{"dat", task.data.shape}, {"w_vh", task.weights.shape}};
  if (!task.draws.data.empty()) given.shapes["draws"] = task.draws.shape;
  given.values = {{"num_epochs", std::int64_t{task.epochs}},
                  {"batch_size", task.settings.batch_size},
                  {"epsilon", task.settings.epsilon},
                  {"momentum", task.settings.momentum}};
  const rewriter::Program program = rewriter::read({"rbm.py", kProgram}, given);
  return rewriter::run_passes(rewriter::lower(program, {"w_vh", "w_v", "w_h"}),
                              rewriter::parse_pass_names(passes))
      .list;
}

/// The End of the innermost loop, which is that over the batches; passes may have drawn some of
/// them out before it.
std::size_t end_of_batch(const rewriter::StatementList& list) {
  const rewriter::LoopNesting nesting = rewriter::loop_nesting(list);
  std::size_t end = rewriter::kNoStatement;
  for (std::size_t i = 0; i < list.statements.size(); ++i)
    if (list.statements[i].kind == rewriter::Statement::Kind::End &&
        nesting.around[nesting.partner[i]] != rewriter::kNoStatement)
      end = i;
  return end;
}

/// "Mean squared error: 0.25\n"
double error_in(const std::string& line) {
  return std::strtod(line.substr(line.rfind(' ') + 1).c_str(), nullptr);
}

template <class M, class T>
Weights<T> train_rewriter(const std::string& passes, const Task<T>& task,
                          const Observer<T>& observer) {
  const rewriter::StatementList list = statements(task, passes);
  const std::size_t end = end_of_batch(list);
  Index batches = 0;
  std::optional<double> error;
  rewriter::RunOptions options;
  options.seed = task.seed;
  if (std::is_same_v<M, npmat::CUDAMatrix<T>>) options.memory_limit = tools::memory_available();
  options.print = [&](const std::string& line) { error = error_in(line); };
  options.before_statement = [&](std::size_t at) {
    if (at == 0) observer.begin();
    if (at == end) observer.after_batch(++batches);
    if (!error) return;
    observer.after_epoch(*error, {});
    error.reset();
    batches = 0;
  };
  std::map<std::string, npmat::Array<T>> inputs{{"dat", task.data}, {"w_vh", task.weights}};
  if (!task.draws.data.empty()) inputs["draws"] = task.draws;
  auto outputs = rewriter::run<M>(list, inputs, options).outputs;
  return {std::move(outputs.at("w_vh")), std::move(outputs.at("w_v")),
          std::move(outputs.at("w_h"))};
}

}  // namespace

std::string Layer::name() const {
  switch (kind) {
    case Kind::Cudamat:
      return "cudamat";
    case Kind::Gnumpy:
      return "gnumpy";
    default:
      return "rewriter " + passes;
  }
}

template <class T>
Weights<T> train(const Layer& layer, bool gpu, const Task<T>& task, const Observer<T>& observer) {
  if (layer.kind == Layer::Kind::Gnumpy) return train_gnumpy(gpu, task, observer);
  return with_matrix<T>(gpu, [&]<class M>(M* /*type*/) {
    return layer.kind == Layer::Kind::Cudamat ? train_cudamat<M>(task, observer)
                                              : train_rewriter<M>(layer.passes, task, observer);
  });
}

template <class T>
std::string engine_name(const Layer& layer, bool gpu) {
  if (layer.kind == Layer::Kind::Gnumpy) {
    choose_for_gnumpy<T>(gpu);
    const std::string status = gnumpy::status();
    return status.substr(0, status.find(" ("));
  }
  return with_matrix<T>(gpu, []<class M>(M* /*type*/) { return std::string(M::engine::name()); });
}

template Weights<float> train(const Layer&, bool, const Task<float>&, const Observer<float>&);
template Weights<double> train(const Layer&, bool, const Task<double>&, const Observer<double>&);
template Weights<long double> train(const Layer&, bool, const Task<long double>&,
                                    const Observer<long double>&);
template std::string engine_name<float>(const Layer&, bool);
template std::string engine_name<double>(const Layer&, bool);
template std::string engine_name<long double>(const Layer&, bool);

}  // namespace rbm
