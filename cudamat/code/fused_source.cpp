#include "cudamat/code/fused_source.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "cudamat/code/step_text.hpp"

namespace cudamat::code {
namespace {

constexpr int kMostWork = 192;  ///< of a body
constexpr int kMostPackWork =
    48;                         ///< of a body whose code is there once for each element of a pack
constexpr int kMostLoads = 20;  ///< single ones, under way at once
constexpr int kMostPackPointers = 12;  ///< whose operands fill the registers as packs

constexpr Spelling kSpelling{"functors::{}{{}}", "v{}", "in[{}]", "number[{}]"};

/// About how much code the steps are, in additions.
int work(const FusedBody& body) {
  int sum = 0;
  for (const FusedStep& step : body.steps) {
    const int ulps = row(step.op).ulps();
    sum += step.op == Op::fill_with_rand ? 8
           : step.draws()                ? 0
           : ulps > 4                    ? 12
           : ulps > 0 || step.op == Op::mod || step.op == Op::integer_mod ||
                   step.op == Op::integer_divide
               ? 4
               : 1;
  }
  return sum;
}

const char* text(Spread spread) {
  switch (spread) {
    case Spread::Whole:
      return "Spread::Whole";
    case Spread::Row:
      return "Spread::Row";
    case Spread::Column:
      return "Spread::Column";
    case Spread::One:
      return "Spread::One";
  }
  return "";
}

int pointers(const FusedKernel& kernel) {
  return static_cast<int>(kernel.inputs.size() + kernel.stored.size());
}

bool is_light(const FusedBody& body, const FusedKernel& kernel) {
  return work(body) <= kMostPackWork && pointers(kernel) <= kMostPackPointers;
}

/// Whether a kernel of the body may reduce as its layout says.
bool reduces(const FusedBody& body, const FusedLayout& layout) {
  if (layout.reduces == FusedReduces::No) return false;
  const FusedKernel kernel = fused_kernel(body, {.dense = true});
  return !kernel.reduced.empty() && kernel.reduced.size() <= kMostFusedReductions &&
         (layout.reduces != FusedReduces::Tiles || kernel.tiles <= kMostFusedTiles) &&
         is_light(body, kernel);
}

/// What a kernel that reduces has besides.
std::string reductions(const FusedBody& body, const FusedLayout& layout,
                       const FusedKernel& kernel) {
  std::string reducers, tiles;
  auto reduced = kernel.reduced.begin();
  for (const FusedTarget& target : body.targets)
    if (!target.is_stored())
      reducers += fmt::format("{}\n      cuda::FusedReducer<functors::{}, {}>",
                              reducers.empty() ? "" : ",", functor(target.over_axis()), *reduced++);
  int count = 0;
  for (int v = 0; v < std::ssize(kernel.stored); ++v)
    tiles += fmt::format("{}{}", v == 0 ? "" : ", ",
                         std::ranges::count(kernel.reduced, v) > 0 ? count++ : -1);
  return fmt::format(
      "  static constexpr bool kFlat = {};\n"
      "  static constexpr int kTiles = {};\n"
      "  using Reducers = cuda::FusedReducers<{}>;\n\n"
      "  __device__ static constexpr int tile_of(int v) {{\n"
      "    constexpr int tiles[] = {{{}}};\n"
      "    return tiles[v];\n  }}\n",
      layout.flat, count, reducers, tiles);
}

}  // namespace

FusedKernel fused_kernel(const FusedBody& body, const FusedLayout& layout) {
  FusedKernel kernel{.inputs = body.inputs, .normals = {}, .stored = {}, .reduced = {}};
  for (std::size_t s = 0; s < body.steps.size(); ++s) {
    kernel.uniforms += body.steps[s].op == Op::fill_with_rand;
    if (body.steps[s].op != Op::fill_with_randn) continue;
    kernel.normals.push_back(static_cast<int>(s));
    kernel.inputs.push_back(Spread::Whole);
  }
  for (const FusedTarget& target : body.targets)
    if (target.is_stored()) kernel.stored.push_back(target.value);
  kernel.targets = kernel.stored.size();
  if (reduces(body, layout)) kernel.reduces = layout.reduces;
  const bool stores_all = kernel.reduces == FusedReduces::No;
  const auto shared = layout.dense || !stores_all ? 0 : std::ssize(kernel.stored);
  for (const FusedTarget& target : body.targets) {
    if (target.is_stored()) continue;
    auto& stored = kernel.stored;
    auto place = std::find(stored.begin() + shared, stored.end(), target.value);
    if (place == stored.end()) place = stored.insert(place, target.value);
    kernel.reduced.push_back(static_cast<int>(place - stored.begin()));
  }
  for (int v = 0; v < std::ssize(kernel.stored); ++v)
    kernel.tiles += std::ranges::count(kernel.reduced, v) > 0;
  if (stores_all) kernel.targets = kernel.stored.size();
  const bool light = is_light(body, kernel);
  const auto loads = std::ranges::count_if(
      kernel.inputs, [](Spread s) { return s == Spread::Whole || s == Spread::Row; });
  if ((stores_all ? layout.packs : layout.plan_packs) && light)
    kernel.pack = layout.is_double ? 2 : 4;
  if (light && kernel.pack > 1)
    kernel.batch = loads <= 4 ? 2 : 1;
  else if (light)
    kernel.batch = std::clamp<int>(kMostLoads / static_cast<int>(std::max<long>(loads, 1)), 1, 4);
  return kernel;
}

bool fused_within_limits(const FusedBody& body) {
  const FusedKernel kernel = fused_kernel(body, {});
  return pointers(kernel) <= kMostFusedPointers && body.numbers <= kMostFusedNumbers &&
         kernel.uniforms <= kMostFusedUniforms && work(body) <= kMostWork;
}

namespace {

/// The struct Body of cudamat/cuda/fused.cuh, by this name.
std::string struct_text(const std::string& name, const FusedBody& body, const FusedLayout& layout,
                        const FusedKernel& kernel) {
  const char* const type = layout.is_double ? "double" : "float";
  std::string spreads;
  for (const Spread spread : kernel.inputs)
    spreads += fmt::format("{}{}", spreads.empty() ? "" : ", ", text(spread));
  if (spreads.empty()) spreads = text(Spread::One);

  std::string source = fmt::format(
      "struct {} {{\n"
      "  using Value = {};\n"
      "  static constexpr int kPack = {}, kBatch = {};\n"
      "  static constexpr int kInputs = {}, kUniforms = {}, kNumbers = {}, kTargets = {},\n"
      "                       kValues = {};\n{}\n"
      "  __device__ static constexpr Spread spread(int s) {{\n"
      "    constexpr Spread spreads[] = {{{}}};\n"
      "    return spreads[s];\n  }}\n\n"
      "  __device__ static void compute(const Value* in, const Value* drawn, const Value* number,\n"
      "                                 Value* out) {{\n",
      name, type, kernel.pack, kernel.batch, kernel.inputs.size(), kernel.uniforms, body.numbers,
      kernel.targets, kernel.stored.size(),
      kernel.reduces == FusedReduces::No ? "" : reductions(body, layout, kernel), spreads);
  std::size_t normal = body.inputs.size(), uniform = 0;
  for (std::size_t s = 0; s < body.steps.size(); ++s) {
    const FusedStep& step = body.steps[s];
    source += fmt::format("    const Value v{} = {};\n", s,
                          step.op == Op::fill_with_rand    ? fmt::format("drawn[{}]", uniform++)
                          : step.op == Op::fill_with_randn ? fmt::format("in[{}]", normal++)
                                                           : text(step, kSpelling));
  }
  for (std::size_t t = 0; t < kernel.stored.size(); ++t)
    source += fmt::format("    out[{}] = {};\n", t, text(kernel.stored[t], kSpelling));
  return source + "  }\n};\n\n";
}

/// The types of what a kernel is given, and what runs it.
std::string arguments_of(const std::string& name, const FusedKernel& kernel) {
  if (kernel.reduces == FusedReduces::No) return fmt::format("cuda::FusedArguments<{}>", name);
  return fmt::format("cuda::FusedReduceArguments<{}, cuda::{}Plan>", name,
                     kernel.reduces == FusedReduces::Tiles ? "Tile" : "Lane");
}
std::string reducer_of(const std::string& name, const FusedKernel& kernel) {
  return fmt::format("cuda::Fused{}<{}>", kernel.reduces == FusedReduces::Tiles ? "Tiles" : "Lanes",
                     name);
}

std::string include_text(bool reduces) {
  return fmt::format("#include \"cudamat/cuda/{}.cuh\"\n\nusing namespace cudamat;\n\n",
                     reduces ? "fused_reduce" : "fused");
}

std::string kernel_text(const std::string& arguments, const std::string& run) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(cuda::kThreads)\n"
      "    {}(const {} call) {{\n{}}}\n",
      kFusedName, arguments, run);
}

}  // namespace

std::string fused_source(const FusedBody& body, const FusedLayout& layout,
                         const FusedKernel& kernel) {
  const bool reduces = kernel.reduces != FusedReduces::No;
  const std::string run = reduces ? fmt::format("  {}{{call}}.run();\n", reducer_of("Body", kernel))
                                  : fmt::format("  cuda::FusedKernel<Body>{{call}}.{}();\n",
                                                layout.flat ? "flat" : "columns");
  return include_text(reduces) + struct_text("Body", body, layout, kernel) +
         kernel_text(arguments_of("Body", kernel), run);
}

std::string fused_columns_source(const std::vector<FusedColumnPart>& parts) {
  std::string source = include_text(true), members, run;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto& [body, layout, kernel] = parts[k];
    const std::string name = fmt::format("Part{}", k), call = fmt::format("call.part{}", k);
    source += struct_text(name, body, layout, kernel);
    members += fmt::format("  {} part{};\n", arguments_of(name, kernel), k);
    if (k == 0)
      run +=
          fmt::format("  const cuda::BlockColumns mine = cuda::columns_of_block({}.plan);\n", call);
    else
      run += "  __syncthreads();\n";
    run += kernel.reduces != FusedReduces::No
               ? fmt::format("  {}{{{}}}.run();\n", reducer_of(name, kernel), call)
               : fmt::format("  cuda::FusedKernel<{}>{{{}}}.of_block(mine.begin, mine.end);\n",
                             name, call);
  }
  return source + fmt::format("struct Arguments {{\n{}}};\n\n", members) +
         kernel_text("Arguments", run);
}

}  // namespace cudamat::code
