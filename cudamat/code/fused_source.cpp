#include "cudamat/code/fused_source.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "cudamat/code/step_text.hpp"

namespace cudamat::code {
namespace {

constexpr int kMostWork = 192;  ///< of a body
constexpr int kMostPackWork =
    48;  ///< of a body whose code is there once for each element of a pack
constexpr int kMostPackPointers = 12;  ///< whose operands fill the registers as packs

constexpr Spelling kSpelling{"functors::{}{{}}", "v{}", "in[{}]", "number[{}]"};

/// About how much code the steps are, in additions.
int work(const FusedBody& body) {
  int sum = 0;
  for (const FusedStep& step : body.steps) {
    const int ulps = row(step.op).ulps();
    sum += step.op == Op::fill_with_rand    ? 8
           : step.draws()                   ? 0
           : ulps > 4                       ? 12
           : ulps > 0 || step.op == Op::mod ? 4
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
  if (light && loads <= 4) kernel.batch = kernel.pack > 1 ? 2 : 4;
  return kernel;
}

bool fused_within_limits(const FusedBody& body) {
  const FusedKernel kernel = fused_kernel(body, {});
  return pointers(kernel) <= kMostFusedPointers && body.numbers <= kMostFusedNumbers &&
         kernel.uniforms <= kMostFusedUniforms && work(body) <= kMostWork;
}

std::string fused_source(const FusedBody& body, const FusedLayout& layout,
                         const FusedKernel& kernel) {
  const bool reduces = kernel.reduces != FusedReduces::No;
  const char* const type = layout.is_double ? "double" : "float";
  std::string spreads;
  for (const Spread spread : kernel.inputs)
    spreads += fmt::format("{}{}", spreads.empty() ? "" : ", ", text(spread));
  if (spreads.empty()) spreads = text(Spread::One);

  std::string source = fmt::format(
      "#include \"cudamat/cuda/{}.cuh\"\n\nusing namespace cudamat;\n\n"
      "struct Body {{\n"
      "  using Value = {};\n"
      "  static constexpr int kPack = {}, kBatch = {};\n"
      "  static constexpr int kInputs = {}, kUniforms = {}, kNumbers = {}, kTargets = {},\n"
      "                       kValues = {};\n{}\n"
      "  __device__ static constexpr Spread spread(int s) {{\n"
      "    constexpr Spread spreads[] = {{{}}};\n"
      "    return spreads[s];\n  }}\n\n"
      "  __device__ static void compute(const Value* in, const Value* drawn, const Value* number,\n"
      "                                 Value* out) {{\n",
      reduces ? "fused_reduce" : "fused", type, kernel.pack, kernel.batch, kernel.inputs.size(),
      kernel.uniforms, body.numbers, kernel.targets, kernel.stored.size(),
      reduces ? reductions(body, layout, kernel) : "", spreads);
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
  const bool tiles = kernel.reduces == FusedReduces::Tiles;
  const std::string run =
      reduces ? fmt::format("Fused{}<Body>{{call}}.run", tiles ? "Tiles" : "Lanes")
              : fmt::format("FusedKernel<Body>{{call}}.{}", layout.flat ? "flat" : "columns");
  const std::string arguments =
      reduces ? fmt::format("FusedReduceArguments<Body, cuda::{}Plan>", tiles ? "Tile" : "Lane")
              : "FusedArguments<Body>";
  source += fmt::format(
      "  }}\n}};\n\n"
      "extern \"C\" __global__ void __launch_bounds__(cuda::kThreads)\n"
      "    {}(const cuda::{} call) {{\n"
      "  cuda::{}();\n}}\n",
      kFusedName, arguments, run);
  return source;
}

}  // namespace cudamat::code
