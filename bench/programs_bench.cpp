// The programs of bench/programs on the GPU, whole: from the first statement to the last, between
// events on the stream, so that copies from and to the host are not part of it. Names are
// program/variant/engine/size:
//
//   fused      passes `fast`          unfused    passes `all`
//   eager      `fast` without replay  literal    passes `default`, without replay
//
// The counter `fraction` is the time of a copy of what the program must move, divided by its time.
// Of programs that repeat a step the figures are of a step. Exit status 77: there is no GPU.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

#include "bench/programs.hpp"
#include "bench/register.hpp"
#include "cudamat/cuda/stream.hpp"
#include "npmat/random.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run_cuda.hpp"
#include "tools/cuda_limits.hpp"

namespace {

namespace cuda = cudamat::cuda;
using cudamat::Index;
using Matrix = cudamat::CUDAMatrix<float>;
using rewriter::StatementList;

constexpr int kWarmUps = 2;
constexpr int kRuns = 5;

struct Input {
  std::string name;
  rewriter::Dims shape;
  float low = 0, high = 1;   ///< of uniform numbers
  bool is_diagonal = false;  ///< instead: a matrix with the eigenvalues 1 and 0.9 to 0
};

struct Program {
  std::string name, text;
  std::vector<Input> inputs;
  std::vector<std::string> outputs;
  double moved;   ///< bytes a step, each array once
  double target;  ///< asked of the fraction
  std::int64_t steps = 1;
};

std::map<std::string, npmat::Array<float>> data_of(const Program& program) {
  npmat::Generator generator;
  std::map<std::string, npmat::Array<float>> data;
  for (const Input& input : program.inputs) {
    std::vector<float> values(static_cast<std::size_t>(npmat::element_count(input.shape)));
    if (input.is_diagonal) {
      const auto n = static_cast<std::size_t>(input.shape[0]);
      for (std::size_t i = 0; i < n; ++i)
        values[i * n + i] =
            i == 0 ? 1.0F : 0.9F * static_cast<float>(n - i) / static_cast<float>(n);
    } else {
      generator.uniform(values.data(), static_cast<Index>(values.size()));
      for (float& x : values) x = input.low + (input.high - input.low) * x;
    }
    data[input.name] = {input.shape, std::move(values)};
  }
  return data;
}

StatementList list_of(const Program& program, const std::string& passes) {
  rewriter::ReadOptions options;
  for (const Input& input : program.inputs) options.shapes[input.name] = input.shape;
  if (program.steps > 1) options.values["steps"] = program.steps;
  const rewriter::Program read =
      rewriter::read(rewriter::Source(program.name + ".py", program.text), options);
  return rewriter::run_passes(rewriter::lower(read, program.outputs),
                              rewriter::parse_pass_names(passes))
      .list;
}

/// Seconds of a run, and how often its first loop came to its first statement.
struct Run {
  double seconds;
  std::int64_t turns;
};

Run run(const StatementList& list, const std::map<std::string, npmat::Array<float>>& data,
        bool replay) {
  using Kind = rewriter::Statement::Kind;
  const auto loop =
      static_cast<std::size_t>(std::find_if(list.statements.begin(), list.statements.end(),
                                            [](const auto& s) { return s.kind == Kind::Loop; }) -
                               list.statements.begin());
  cuda::Event first(true), last(true);
  std::int64_t turns = 0;
  rewriter::RunOptions options;
  options.replay = replay;
  options.before_statement = [&](std::size_t statement) {
    if (statement == 0) first.record();
    if (statement == loop + 1) ++turns;
    if (statement == list.statements.size()) last.record();
  };
  (void)rewriter::run<Matrix>(list, data, options);
  last.synchronize();
  return {1e-3 * static_cast<double>(cuda::elapsed_ms(first, last)), turns};
}

/// The median of some runs, a step.
double seconds_of_step(const Program& program, const std::string& passes, bool replay) {
  const StatementList list = list_of(program, passes);
  const auto data = data_of(program);
  std::vector<double> seconds;
  for (int i = 0; i < kWarmUps + kRuns; ++i) {
    const Run done = run(list, data, replay);
    // A loop that data end has as many steps as it took.
    const auto steps = program.steps > 1 ? program.steps : std::max<std::int64_t>(done.turns, 1);
    if (i >= kWarmUps) seconds.push_back(done.seconds / static_cast<double>(steps));
  }
  std::nth_element(seconds.begin(), seconds.begin() + kRuns / 2, seconds.end());
  return seconds[kRuns / 2];
}

void add(const Program& program, const char* variant, const std::string& passes, bool replay) {
  std::string size;
  for (const Index extent : program.inputs.front().shape)
    size += (size.empty() ? "" : "x") + std::to_string(extent);
  bench::add(
      fmt::format("{}/{}/cuda-float32/{}", program.name, variant, size), program.target,
      [=] { return tools::gpu::copy_floor(program.moved); },
      [=] { return seconds_of_step(program, passes, replay); });
}

void add_all() {
  const Index n = 4096, square = n * n * 4, many = 16 << 20, prices = 4 << 20;
  const std::vector<Program> programs = {
      {"chain", bench::kChain, {{"a", {n, n}}, {"b", {n, n}}}, {"r"}, 3.0 * square, 0.9},
      {"slope", bench::kSlope, {{"d", {n, n}}, {"h", {n, n}}}, {"r"}, 3.0 * square, 0.9},
      {"stencil", bench::kStencil, {{"A", {n, n}}, {"B", {n, n}}}, {"A"}, 2.0 * square, 0.9, 200},
      {"softmax", bench::kSoftmax, {{"x", {n, n}, -4, 4}}, {"y"}, 2.0 * square, 0.8},
      {"black_scholes",
       bench::kBlackScholes,
       {{"price", {prices}, 10, 50}, {"strike", {prices}, 10, 50}, {"years", {prices}, 0.1F, 2}},
       {"call", "put"},
       5.0 * 4 * prices,
       0.9},
      {"adam",
       bench::kAdam,
       {{"p", {many}, -1, 1}, {"g", {many}, -1, 1}, {"m", {many}, -1, 1}, {"v", {many}}},
       {"p", "m", "v"},
       7.0 * 4 * many,
       0.9},
      {"layer_norm",
       bench::kLayerNorm,
       {{"x", {16384, 1024}}, {"gain", {1024}, 0.5F, 1}, {"bias", {1024}, 0.5F, 1}},
       {"y"},
       2.0 * square,
       0.8},
      {"kmeans",
       bench::kKmeans,
       {{"points", {65536, 32}, -2, 2}, {"centres", {64, 32}, -2, 2}},
       {"nearest"},
       4.0 * (65536 * 33 + 64 * 32),
       0},
      {"lstm",
       bench::kLstm,
       {{"c", {256, 512}, -1, 1},
        {"x", {256, 512}, -1, 1},
        {"h", {256, 512}, -1, 1},
        {"W", {512, 2048}, -0.05F, 0.05F},
        {"U", {512, 2048}, -0.05F, 0.05F},
        {"b", {2048}, -0.1F, 0.1F}},
       {"c_next", "h_next"},
       4.0 * (5 * 256 * 512 + 2 * 512 * 2048),
       0},
      {"power",
       bench::kPower,
       {{"A", {200, 200}, 0, 1, true}, {"v", {200}}},
       {"v"},
       4.0 * 200 * 200,
       0},
      {"small", bench::kSmall, {{"a", {8, 8}}, {"b", {8, 8}}}, {"a"}, 3.0 * 4 * 64, 0, 5000},
  };
  for (const Program& program : programs) {
    add(program, "fused", "fast", true);
    add(program, "unfused", "all", true);
    if (program.steps > 1 || program.name == "power") {
      add(program, "eager", "fast", false);
      add(program, "literal", "default", false);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(stderr, "programs_bench: {}\n", cuda::describe_device());
  if (cuda::device_count() == 0) return 77;
  add_all();
  return bench::run(argc, argv);
}
