#include "rewriter/passes/fusion_group.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

#include "cudamat/fused_rules.hpp"
#include "cudamat/fused_text.hpp"

namespace rewriter {

using cudamat::Family;
using cudamat::FusedBody;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using cudamat::Spread;

namespace {

bool is_empty(const Extents& extents) {
  return extents.rows == ListInteger{} || extents.cols == ListInteger{};
}

/// The vector's spread: what is 1 x 1 over a single row or column is either.
Spread spread_of(Family family) {
  return family == Family::RowBroadcast ? Spread::Row : Spread::Column;
}

Statement::Rows rows_of_slice(const Statement& s) {
  return {slice_bound(s, 0), slice_bound(s, 1)};
}

/// All elements of a matrix, which a lying vector shows, are reduced in the matrix' own shape:
/// there are those that make it.
void reduce_what_lies(const Parts& parts, FusableCall& call) {
  const Var from = parts.lying_from(call.reads[0].part.var);
  if (from == kNoVar || call.axis != 1 || !(call.space.rows == ListInteger{1, {}})) return;
  call.reads[0].part.var = from;
  call.space = parts.extents(from);
  call.axis = cudamat::FusedTarget::kEverything;
}

}  // namespace

std::optional<FusableCall> fusable(const Parts& parts, const Statement& s) {
  if (s.kind != Statement::Kind::Call) return std::nullopt;
  FusableCall call;
  call.target = {s.target};
  call.space = parts.extents(s.target);
  const Family family = cudamat::row(s.op).family;
  const auto read = [&](std::size_t i, Spread spread = Spread::Whole) {
    call.reads.push_back({{s.operands[i].var}, spread});
  };
  switch (family) {
    case Family::Unary:
    case Family::UnaryScalar:
    case Family::Binary:
    case Family::Where:
      for (std::size_t i = 0; i < s.operands.size(); ++i) read(i);
      break;
    case Family::ColBroadcast:
    case Family::RowBroadcast:
    case Family::ColScaled:
      read(0);
      read(1, spread_of(family));
      break;
    case Family::Scaled:
    case Family::Modulate:
      call.reads.push_back({call.target});
      read(0);
      break;
    case Family::Assign:
      if (!s.terms.empty()) return std::nullopt;
      if (!s.operands.empty()) read(0);
      break;
    case Family::Fill:
      break;
    case Family::GetSlice:
      if (s.op != Op::get_row_slice) return std::nullopt;
      call.reads.push_back({{s.operands[0].var, rows_of_slice(s)}});
      break;
    case Family::SetSlice:
      if (s.op != Op::set_row_slice) return std::nullopt;
      read(0);
      call.target.rows = rows_of_slice(s);
      call.space = parts.extents(s.operands[0].var);
      break;
    case Family::Reduction:
    case Family::Accumulate:
      read(0);
      call.space = parts.extents(s.operands[0].var);
      call.reduction = family == Family::Accumulate ? Op::sum : s.op;
      call.axis = static_cast<int>(s.integers[0]);
      if (s.operands[0].transposed) call.axis = 1 - call.axis;
      reduce_what_lies(parts, call);
      break;
    case Family::Whole:
      if (!cudamat::rules::is_fused_reduction(s.op)) return std::nullopt;
      read(0);
      call.space = parts.extents(s.operands[0].var);
      call.reduction = s.op;
      break;
    default:
      return std::nullopt;
  }
  if (is_empty(call.space)) return std::nullopt;
  return call;
}

std::optional<Spread> spread_over(const Extents& space, const Extents& shape) {
  const ListInteger one{1, {}};
  if (shape == space) return Spread::Whole;
  if (shape.rows == space.rows && shape.cols == one) return Spread::Column;
  if (shape.cols == space.cols && shape.rows == one) return Spread::Row;
  return std::nullopt;
}

Spread FusionGroup::over_space(Spread call, Spread read) {
  if (call == Spread::Whole) return read;
  return read == Spread::Whole || read == call ? call : Spread::One;
}

const FusionGroup::Written* FusionGroup::find_written(const Part& part, Spread lies) const {
  const auto found = std::find_if(written_.begin(), written_.end(), [&](const Written& each) {
    return each.lies == lies && parts_.same(each.part, part);
  });
  return found == written_.end() ? nullptr : &*found;
}

std::string FusionGroup::against(const FusableCall& call, Spread lies) const {
  if (lies != Spread::Whole) {
    const auto is_part = [](const FusableCall::Read& read) { return read.part.rows.has_value(); };
    if (!call.is_stored() || call.reads.empty() || call.target.rows ||
        std::any_of(call.reads.begin(), call.reads.end(), is_part))
      return "their shapes differ";
  }
  if (!call.is_stored()) {
    const FusedTarget wanted{{}, call.reduction, call.axis};
    if (direction_ && wanted.spread() != *direction_)
      return "the reductions of a statement run over one axis";
  }
  for (const auto& [part, spread] : call.reads) {
    const Spread how = over_space(lies, spread);
    if (find_written(part, how) != nullptr) continue;
    for (const Written& each : written_) {
      if (parts_.apart(each.part, part)) continue;
      if (each.lies == Spread::Whole) return "it is read at other indices than it is written at";
      return "what is reduced over axis 1 is read along the rows, over axis 0 along the columns";
    }
    for (const Reduced& each : reduced_)
      if (!parts_.apart(each.part, part)) return "it is read after all of it is reduced";
  }
  // What it is stored as; a reduction that is no vector of the space is never written again.
  for (const Written& each : written_) {
    const bool again = call.is_stored() && each.lies == lies && parts_.same(each.part, call.target);
    if (!again && !parts_.apart(each.part, call.target))
      return "it is written at other indices before";
  }
  for (const Reduced& each : reduced_)
    if (!parts_.apart(each.part, call.target)) return "it is written after it is reduced into";
  const auto overlaps = [&](const Part& part, Spread spread) {
    const bool same = call.is_stored() && spread == Spread::Whole && parts_.same(part, call.target);
    return !same && !parts_.apart(part, call.target);
  };
  for (const Input& input : inputs_)
    if (overlaps(input.part, input.spread))
      return "it is written at other indices than it is read at";
  for (const auto& [part, spread] : call.reads) {
    const Spread how = over_space(lies, spread);
    const bool is_input = lies == Spread::Whole || find_written(part, how) == nullptr;
    if (is_input && overlaps(part, how)) return "it is written at other indices than it is read at";
  }
  return "";
}

std::string FusionGroup::against() const {
  if (has_vectors_ && !reads_reduction_) return "their shapes differ";
  if (draws_ && reads_reduction_) return "a statement that draws does not read its own reductions";
  if (steps_.size() > kMostSteps)
    return fmt::format("a statement has at most {} steps", kMostSteps);
  if (operands() > kMostParts)
    return fmt::format("a statement has at most {} operands and targets", kMostParts);
  return "";
}

std::string FusionGroup::add(const Statement& s, const FusableCall& call) {
  const std::optional<Spread> lies = spread_over(space_, call.space);
  if (!lies) return "their shapes differ";
  if (std::string reason = against(call, *lies); !reason.empty()) return reason;
  has_vectors_ = has_vectors_ || *lies != Spread::Whole;
  draws_ = draws_ || draws(s);
  const Value value = steps(s, call, *lies);
  if (call.is_stored()) {
    write(call, value, *lies);
  } else {
    FusedTarget target{value, call.reduction, call.axis};
    direction_ = target.spread();
    if (!s.numbers.empty()) target.mult = number(s.numbers[0]).index;
    if (cudamat::row(s.op).family == Family::Accumulate) target.beta = number(s.numbers[1]).index;
    const bool is_vector = target.mult < 0 && target.beta < 0 && call.reduces_axis() &&
                           spread_over(space_, parts_.extents(call.target.var)) == *direction_;
    if (is_vector) {
      cudamat::FusedStep made{call.reduction, 1, {value}};
      made.axis = call.axis;
      steps_.push_back(made);
      write(call, {Value::Kind::Step, static_cast<int>(steps_.size()) - 1}, *direction_);
    } else {
      reduced_.push_back({call.target, target});
    }
  }
  ++calls_;
  return "";
}

void FusionGroup::write(const FusableCall& call, Value value, Spread lies) {
  const Written made{call.target, value, calls_, lies};
  for (Written& each : written_)
    if (each.lies == lies && parts_.same(each.part, call.target)) {
      each = made;
      return;
    }
  written_.push_back(made);
}

FusedValue FusionGroup::read(const Part& part, Spread spread) {
  if (const Written* const own = find_written(part, spread)) {
    reads_reduction_ = reads_reduction_ || spread != Spread::Whole;
    return own->value;
  }
  if (const auto& filled = parts_.filled_with(part.var); filled && fills_are_numbers_)
    return number(*filled);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].spread == spread && parts_.same(inputs_[i].part, part))
      return {Value::Kind::Input, static_cast<int>(i)};
  inputs_.push_back({part, spread});
  return {Value::Kind::Input, static_cast<int>(inputs_.size()) - 1};
}

FusedValue FusionGroup::number(const Number& number) {
  numbers_.push_back(number);
  return {Value::Kind::Number, static_cast<int>(numbers_.size()) - 1};
}

FusedValue FusionGroup::step(Op op, std::initializer_list<Value> operands) {
  cudamat::FusedStep made{op, static_cast<int>(operands.size()), {}};
  std::copy(operands.begin(), operands.end(), made.operands.begin());
  steps_.push_back(made);
  return {Value::Kind::Step, static_cast<int>(steps_.size()) - 1};
}

bool FusionGroup::is_number(const Value& value, double number) const {
  return value.kind == Value::Kind::Number &&
         numbers_[static_cast<std::size_t>(value.index)] == number &&
         !numbers_[static_cast<std::size_t>(value.index)].is_parameter();
}

/// a + factor * b, or minus that: rounded twice, unless the product is exact.
FusedValue FusionGroup::scaled(Op op, Value a, Value b, const Number& factor) {
  if (!factor.is_parameter() && factor == 1) return step(op, {a, b});
  if (!factor.is_parameter() && factor == -1)
    return step(op == Op::add ? Op::subtract : Op::add, {a, b});
  return step(op, {a, step(Op::mult, {b, number(factor)})});
}

FusedValue FusionGroup::steps(const Statement& s, const FusableCall& call, Spread lies) {
  std::array<Value, cudamat::FusedStep::kMost> values{};
  for (std::size_t i = 0; i < call.reads.size(); ++i)
    values[i] = read(call.reads[i].part, over_space(lies, call.reads[i].spread));
  const auto& [a, b, c] = values;
  switch (cudamat::row(s.op).family) {
    case Family::Unary:
      return step(s.op, {a});
    case Family::UnaryScalar:
      return step(s.op, {a, number(s.numbers[0])});
    case Family::Binary:
      return step(s.op, {a, s.operands.size() == 2 ? b : number(s.numbers[0])});
    case Family::ColBroadcast:
    case Family::RowBroadcast: {
      const Op op = *cudamat::without_vector(s.op);
      if (op == Op::mult && is_number(a, 1)) return b;  // ones times a vector: the vector, spread
      return step(op, {a, b});
    }
    case Family::ColScaled:
      return scaled(Op::add, a, b, s.numbers[0]);
    case Family::Scaled:
      return scaled(s.op == Op::add_mult ? Op::add : Op::subtract, a, b, s.numbers[0]);
    case Family::Modulate:
      return step(s.op, {a, b});
    case Family::Where:
      return step(s.op, {a, b, c});
    case Family::Assign:
      return s.operands.empty() ? number(s.numbers[0]) : a;
    case Family::Fill:
      return step(s.op, {});
    default:  // slices and reductions: of what they read
      return a;
  }
}

/// By step its number among those whose values are used, or that draw; of the others -1.
std::vector<int> FusionGroup::kept_steps(const std::vector<bool>& stored) const {
  std::vector<int> kept(steps_.size(), -1);
  const auto use = [&](const Value& value) {
    if (value.kind == Value::Kind::Step) kept[static_cast<std::size_t>(value.index)] = 0;
  };
  for (std::size_t i = 0; i < written_.size(); ++i)
    if (stored[i]) use(written_[i].value);
  for (const Reduced& each : reduced_) use(each.target.value);
  for (std::size_t i = steps_.size(); i-- > 0;) {
    if (steps_[i].draws()) kept[i] = 0;
    if (kept[i] < 0) continue;
    for (const Value& operand : steps_[i].values()) use(operand);
  }
  int count = 0;
  for (int& each : kept)
    if (each == 0) each = count++;
  return kept;
}

Statement FusionGroup::statement(const std::vector<bool>& stored,
                                 const print::ListNames& names) const {
  const std::vector<int> kept = kept_steps(stored);
  const auto renumbered = [&](Value value) {
    if (value.kind == Value::Kind::Step) value.index = kept[static_cast<std::size_t>(value.index)];
    return value;
  };
  FusedBody body;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (kept[i] < 0) continue;
    body.steps.push_back(steps_[i]);
    for (Value& operand : body.steps.back().operands) operand = renumbered(operand);
  }
  body.numbers = static_cast<int>(numbers_.size());
  Statement made;
  made.kind = Statement::Kind::Fused;
  made.numbers = numbers_;
  for (const Input& input : inputs_) {
    body.inputs.push_back(input.spread);
    made.operands.push_back({input.part.var});
    made.rows.push_back(input.part.rows);
  }
  const auto add = [&](const Part& part, FusedTarget target) {
    target.value = renumbered(target.value);
    body.targets.push_back(target);
    made.targets.push_back(part.var);
    made.rows.push_back(part.rows);
  };
  for (std::size_t i = 0; i < written_.size(); ++i)
    if (stored[i]) {
      FusedTarget target{written_[i].value};
      target.lies = written_[i].lies;
      add(written_[i].part, target);
    }
  for (const Reduced& each : reduced_) add(each.part, each.target);
  made.fused = std::make_shared<const FusedBody>(std::move(body));
  return print::in_text_order(made, names);
}

}  // namespace rewriter
