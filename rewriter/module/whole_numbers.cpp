#include "rewriter/module/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "rewriter/list/table.hpp"
#include "rewriter/module/with_type.hpp"

namespace rewriter::module {

using Value = WholeNumbers::Value;
using Step = WholeNumbers::Step;

namespace {

constexpr long double kExactLimit = 0x1p53L;  ///< up to which all integers are doubles
constexpr std::size_t kMostSteps = 64;        ///< whose strips fit a cache

bool is_whole(Code code) {
  return code != 0 && std::string_view("?bBhHiIqQ").find(code) != std::string_view::npos;
}
int element_bytes(Code code) {
  std::size_t bytes = 0;
  with_type(code, [&](auto* type) { bytes = sizeof(*type); });
  return static_cast<int>(bytes);
}

Value range_of(Code code) {
  const auto bits = [](int n, bool is_signed) {
    return is_signed ? Value{-std::ldexp(1.0L, n - 1), std::ldexp(1.0L, n - 1) - 1}
                     : Value{0, std::ldexp(1.0L, n) - 1};
  };
  switch (code) {
    case '?':
      return {0, 1};
    case 'q':
      return {-kExactLimit, kExactLimit};
    case 'Q':
      return {0, kExactLimit};
    default:
      return bits(8 * element_bytes(code),
                  std::string_view("bhi").find(code) != std::string_view::npos);
  }
}

bool is_within(const Value& value, const Value& range) {
  return range.lo <= value.lo && value.hi <= range.hi;
}

/// The base-2 logarithm of a power of 2 that is no fraction; none of other numbers.
std::optional<int> power_of_two(const Value& value) {
  if (!value.is || *value.is <= 0 || (*value.is & (*value.is - 1)) != 0) return std::nullopt;
  return static_cast<int>(std::log2(static_cast<double>(*value.is)));
}

}  // namespace

/// Makes the steps for integers of so many bytes.
class WholeReader {
 public:
  WholeReader(const StatementList& list, std::span<const Code> inputs,
              std::span<const Code> outputs, int bytes)
      : list_(list),
        held_(list.variables.size(), -1),
        lane_{-std::ldexp(1.0L, 8 * bytes - 1), std::ldexp(1.0L, 8 * bytes - 1) - 1} {
    if (bytes == 1) lane_ = {0, 255};
    made_.bytes_ = bytes;
    made_.inputs_.assign(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) read(i, inputs[i]);
    for (const Statement& s : list.statements) read(s);
    for (std::size_t i = 0; i < outputs.size(); ++i) write(i, outputs[i]);
    ok_ = ok_ && made_.steps_.size() <= kMostSteps;
  }

  std::optional<WholeNumbers> result() {
    if (!ok_) return std::nullopt;
    made_.place_values();
    return std::move(made_);
  }

 private:
  using Whole = WholeNumbers::Op;

  int add(Value value) {
    made_.values_.push_back(value);
    return static_cast<int>(made_.values_.size()) - 1;
  }
  const Value& value(int i) const { return made_.values_[static_cast<std::size_t>(i)]; }
  /// Whether the integers have the value itself, not modulo their range.
  bool is_itself(int i) const { return is_within(value(i), lane_); }
  int root(int i) const { return value(i).same < 0 ? i : value(i).same; }
  int fail() {
    ok_ = false;
    return add({});
  }

  void read(std::size_t i, Code code) {
    const Binding& binding = list_.inputs[i];
    if (code == 'd' && held_shape(binding).size() != 1) {
      Value value;
      value.input = static_cast<int>(i);
      value.is_float = true;
      held_[binding.var] = add(value);
      return;
    }
    if (!is_whole(code) || element_bytes(code) > made_.bytes_ || held_shape(binding).size() == 1)
      return void(fail());
    Value value = range_of(code);
    value.input = static_cast<int>(i);
    held_[binding.var] = add(value);
  }

  /// Of totals held_ has where they are in totals_, below -1.
  static constexpr int kTotals = -2;

  int total(Op op, int of) {
    using Total = WholeNumbers::Total;
    static const std::pair<Op, Total::Op> kOps[] = {
        {Op::sum, Total::Op::Sum},     {Op::total_sum, Total::Op::Sum},
        {Op::min, Total::Op::Minimum}, {Op::max, Total::Op::Maximum},
        {Op::any, Total::Op::Any},     {Op::all, Total::Op::All}};
    const auto found = std::ranges::find(kOps, op, &std::pair<Op, Total::Op>::first);
    if (found == std::end(kOps) || of < 0 || value(of).is_float || value(of).is || !is_itself(of))
      return fail();
    made_totals_.push_back({found->second, root(of)});
    return kTotals - static_cast<int>(made_totals_.size() - 1);
  }

  void write(std::size_t i, Code code) {
    const int at = held_[owner(list_, list_.outputs[i].var)];
    if (at <= kTotals) {
      made_.totals_.push_back(made_totals_[static_cast<std::size_t>(kTotals - at)]);
      ok_ = ok_ && made_.outputs_.empty();
      return;
    }
    ok_ = ok_ && made_.totals_.empty();
    const int made = held_[owner(list_, list_.outputs[i].var)];
    if (made < 0 || !is_whole(code) || value(made).is_float) return void(fail());
    const bool is_long = element_bytes(code) == 8;
    const bool fits =
        is_within(value(made), range_of(code)) || (is_long && (code == 'q' || value(made).lo >= 0));
    const bool has = is_itself(made) || element_bytes(code) <= made_.bytes_;
    ok_ = ok_ && fits && has && !(is_long && made_.bytes_ == 8 && !is_itself(made));
    made_.outputs_.push_back(
        {root(made), code,
         is_long && !is_within(value(made), {-kExactLimit + 1, kExactLimit - 1})});
  }

  void read(const Statement& s) {
    const auto of = [&](Var var) { return held_[owner(list_, var)]; };
    const auto set = [&](Var var, int made) {
      const Var target = owner(list_, var);
      for (const Binding& input : list_.inputs) ok_ = ok_ && input.var != target;
      held_[target] = made;
    };
    std::vector<int> operands;
    switch (s.kind) {
      case Statement::Kind::Empty:
      case Statement::Kind::Free:
      case Statement::Kind::Reshape:
        return;
      case Statement::Kind::Call:
        if (cudamat::row(s.op).family == cudamat::Family::Reduction)
          return set(s.target, total(s.op, of(s.operands[0].var)));
        for (const Statement::Operand& operand : s.operands) operands.push_back(of(operand.var));
        for (const Number& number : s.numbers) operands.push_back(constant(number.value()));
        return set(s.target, compute(s.op, operands));
      case Statement::Kind::Fused: {
        std::vector<int> steps;
        const auto value_of = [&](const cudamat::FusedValue& value) {
          const auto i = static_cast<std::size_t>(value.index);
          return value.kind == cudamat::FusedValue::Kind::Step    ? steps[i]
                 : value.kind == cudamat::FusedValue::Kind::Input ? of(s.operands[i].var)
                                                                  : constant(s.numbers[i].value());
        };
        for (const cudamat::FusedStep& step : s.fused->steps) {
          operands.clear();
          for (const cudamat::FusedValue& value : step.values())
            operands.push_back(value_of(value));
          steps.push_back(compute(step.op, operands));
        }
        std::vector<int> results;  // before a target is another's input
        for (const cudamat::FusedTarget& target : s.fused->targets)
          results.push_back(target.is_reduced() ? total(target.op, value_of(target.value))
                                                : value_of(target.value));
        for (std::size_t t = 0; t < s.targets.size(); ++t) set(s.targets[t], results[t]);
        return;
      }
      default:
        fail();
    }
  }

  int constant(double number) {
    Value value{number, number};
    value.real = number;
    value.is_float = std::trunc(number) != number || std::abs(number) > 0x1p53;
    if (!value.is_float) value.is = static_cast<std::int64_t>(number);
    return add(value);
  }

  int step(Whole op, Value range, std::vector<int> operands, int bits = 0) {
    for (int& operand : operands) operand = root(operand);
    const int target = add(range);
    made_.steps_.push_back({op, bits, target, std::move(operands)});
    return target;
  }
  /// A step that needs its operands themselves.
  int exact_step(Whole op, Value range, std::vector<int> operands, int bits = 0) {
    for (const int operand : operands) ok_ = ok_ && is_itself(operand);
    return step(op, range, std::move(operands), bits);
  }

  /// Of two floats, or of one and a number.
  int compare(Op op, int a, int b) {
    if (value(a).input < 0) {
      std::swap(a, b);
      op = op == Op::less_than ? Op::greater_than : op == Op::greater_than ? Op::less_than : op;
    }
    const auto is_side = [&](int i) { return value(i).is_float && value(i).input >= 0; };
    if (!is_side(a) || !(is_side(b) || value(b).real)) return fail();
    const int target = add({0, 1});
    const Whole whole = op == Op::less_than      ? Whole::Less
                        : op == Op::greater_than ? Whole::Greater
                                                 : Whole::Equal;
    made_.steps_.push_back({whole, 0, target, {a, b}, true});
    return target;
  }

  int compute(Op op, const std::vector<int>& operands) {
    const bool compares = op == Op::less_than || op == Op::greater_than || op == Op::equals;
    const auto is_float = [&](int i) { return i >= 0 && value(i).is_float; };
    if (op == Op::isnan && operands.size() == 1 && is_float(operands[0])) {
      const int is_number = compare(Op::equals, operands[0], operands[0]);
      return step(Whole::Xor, {0, 1}, {is_number, constant(1)});
    }
    if (std::ranges::any_of(operands, is_float))
      return compares && operands.size() == 2 && std::ranges::min(operands) >= 0
                 ? compare(op, operands[0], operands[1])
                 : fail();
    for (const int operand : operands)
      if (operand < 0 || !is_within(value(operand), {-kExactLimit, kExactLimit})) return fail();
    if (operands.size() == 1) return compute(op, operands[0]);
    if (op == Op::where) return choose(operands);
    if (operands.size() == 2) return compute(op, operands[0], operands[1]);
    return fail();
  }

  int compute(Op op, int a) {
    if (op == Op::assign) return a;
    const Value x = value(a);
    if (op == Op::abs)
      return exact_step(Whole::Abs, {0, std::max(std::abs(x.lo), std::abs(x.hi))}, {a});
    return fail();
  }

  int choose(const std::vector<int>& of) {
    const Value x = value(of[1]), y = value(of[2]);
    ok_ = ok_ && is_itself(of[0]);
    return step(Whole::Where, {std::min(x.lo, y.lo), std::max(x.hi, y.hi)}, of);
  }

  int compute(Op op, int a, int b) {
    const Value x = value(a), y = value(b);
    const auto truth = [&](Whole whole) { return exact_step(whole, {0, 1}, {a, b}); };
    switch (op) {
      case Op::add:
        return step(Whole::Add, {x.lo + y.lo, x.hi + y.hi}, {a, b});
      case Op::subtract:
        return step(Whole::Subtract, {x.lo - y.hi, x.hi - y.lo}, {a, b});
      case Op::mult:
        return step(Whole::Mult, product(x, y), {a, b});
      case Op::mult_int32:
        return last_bits(step(Whole::Mult, product(x, y), {a, b}), 32, true);
      case Op::bit_and:
        return step(Whole::And, bits_of(x, y, true), {a, b});
      case Op::bit_or:
        return step(Whole::Or, bits_of(x, y, false), {a, b});
      case Op::bit_xor:
        return step(Whole::Xor, bits_of(x, y, false), {a, b});
      case Op::less_than:
        return truth(Whole::Less);
      case Op::greater_than:
        return truth(Whole::Greater);
      case Op::equals:
        return truth(Whole::Equal);
      case Op::minimum:
        return exact_step(Whole::Minimum, {std::min(x.lo, y.lo), std::min(x.hi, y.hi)}, {a, b});
      case Op::maximum:
        return exact_step(Whole::Maximum, {std::max(x.lo, y.lo), std::max(x.hi, y.hi)}, {a, b});
      case Op::shift:
        return y.is ? shift(a, static_cast<int>(std::clamp<std::int64_t>(*y.is, -64, 64))) : fail();
      case Op::wrap:
      case Op::wrap_unsigned:
        if (const auto bits = power_of_two(y)) return last_bits(a, *bits, op == Op::wrap);
        return fail();
      default:
        return fail();
    }
  }

  static Value product(const Value& x, const Value& y) {
    const auto [lo, hi] = std::minmax({x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi});
    return {lo, hi};
  }

  /// What bits may make of both.
  static Value bits_of(const Value& x, const Value& y, bool both) {
    if (both && (x.lo >= 0 || y.lo >= 0))
      return {0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : std::min(x.hi, y.hi)};
    long double beyond = 1;
    while (beyond <= std::max(x.hi, y.hi) || -beyond > std::min(x.lo, y.lo)) beyond *= 2;
    return {x.lo >= 0 && y.lo >= 0 ? 0 : -beyond, beyond - 1};
  }

  int shift(int a, int by) {
    const Value x = value(a);
    const Value range{std::floor(std::ldexp(x.lo, by)), std::floor(std::ldexp(x.hi, by))};
    const int most = 8 * made_.bytes_ - 1;
    if (by < 0) return exact_step(Whole::ShiftRight, range, {a}, std::min(-by, most));
    return by > most ? fail() : step(Whole::ShiftLeft, range, {a}, by);
  }

  int last_bits(int a, int bits, bool is_signed) {
    const Value range = is_signed
                            ? Value{-std::ldexp(1.0L, bits - 1), std::ldexp(1.0L, bits - 1) - 1}
                            : Value{0, std::ldexp(1.0L, bits) - 1};
    const int lane_bits = 8 * made_.bytes_;
    if (is_within(value(a), range)) return a;
    if (bits > lane_bits) return fail();
    if (bits < lane_bits)
      return step(is_signed ? Whole::Signed : Whole::Unsigned, range, {a}, bits);
    Value same = range;
    same.same = root(a);
    return add(same);
  }

  const StatementList& list_;
  WholeNumbers made_;
  std::vector<WholeNumbers::Total> made_totals_;
  Table<int> held_;  // by variable with memory of its own: the value that it has, or -1
  Value lane_;
  bool ok_ = true;
};

std::optional<WholeNumbers> WholeNumbers::of(const StatementList& list,
                                             std::span<const Code> inputs,
                                             std::span<const Code> outputs) {
  for (const int bytes : {1, 2, 4, 8})
    if (auto made = WholeReader(list, inputs, outputs, bytes).result()) return made;
  return std::nullopt;
}

/// Whether the steps can work on elements of this type where they lie.
bool WholeNumbers::lies_in(Code code) const {
  return element_bytes(code) == bytes_;
}

/// Gives values strips, or the memory of outputs. Strips serve again after the last use.
void WholeNumbers::place_values() {
  std::vector<std::size_t> last_use(values_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i)
    for (const int operand : steps_[i].operands) last_use[static_cast<std::size_t>(operand)] = i;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Value& value = values_[static_cast<std::size_t>(outputs_[i].value)];
    last_use[static_cast<std::size_t>(outputs_[i].value)] = steps_.size();
    if (value.input < 0 && !value.is && value.output < 0 && lies_in(outputs_[i].code))
      value.output = static_cast<int>(i);
  }
  for (const Total& total : totals_)
    last_use[static_cast<std::size_t>(total.value)] = steps_.size();
  for (Value& value : values_)
    if (value.is_float)
      continue;
    else if (value.is ||
             (value.input >= 0 && !lies_in(inputs_[static_cast<std::size_t>(value.input)])))
      value.place = places_++;
  std::vector<int> free;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Value& target = values_[static_cast<std::size_t>(steps_[i].target)];
    if (target.output < 0) {
      if (free.empty()) free.push_back(places_++);
      target.place = free.back();
      free.pop_back();
    }
    std::vector<int> read = steps_[i].operands;
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const int operand : read) {
      const Value& value = values_[static_cast<std::size_t>(operand)];
      if (last_use[static_cast<std::size_t>(operand)] == i && value.place >= 0 && !value.is &&
          value.input < 0)
        free.push_back(value.place);
    }
  }
}

}  // namespace rewriter::module
