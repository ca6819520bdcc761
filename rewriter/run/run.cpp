#include "rewriter/run/run.hpp"

#include <fmt/format.h>
#include <utility>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/run/runner.hpp"

namespace rewriter {

Raised::Raised(std::string kind, std::string told, SourceLocation place)
    : std::runtime_error(told.empty() ? kind : fmt::format("{}: {}", kind, told)),
      type(std::move(kind)),
      text(std::move(told)),
      where(place) {}

template <class T>
npmat::Array<T> Array::as_cuda() const {
  const StatementList list = lower(node());
  return std::move(run<npmat::CUDAMatrix<T>>(list, {}).outputs.begin()->second);
}

#define INSTANTIATE(T)                                                                         \
  template class PreparedList<npmat::CUDAMatrix<T>>;                                           \
  template RunResult<T> run<npmat::CUDAMatrix<T>>(                                             \
      const StatementList&, const std::map<std::string, npmat::Array<T>>&, const RunOptions&); \
  template npmat::Array<T> Array::as_cuda<T>() const;
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace rewriter
