#include "rewriter/statement.hpp"

#include "cudamat/error.hpp"

namespace rewriter {

cudamat::Shape matrix_shape(const Dims& dims) {
  switch (dims.size()) {
    case 0:
      return {1, 1};
    case 1:
      return {1, dims[0]};
    case 2:
      return {dims[0], dims[1]};
    default:
      throw cudamat::InternalError(
          fmt::format("an array of {} dimensions has no matrix", dims.size()));
  }
}

Var owner(const StatementList& list, Var var) {
  const Var base = list.variables[static_cast<std::size_t>(var)].view_of;
  return base == kNoVar ? var : base;
}

bool reads_target(const Statement& call) {
  using cudamat::Family;
  switch (cudamat::row(call.op).family) {
    case Family::Scaled:
    case Family::Modulate:
      return true;
    case Family::Product:
      return !call.numbers.empty() && call.numbers[0] != 0;
    case Family::Accumulate:
    case Family::AddProduct:
      return call.numbers[1] != 0;
    default:
      return false;
  }
}

}  // namespace rewriter
