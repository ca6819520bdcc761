// Kernels made of an expression.
#include <algorithm>

#include "cudamat/kernels.hpp"
#include "cudamat/kernels/signature.hpp"

namespace cudamat {
namespace {

constexpr Index kThreads = 256;
constexpr Index kMostBlocks = 65535;
constexpr Index kMostPieces = 1024;  ///< of a reduction
constexpr Index kPiece = 8192;       ///< elements of one, at least

// Parameters that are not the caller's.
constexpr std::size_t kOwnOfElementwise = 1;
constexpr std::size_t kOwnOfReduction = 3;

KernelFunction compiled(const std::string& source, const std::string& name,
                        const std::string& function, bool check) {
  return SourceModule(source, {.check = check, .flags = {}, .name = name}).get_function(function);
}

std::span<const KernelParameter> callers(const KernelFunction& function, std::size_t own) {
  const std::span<const KernelParameter> all = function.parameters();
  return all.first(all.size() - own);
}

/// The size of the arrays, which is the same for all. `own`: parameters that are not the caller's.
Index size_of_arrays(const KernelFunction& function, std::span<const Argument> arguments,
                     std::size_t own) {
  const std::span<const KernelParameter> parameters = callers(function, own);
  const std::size_t expected = parameters.size();
  kernels::check_arguments(function.name(), {parameters.begin(), parameters.end()}, arguments);
  const Argument* first = nullptr;
  std::size_t at = 0;
  for (std::size_t i = 0; i < expected; ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind == Argument::Kind::Number || argument.kind == Argument::Kind::Null) continue;
    if (first != nullptr && argument.size != first->size)
      misuse(Reason::Shape, function.name(),
             "arrays must have the same number of elements: {} has {}, {} has {}",
             parameters[at].name, first->size, parameters[i].name, argument.size);
    if (first == nullptr) {
      first = &argument;
      at = i;
    }
  }
  if (first == nullptr)
    misuse(Reason::Unsupported, function.name(),
           "needs an array among its arguments: it is "
           "computed for each element");
  return first->size;
}

std::string with_newline(const std::string& preamble) {
  return preamble.empty() || preamble.ends_with('\n') ? preamble : preamble + '\n';
}

std::string elementwise_source(const std::string& arguments, const std::string& operation,
                               const std::string& name, const std::string& preamble) {
  return fmt::format(
      "{}__global__ void {}({}, long long n) {{\n"
      "  const long long step_ = (long long)gridDim.x * blockDim.x;\n"
      "  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += step_) "
      "{{\n"
      "    {};\n"
      "  }}\n"
      "}}\n",
      with_newline(preamble), name, arguments, operation);
}

constexpr const char* kReduction =
    R"({preamble}__device__ {type} {name}_combine({type} a, {type} b) {{
  return {reduce};
}}
__device__ void {name}_block({type} mine_, {type}* out_) {{
  __shared__ {type} all_[{threads}];
  all_[threadIdx.x] = mine_;
  __syncthreads();
  for (int half_ = {threads} / 2; half_ > 0; half_ /= 2) {{
    if (threadIdx.x < half_)
      all_[threadIdx.x] = {name}_combine(all_[threadIdx.x], all_[threadIdx.x + half_]);
    __syncthreads();
  }}
  if (threadIdx.x == 0) *out_ = all_[0];
}}
__global__ void {name}_finish(const {type}* parts_, long long n, {type}* out_) {{
  {type} sum_ = {neutral};
  for (long long i = threadIdx.x; i < n; i += {threads}) sum_ = {name}_combine(sum_, parts_[i]);
  {name}_block(sum_, out_);
}}
__global__ void {name}({arguments}, {type}* parts_, long long piece_, long long n) {{
  const long long begin_ = blockIdx.x * piece_;
  const long long end_ = begin_ + piece_ < n ? begin_ + piece_ : n;
  {type} sum_ = {neutral};
  for (long long i = begin_ + threadIdx.x; i < end_; i += {threads})
    sum_ = {name}_combine(sum_, {map});
  {name}_block(sum_, parts_ + blockIdx.x);
}}
)";

}  // namespace

// ---- element by element ----

ElementwiseKernel::ElementwiseKernel(const std::string& arguments, const std::string& operation,
                                     const std::string& name, bool check,
                                     const std::string& preamble)
    : function_(
          compiled(elementwise_source(arguments, operation, name, preamble), name, name, check)) {}

std::span<const KernelParameter> ElementwiseKernel::parameters() const {
  return callers(function_, kOwnOfElementwise);
}

void ElementwiseKernel::run(std::span<const Argument> arguments) const {
  const Index n = size_of_arrays(function_, arguments, kOwnOfElementwise);
  if (n == 0) return;
  std::vector<Argument> all(arguments.begin(), arguments.end());
  all.emplace_back(n);
  const Index blocks = std::min((n + kThreads - 1) / kThreads, kMostBlocks);
  function_.run({.block = {kThreads}, .grid = {blocks}}, all);
}

// ---- reductions ----

template <KernelScalar T>
ReductionKernel<T>::ReductionKernel(const std::string& neutral, const std::string& reduce_expr,
                                    const std::string& map_expr, const std::string& arguments,
                                    const std::string& name, bool check,
                                    const std::string& preamble)
    : ReductionKernel(
          SourceModule(
              fmt::format(fmt::runtime(kReduction), fmt::arg("preamble", with_newline(preamble)),
                          fmt::arg("type", kernels::name_of(scalar_of<T>())),
                          fmt::arg("name", name), fmt::arg("reduce", reduce_expr),
                          fmt::arg("map", map_expr), fmt::arg("neutral", neutral),
                          fmt::arg("arguments", arguments), fmt::arg("threads", kThreads)),
              {.check = check, .flags = {}, .name = name}),
          name) {}

template <KernelScalar T>
ReductionKernel<T>::ReductionKernel(const SourceModule& module, const std::string& name)
    : pieces_(module.get_function(name)), finish_(module.get_function(name + "_finish")) {}

template <KernelScalar T>
std::span<const KernelParameter> ReductionKernel<T>::parameters() const {
  return callers(pieces_, kOwnOfReduction);
}

template <KernelScalar T>
T ReductionKernel<T>::run(std::span<const Argument> arguments) const {
  const Index n = size_of_arrays(pieces_, arguments, kOwnOfReduction);
  const Index pieces = std::clamp<Index>((n + kPiece - 1) / kPiece, 1, kMostPieces);
  std::vector<T> parts(static_cast<std::size_t>(pieces));
  std::vector<Argument> all(arguments.begin(), arguments.end());
  all.push_back(Out(parts));
  all.emplace_back((n + pieces - 1) / pieces);
  all.emplace_back(n);
  pieces_.run({.block = {kThreads}, .grid = {pieces}}, all);
  if (pieces == 1) return parts[0];
  T result[1] = {};
  finish_({.block = {kThreads}, .grid = {1}}, In(parts), pieces, Out(result));
  return result[0];
}

template class ReductionKernel<float>;
template class ReductionKernel<double>;
template class ReductionKernel<int>;
template class ReductionKernel<unsigned>;
template class ReductionKernel<long>;
template class ReductionKernel<long long>;
template class ReductionKernel<unsigned long>;
template class ReductionKernel<unsigned long long>;

}  // namespace cudamat
