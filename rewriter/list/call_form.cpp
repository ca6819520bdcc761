#include "rewriter/list/call_form.hpp"

#include <string_view>
#include <unordered_map>

namespace rewriter {

namespace {

using cudamat::Family;
using What = CallArgument::What;
using When = CallArgument::When;

constexpr CallArgument kA{What::Operand, 0};
constexpr CallArgument kB{What::Operand, 1};
constexpr CallArgument kC{What::Operand, 2};
constexpr CallArgument kNumber{What::Number, 0};
constexpr CallArgument kFirst{What::Integer, 0};
constexpr CallArgument kLast{What::Integer, 1};
constexpr CallArgument kAxis{What::Integer, 0, "axis"};
constexpr CallArgument kTarget{What::Target, 0, "target"};
constexpr CallArgument kTargetIfElsewhere{What::Target, 0, "target", When::IfElsewhere};
constexpr CallArgument kMult{What::Number, 0, "mult", When::IfNot1};
constexpr CallArgument kBeta{What::Number, 1, "beta", When::IfNot1};

constexpr CallArgument kUnary[] = {kTargetIfElsewhere};
constexpr CallArgument kUnaryScalar[] = {kNumber, kTargetIfElsewhere};
constexpr CallArgument kBinary[] = {{What::OperandOrNumber, 1}, kTargetIfElsewhere};
constexpr CallArgument kBroadcast[] = {kB, kTargetIfElsewhere};
constexpr CallArgument kColScaled[] = {kB, kNumber, kTargetIfElsewhere};
constexpr CallArgument kScaled[] = {kA, {What::Number, 0, {}, When::IfNot1}};
constexpr CallArgument kModulate[] = {kA};
constexpr CallArgument kWhere[] = {kB, kC, kTarget};
constexpr CallArgument kSum[] = {kAxis, kTarget, {What::Number, 0, "mult", When::IfPresent}};
constexpr CallArgument kReduction[] = {kAxis, kTarget};
constexpr CallArgument kAccumulate[] = {kA, kAxis, kMult, kBeta};
constexpr CallArgument kWholeOfTwo[] = {kB};
constexpr CallArgument kAssign[] = {{What::OperandOrNumber, 0}};
constexpr CallArgument kProduct[] = {kB,
                                     kTarget,
                                     {What::Number, 0, "beta", When::IfPresent, 0},
                                     {What::Number, 1, "alpha", When::IfPresent, 1}};
constexpr CallArgument kAddProduct[] = {kA, kB, kMult, kBeta};
constexpr CallArgument kOneMatrix[] = {kTarget};
constexpr CallArgument kTwoMatrices[] = {kB, kTarget};
constexpr CallArgument kCounts[] = {{What::Operand, 1, {}, When::IfPresent}, kTarget};
constexpr CallArgument kLeastSquares[] = {kB, kNumber, kTarget};
constexpr CallArgument kGetSlice[] = {kFirst, kLast, kTarget};
constexpr CallArgument kSetSlice[] = {kFirst, kLast, kA};
constexpr CallArgument kSelect[] = {kB, kTarget};
constexpr CallArgument kSetSelected[] = {kA, kB};

// on_target, gives_number, obeys_flag, arguments
constexpr CallForm kUnaryForm{false, false, false, kUnary};
constexpr CallForm kUnaryScalarForm{false, false, false, kUnaryScalar};
constexpr CallForm kBinaryForm{false, false, false, kBinary};
constexpr CallForm kBroadcastForm{false, false, false, kBroadcast};
constexpr CallForm kColScaledForm{false, false, false, kColScaled};
constexpr CallForm kScaledForm{true, false, false, kScaled};
constexpr CallForm kModulateForm{true, false, false, kModulate};
constexpr CallForm kWhereForm{false, false, false, kWhere};
constexpr CallForm kSumForm{false, false, true, kSum};
constexpr CallForm kReductionForm{false, false, true, kReduction};
constexpr CallForm kAccumulateForm{true, false, true, kAccumulate};
constexpr CallForm kWholeForm{false, true, false, {}};
constexpr CallForm kWholeOfTwoForm{false, true, false, kWholeOfTwo};
constexpr CallForm kAssignForm{true, false, false, kAssign};
constexpr CallForm kFillForm{true, false, false, {}};
constexpr CallForm kProductForm{false, false, true, kProduct};
constexpr CallForm kAddProductForm{true, false, true, kAddProduct};
constexpr CallForm kOneMatrixForm{false, false, false, kOneMatrix};
constexpr CallForm kTwoMatricesForm{false, false, false, kTwoMatrices};
constexpr CallForm kCountsForm{false, false, false, kCounts};
constexpr CallForm kLeastSquaresForm{false, false, false, kLeastSquares};
constexpr CallForm kGetSliceForm{false, false, false, kGetSlice};
constexpr CallForm kSetSliceForm{true, false, false, kSetSlice};
constexpr CallForm kSelectForm{false, false, false, kSelect};
constexpr CallForm kSetSelectedForm{true, false, false, kSetSelected};

}  // namespace

const CallForm* call_form(const cudamat::OpRow& row) {
  switch (row.family) {
    case Family::Unary:
    case Family::Transpose:
    case Family::Scan:
    case Family::Sort:
      return &kUnaryForm;
    case Family::UnaryScalar:
      return &kUnaryScalarForm;
    case Family::Binary:
      return &kBinaryForm;
    case Family::ColBroadcast:
    case Family::RowBroadcast:
      return &kBroadcastForm;
    case Family::ColScaled:
      return &kColScaledForm;
    case Family::Scaled:
      return &kScaledForm;
    case Family::Modulate:
      return &kModulateForm;
    case Family::Where:
      return &kWhereForm;
    case Family::Reduction:
    case Family::ArgReduction:
      return row.op == Op::sum ? &kSumForm : &kReductionForm;
    case Family::Accumulate:
      return &kAccumulateForm;
    case Family::Whole:
      return row.op == Op::vdot ? &kWholeOfTwoForm : &kWholeForm;
    case Family::Assign:
      return &kAssignForm;
    case Family::Fill:
      return &kFillForm;
    case Family::Product:
      return &kProductForm;
    case Family::AddProduct:
      return &kAddProductForm;
    case Family::GetSlice:
      return &kGetSliceForm;
    case Family::SetSlice:
      return &kSetSliceForm;
    case Family::Solver:
      if (row.op == Op::lstsq) return &kLeastSquaresForm;
      if (row.op == Op::bincount) return &kCountsForm;
      return row.op == Op::solve ? &kTwoMatricesForm : &kOneMatrixForm;
    case Family::Select:
      return row.op == Op::select_columns ? &kSelectForm : &kSetSelectedForm;
    case Family::Correlate:
    case Family::PerRow:
    case Family::Composite:
      return nullptr;
  }
  return nullptr;
}

bool may_work_in_place(const cudamat::OpRow& row) {
  return row.has(cudamat::kInPlace) && !row.has(cudamat::kFresh) && row.family != Family::Where;
}

const cudamat::OpRow* find_call(std::string_view name) {
  static const auto rows = [] {
    std::unordered_map<std::string_view, const cudamat::OpRow*> map;
    for (const cudamat::OpRow& row : cudamat::kOpTable)
      if (call_form(row) != nullptr) map.emplace(row.name, &row);
    return map;
  }();
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

ProductFactors product_factors(const Statement& product) {
  if (product.numbers.empty()) return {};
  const bool dot = product.op == Op::dot;
  const double alpha = product.numbers[dot ? 1 : 0].value();
  return {.beta = product.numbers[dot ? 0 : 1].value(),
          .alpha = product.op == Op::subtract_dot ? -alpha : alpha};
}

}  // namespace rewriter
