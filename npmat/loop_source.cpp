#include "npmat/loop_source.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "cudamat/code/digest.hpp"
#include "cudamat/code/headers.hpp"
#include "cudamat/code/step_text.hpp"
#include "cudamat/error.hpp"

namespace npmat::fused {

/// Those that loops include.
std::span<const cudamat::code::Header> headers();

namespace {

using cudamat::FusedBody;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::code::Digester;
using cudamat::code::Header;

constexpr std::string_view kHeaders =
    "#define CUDAMAT_ONE_MACHINE\n"
    "#include \"npmat/reducers.hpp\"\n"
    "#include \"npmat/region_calls.hpp\"\n"
    "#include \"npmat/vector_math.hpp\"\n";
constexpr std::string_view kBeginning = R"cpp(
  namespace functors = cudamat::functors;
  template <class F>
  using OnCpu = typename npmat::OnCpu<F>::Type;

  /// x, of which the compiler knows nothing.
  template <class T>
  inline T opaque(T x) {
    asm("" : "+m"(x));
    return x;
  }

#ifdef __clang__
#define NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NO_DEPENDENCE _Pragma("GCC ivdep")
#endif
)cpp";

/// The text, with our own headers in the place of the lines that include them.
void add_with_headers(std::string_view text, std::set<std::string_view>& known,
                      std::string& result) {
  constexpr std::string_view kInclude = "#include \"";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line == "#pragma once") continue;
    if (!line.starts_with(kInclude)) {
      result.append(line) += '\n';
      continue;
    }
    const std::string_view rest = line.substr(kInclude.size());
    const std::string_view name = rest.substr(0, rest.find('"'));
    if (!known.insert(name).second) continue;
    const auto found = std::ranges::find(headers(), name, &Header::name);
    if (found == headers().end())
      throw cudamat::InternalError(fmt::format("fused: {} is not embedded", name));
    add_with_headers(found->text, known, result);
  }
}

}  // namespace

LoopOutputs loop_outputs(const FusedBody& body) {
  LoopOutputs outputs;
  for (const FusedTarget& target : body.targets) {
    if (!target.is_stored()) continue;
    outputs.values.push_back(target.value);
  }
  const auto stored = std::ssize(outputs.values);
  int next = 0;
  for (const FusedTarget& target : body.targets) {
    if (target.is_stored()) {
      outputs.of_target.push_back(next++);
      continue;
    }
    auto& values = outputs.values;
    auto place = std::find(values.begin() + stored, values.end(), target.value);
    if (place == values.end()) place = values.insert(place, target.value);
    outputs.of_target.push_back(static_cast<int>(place - values.begin()));
  }
  return outputs;
}

bool loop_within_limits(const FusedBody& body) {
  const auto draws = std::ranges::count_if(body.steps, &FusedStep::draws);
  return std::ssize(body.inputs) + draws <= kMostLoopPointers &&
         std::ssize(body.targets) <= kMostLoopPointers && std::ssize(body.steps) <= kMostLoopSteps;
}

LoopCode loop_code(const FusedBody& body, const LoopLayout& layout) {
  const std::string_view type = layout.type;
  const LoopOutputs outputs = loop_outputs(body);
  std::string before, inside;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const bool single = (layout.single >> i & 1) != 0;
    if (single) {
      before += fmt::format("  const {0} in{1} = *in[{1}];\n", type, i);
      continue;
    }
    before += fmt::format("  const {0}* const from{1} = in[{1}];\n", type, i);
    inside += fmt::format("    const {0} in{1} = from{1}[i];\n", type, i);
  }
  for (int n = 0; n < body.numbers; ++n)
    before += fmt::format("  const {0} number{1} = number[{1}];\n", type, n);
  std::size_t drawn = body.inputs.size();
  for (std::size_t s = 0; s < body.steps.size(); ++s) {
    const FusedStep& step = body.steps[s];
    if (step.draws()) before += fmt::format("  const {0}* const from{1} = in[{1}];\n", type, drawn);
    inside +=
        fmt::format("    const {} v{} = {};\n", type, s,
                    step.draws() ? fmt::format("from{}[i]", drawn++) : text(step, kLoopSpelling));
  }
  for (std::size_t o = 0; o < outputs.values.size(); ++o) {
    before += fmt::format("  {0}* const out{1} = out[{1}];\n", type, o);
    inside += fmt::format("    out{}[i] = {};\n", o, text(outputs.values[o], kLoopSpelling));
  }
  return named_function(fmt::format(
      "(const {0}* const* in, const {0}* number, {0}* const* out, long n, const char* ahead,"
      " long lines) {{\n{1}"
      "  const long some = lines == 0 ? n : {3};\n"
      "  for (long begin = 0; begin < n; begin += some) {{\n"
      "    const long end = n - begin < some ? n : begin + some;\n"
      "    for (long l = 0; l < lines; ++l, ahead += 64) __builtin_prefetch(ahead, 0, 2);\n"
      "    NO_DEPENDENCE\n    for (long i = begin; i < end; ++i) {{\n{2}    }}\n  }}\n}}\n",
      type, before, inside, kLoopBlock));
}

LoopCode named_function(const std::string& rest) {
  const std::string name =
      "fused_" + cudamat::code::hex(Digester().bytes(rest).finish()).substr(0, 24);
  return {name,
          "\nextern \"C\" __attribute__((visibility(\"default\"), flatten)) void " + name + rest};
}

std::string loop_source(const std::vector<LoopCode>& functions) {
  std::string source;
  std::set<std::string_view> known;
  add_with_headers(kHeaders, known, source);
  source += kBeginning;
  for (const LoopCode& function : functions) source += function.text;
  return source;
}

}  // namespace npmat::fused
