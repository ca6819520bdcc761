// Fused statements as text: "h = sigmoid(h + row(w_h)); s = rand() < h".
//
// Assignments, separated by semicolons, of expressions: + - * /, < > ==, Cudamat's names of the
// other element-wise operations (exp(a), maximum(a, b), where(c, a, b), rand(), randn()), numbers,
// and names. A name is a matrix over the whole space; row(v), col(v) and one(v) are vectors and a
// number that are spread over it; A[2:7] are these rows of a matrix. What is assigned to the name
// of a matrix is stored there, what is assigned to any other name is a value that later assignments
// may use. A name stands for what was assigned to it last. On the right of `=`, outermost, may
// stand a reduction: sum(e, axis=0), max(e, axis=1), total_sum(e), add_sums(e, axis=0, mult=0.1,
// beta=0.9).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cudamat/error.hpp"
#include "cudamat/fused.hpp"
#include "cudamat/fused_rules.hpp"

namespace cudamat {

/// A matrix by its name; with `first` and `last`, as written, only these rows of it.
struct FusedPlace {
  std::string name;
  std::string first = {};
  std::string last = {};
  std::size_t at = 0;  ///< where `first` stands in the text that it was read from

  [[nodiscard]] std::string text() const {
    return first.empty() ? name : fmt::format("{}[{}:{}]", name, first, last);
  }

  friend bool operator==(const FusedPlace& a, const FusedPlace& b) {
    return a.name == b.name && a.first == b.first && a.last == b.last;
  }
  friend bool operator<(const FusedPlace& a, const FusedPlace& b) {
    return std::tie(a.name, a.first, a.last) < std::tie(b.name, b.first, b.last);
  }
};

/// A body, and what it is computed of.
struct FusedText {
  FusedBody body;
  std::vector<FusedPlace> inputs;
  std::vector<double> numbers;
  std::vector<FusedPlace> targets;
};

/// The operation that a function of such a text stands for: "exp", "maximum", "rand".
inline std::optional<Op> fused_function(std::string_view name) {
  if (name == "rand") return Op::fill_with_rand;
  if (name == "randn") return Op::fill_with_randn;
  for (const OpRow& row : kOpTable)
    if (row.name == name && row.family != Family::Fill && fused_operands(row.op) >= 0)
      return row.op;
  return std::nullopt;
}

namespace detail {

inline std::string_view fused_infix(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::mult:
      return "*";
    case Op::divide:
      return "/";
    case Op::less_than:
      return "<";
    case Op::greater_than:
      return ">";
    case Op::equals:
      return "==";
    default:
      return "";
  }
}
inline constexpr int kFusedAtom = 4;
/// How tightly an operation holds its operands together.
inline int fused_precedence(Op op) {
  switch (op) {
    case Op::mult:
    case Op::divide:
      return 3;
    case Op::add:
    case Op::subtract:
      return 2;
    case Op::less_than:
    case Op::greater_than:
    case Op::equals:
      return 1;
    default:
      return kFusedAtom;
  }
}

inline std::string_view fused_spread(Spread spread) {
  constexpr std::string_view kNames[] = {"", "row", "col", "one"};
  return kNames[static_cast<int>(spread)];
}

class FusedParser {
 public:
  using IsMatrix = std::function<bool(std::string_view)>;

  FusedParser(std::string_view text, const IsMatrix& is_matrix)
      : text_(text), is_matrix_(is_matrix) {}

  FusedText parse() {
    do {
      assignment();
    } while (accept(";"));
    if (!rest().empty()) fail("';' or the end is expected");
    if (made_.targets.empty()) fail("no matrix is assigned to");
    made_.body.numbers = static_cast<int>(made_.numbers.size());
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    misuse("fused", "{} at '{}' in \"{}\"", what, text_.substr(at_, 12), text_);
  }

  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }
  bool accept(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}' is expected", token));
  }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view peek_name() {
    const std::string_view text = rest();
    std::size_t length = 0;
    while (length < text.size() &&
           (is_letter(text[length]) || (length > 0 && is_digit(text[length]))))
      ++length;
    return text.substr(0, length);
  }
  std::string_view name() {
    const std::string_view found = peek_name();
    if (found.empty()) fail("a name is expected");
    at_ += found.size();
    return found;
  }

  std::optional<double> literal() {
    const std::string_view text = rest();
    const bool minus = text.starts_with('-');
    const std::string_view digits = text.substr(minus ? 1 : 0);
    const bool named = (digits.starts_with("inf") || digits.starts_with("nan")) &&
                       (minus || !is_matrix_(peek_name()));
    const bool begins = !digits.empty() && (is_digit(digits[0]) || digits[0] == '.');
    if (!begins && (!named || peek_name().size() > 3)) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc()) fail("a number is expected");
    at_ = static_cast<std::size_t>(end - text_.data());
    return minus ? -value : value;
  }
  int number(double value) {
    made_.numbers.push_back(value);
    return static_cast<int>(made_.numbers.size()) - 1;
  }

  FusedPlace place(std::string_view name) {
    FusedPlace place{std::string(name)};
    if (!accept("[")) return place;
    place.at = at_;
    const auto until = [&](char end) {
      const std::size_t found = text_.find(end, at_);
      if (found == std::string_view::npos) fail(fmt::format("'{}' is expected", end));
      const std::string_view part = text_.substr(at_, found - at_);
      at_ = found + 1;
      if (part.empty()) fail("rows are written [FIRST:LAST],");
      return std::string(part);
    };
    place.first = until(':');
    place.last = until(']');
    return place;
  }

  FusedValue input(const FusedPlace& place, Spread spread) {
    for (std::size_t i = 0; i < made_.inputs.size(); ++i)
      if (made_.inputs[i] == place && made_.body.inputs[i] == spread)
        return {FusedValue::Kind::Input, static_cast<int>(i)};
    made_.inputs.push_back(place);
    made_.body.inputs.push_back(spread);
    return {FusedValue::Kind::Input, static_cast<int>(made_.inputs.size()) - 1};
  }
  FusedValue step(const FusedStep& step) {
    made_.body.steps.push_back(step);
    return {FusedValue::Kind::Step, static_cast<int>(made_.body.steps.size()) - 1};
  }

  void assignment() {
    const std::string_view assigned = name();
    const FusedPlace to = place(assigned);
    expect("=");
    if (rest().starts_with('=')) fail("'=' is expected");
    if (const std::optional<FusedTarget> reduced = reduction()) {
      if (!is_matrix_(assigned)) fail(fmt::format("{} is no matrix", assigned));
      target(to, *reduced);
      return;
    }
    const FusedValue value = expression(1);
    if (is_matrix_(assigned))
      target(to, {value});
    else if (!to.first.empty())
      fail(fmt::format("{} is no matrix", assigned));
    if (!is_matrix_(assigned) && known_.contains(to))
      fail(fmt::format("{} has a value already", assigned));
    known_[to] = value;
  }
  void target(const FusedPlace& to, const FusedTarget& made) {
    for (const FusedPlace& other : made_.targets)
      if (other == to) fail(fmt::format("{} is assigned twice", to.text()));
    made_.targets.push_back(to);
    made_.body.targets.push_back(made);
  }

  std::optional<FusedTarget> reduction() {
    const std::string_view function = peek_name();
    const bool accumulates = function == name_of(Op::add_sums);
    std::optional<Op> op;
    for (const OpRow& row : kOpTable)
      if (row.name == function && rules::is_fused_reduction(row.op)) op = row.op;
    if (accumulates) op = Op::sum;
    if (!op || !text_.substr(at_ + function.size()).starts_with('(')) return std::nullopt;
    at_ += function.size() + 1;
    FusedTarget made{expression(1), *op};
    bool has_axis = false;
    while (accept(",")) {
      const std::string_view keyword = name();
      expect("=");
      const std::optional<double> value = literal();
      if (!value) fail("a number is expected");
      if (keyword == "axis" && (*value == 0 || *value == 1)) {
        made.axis = static_cast<int>(*value);
        has_axis = true;
      } else if (keyword == "mult" && *op == Op::sum) {
        made.mult = number(*value);
      } else if (keyword == "beta" && accumulates) {
        made.beta = number(*value);
      } else {
        fail(fmt::format("{} has no such {},", function, keyword));
      }
    }
    expect(")");
    if (row(*op).family == Family::Whole && has_axis) fail(fmt::format("{} has no axis", function));
    if (!has_axis && row(*op).family == Family::Reduction) made.axis = FusedTarget::kEverything;
    if (accumulates && (made.mult < 0 || made.beta < 0)) fail("add_sums has a mult and a beta");
    return made;
  }
  static std::string_view name_of(Op op) { return row(op).name; }

  FusedValue expression(int precedence) {
    if (precedence == kFusedAtom) return atom();
    FusedValue left = expression(precedence + 1);
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (const Op op : {Op::add, Op::subtract, Op::mult, Op::divide, Op::less_than,
                          Op::greater_than, Op::equals}) {
        if (fused_precedence(op) != precedence || !accept(fused_infix(op))) continue;
        left = step({op, 2, {left, expression(precedence + 1)}});
        goes_on = true;
        break;
      }
    }
    return left;
  }

  FusedValue nested() {
    constexpr int kMostNested = 1000;
    if (++depth_ > kMostNested) fail("is nested too deeply");
    const FusedValue inner = expression(1);
    --depth_;
    return inner;
  }

  FusedValue atom() {
    if (accept("(")) {
      const FusedValue inner = nested();
      expect(")");
      return inner;
    }
    if (const std::optional<double> value = literal())
      return {FusedValue::Kind::Number, number(*value)};
    const std::string_view word = name();
    if (accept("(")) return function(word);
    const FusedPlace from = place(word);
    if (const auto found = known_.find(from); found != known_.end()) return found->second;
    if (!is_matrix_(word)) fail(fmt::format("{} is not known", word));
    return input(from, Spread::Whole);
  }

  FusedValue function(std::string_view word) {
    for (const Spread spread : {Spread::Row, Spread::Column, Spread::One}) {
      if (word != fused_spread(spread)) continue;
      const std::string_view spread_name = name();
      if (!is_matrix_(spread_name)) fail(fmt::format("{} is no matrix", spread_name));
      const FusedPlace from = place(spread_name);
      expect(")");
      return input(from, spread);
    }
    const std::optional<Op> op = fused_function(word);
    if (!op) fail(fmt::format("there is no function {}", word));
    std::array<FusedValue, FusedStep::kMost> operands{};
    const int count = fused_operands(*op);
    for (int i = 0; i < count; ++i) {
      if (i > 0) expect(",");
      operands[static_cast<std::size_t>(i)] = nested();
    }
    expect(")");
    return step({*op, count, operands});
  }

  std::string_view text_;
  const IsMatrix& is_matrix_;
  std::size_t at_ = 0;
  int depth_ = 0;
  FusedText made_;
  std::map<FusedPlace, FusedValue> known_;  // what was assigned
};

class FusedPrinter {
 public:
  FusedPrinter(const FusedText& of, const std::function<bool(const std::string&)>& is_taken)
      : of_(of),
        is_taken_(is_taken),
        body_(of.body),
        uses_(body_.steps.size()),
        names_(body_.steps.size()) {
    for (const FusedStep& step : body_.steps)
      for (const FusedValue& value : step.values()) use(value);
    for (const FusedTarget& target : body_.targets) use(target.value);
  }

  std::string print() {
    keep_overwritten_inputs();
    for (std::size_t i = 0; i < of_.targets.size(); ++i)
      if (body_.targets[i].value.kind != FusedValue::Kind::Step) assign(i);
    const bool ordered = draws() > 1;
    for (std::size_t i = 0; i < body_.steps.size(); ++i) {
      const bool draw = body_.steps[i].draws();
      // In the memory of a matrix it has that one's name.
      std::optional<std::size_t> stored;
      for (std::size_t t = 0; t < of_.targets.size() && !stored; ++t)
        if (is(body_.targets[t].value, i) && body_.targets[t].is_stored()) stored = t;
      if (stored) {
        line(of_.targets[*stored].text(), step_text(i));
        names_[i] = of_.targets[*stored].text();
      } else if (uses_[i] > 1 || (draw && (ordered || uses_[i] == 0))) {
        names_[i] = new_name();
        line(names_[i], step_text(i));
      }
      for (std::size_t t = 0; t < of_.targets.size(); ++t)
        if (is(body_.targets[t].value, i) && t != stored) assign(t);
    }
    return std::move(text_);
  }

 private:
  static bool is(const FusedValue& value, std::size_t step) {
    return value.kind == FusedValue::Kind::Step && static_cast<std::size_t>(value.index) == step;
  }
  void use(const FusedValue& value) {
    if (value.kind == FusedValue::Kind::Step) ++uses_[static_cast<std::size_t>(value.index)];
  }
  int draws() const {
    int count = 0;
    for (const FusedStep& step : body_.steps) count += step.draws();
    return count;
  }

  /// An input that is a target, too, is called by a name of its own once that is assigned. Only
  /// those that are used later need one; all get it that are used by more than the target's value.
  void keep_overwritten_inputs() {
    kept_.resize(of_.inputs.size());
    for (std::size_t i = 0; i < of_.inputs.size(); ++i) {
      if (body_.inputs[i] != Spread::Whole) continue;
      for (std::size_t t = 0; t < of_.targets.size(); ++t) {
        if (of_.targets[t] != of_.inputs[i] || !is_read_behind(i, t)) continue;
        kept_[i] = new_name();
        line(kept_[i], of_.inputs[i].text());
      }
    }
  }
  /// Whether input i is read where target t has been assigned already.
  bool is_read_behind(std::size_t input, std::size_t target) const {
    const FusedValue wanted{FusedValue::Kind::Input, static_cast<int>(input)};
    const FusedValue value = body_.targets[target].value;
    const bool early = value.kind != FusedValue::Kind::Step;
    const std::size_t assigned = early ? 0 : static_cast<std::size_t>(value.index) + 1;
    for (std::size_t s = assigned; s < body_.steps.size(); ++s)
      if (reads(s, wanted)) return true;
    // A step before it may be written out only behind it.
    for (std::size_t s = 0; s < assigned && !early; ++s)
      if (reads(s, wanted) && !ends_in(s, static_cast<std::size_t>(value.index))) return true;
    for (std::size_t t = 0; t < of_.targets.size(); ++t)
      if (t != target && body_.targets[t].value == wanted) return true;
    return false;
  }
  bool reads(std::size_t step, const FusedValue& wanted) const {
    const auto values = body_.steps[step].values();
    return std::find(values.begin(), values.end(), wanted) != values.end();
  }
  /// Whether what step `from` computes is used, if at all, on the way to step `to` alone.
  bool ends_in(std::size_t from, std::size_t to) const {
    if (from == to) return true;
    if (uses_[from] != 1) return uses_[from] == 0;
    for (std::size_t s = from + 1; s < body_.steps.size(); ++s)
      if (reads(s, {FusedValue::Kind::Step, static_cast<int>(from)})) return ends_in(s, to);
    return false;
  }

  std::string new_name() {
    for (;;) {
      std::string name = fmt::format("u{}", ++names_made_);
      const auto has_it = [&](const FusedPlace& place) { return place.name == name; };
      if (std::none_of(of_.inputs.begin(), of_.inputs.end(), has_it) &&
          std::none_of(of_.targets.begin(), of_.targets.end(), has_it) &&
          !(is_taken_ && is_taken_(name)))
        return name;
    }
  }
  void line(const std::string& name, const std::string& value) {
    if (!text_.empty()) text_ += "; ";
    text_ += name + " = " + value;
  }
  void assign(std::size_t t) {
    const FusedTarget& target = body_.targets[t];
    std::string value = text(target.value, 1);
    if (!target.is_stored()) {
      value = fmt::format("{}({}", target.beta >= 0 ? row(Op::add_sums).name : row(target.op).name,
                          value);
      if (!target.is_total()) value += fmt::format(", axis={}", target.axis);
      if (target.mult >= 0) value += ", mult=" + number(target.mult);
      if (target.beta >= 0) value += ", beta=" + number(target.beta);
      value += ')';
    }
    line(of_.targets[t].text(), value);
  }

  std::string number(int i) const {
    return fmt::format("{}", of_.numbers[static_cast<std::size_t>(i)]);
  }

  /// A value as an operand that must hold at least so tightly together.
  std::string text(const FusedValue& value, int precedence) {
    const auto i = static_cast<std::size_t>(value.index);
    if (value.kind == FusedValue::Kind::Number) return number(value.index);
    if (value.kind == FusedValue::Kind::Input) {
      const std::string place = kept_[i].empty() ? of_.inputs[i].text() : kept_[i];
      const Spread spread = body_.inputs[i];
      return spread == Spread::Whole ? place : fmt::format("{}({})", fused_spread(spread), place);
    }
    if (!names_[i].empty()) return names_[i];
    const std::string inner = step_text(i);
    return fused_precedence(body_.steps[i].op) < precedence ? "(" + inner + ")" : inner;
  }

  std::string step_text(std::size_t i) {
    const FusedStep& step = body_.steps[i];
    if (const std::string_view infix = fused_infix(step.op); !infix.empty()) {
      const int precedence = fused_precedence(step.op);
      const bool compares = precedence == 1;  // a < b < c is something else in Python
      const std::string left = text(step.operands[0], precedence + (compares ? 1 : 0));
      return fmt::format("{} {} {}", left, infix, text(step.operands[1], precedence + 1));
    }
    std::string call(step.op == Op::fill_with_rand    ? "rand"
                     : step.op == Op::fill_with_randn ? "randn"
                                                      : row(step.op).name);
    call += '(';
    for (const FusedValue& value : step.values())
      call += (call.ends_with('(') ? "" : ", ") + text(value, 1);
    return call + ')';
  }

  const FusedText& of_;
  const std::function<bool(const std::string&)>& is_taken_;
  const FusedBody& body_;
  std::vector<int> uses_;           // by step
  std::vector<std::string> names_;  // by step that has one
  std::vector<std::string> kept_;   // by input that is overwritten: its name
  int names_made_ = 0;
  std::string text_;
};

}  // namespace detail

/// Reads such a text; is_matrix says which names are matrices. Throws CUDAMatException with the
/// place of what cannot be read. What it gives is in the order of the text: inputs, numbers and
/// steps as they first appear.
inline FusedText parse_fused(std::string_view text,
                             const std::function<bool(std::string_view)>& is_matrix) {
  return detail::FusedParser(text, is_matrix).parse();
}

/// The text. Of what parse_fused() gave it is read as the same again. is_taken says which names
/// have a meaning besides those in the text: values get others.
inline std::string print_fused(const FusedText& fused,
                               const std::function<bool(const std::string&)>& is_taken = {}) {
  return detail::FusedPrinter(fused, is_taken).print();
}

/// The same with inputs, numbers, steps and targets in the order in which the text has them.
inline FusedText in_text_order(const FusedText& fused,
                               const std::function<bool(const std::string&)>& is_taken = {}) {
  FusedText counted = fused;  // numbers by their place, which tells them apart
  for (std::size_t i = 0; i < counted.numbers.size(); ++i)
    counted.numbers[i] = static_cast<double>(i);
  const auto is_matrix = [&](std::string_view name) {
    const auto has_it = [&](const FusedPlace& place) { return place.name == name; };
    return std::any_of(fused.inputs.begin(), fused.inputs.end(), has_it) ||
           std::any_of(fused.targets.begin(), fused.targets.end(), has_it);
  };
  FusedText result = parse_fused(print_fused(counted, is_taken), is_matrix);
  for (double& number : result.numbers) number = fused.numbers[static_cast<std::size_t>(number)];
  return result;
}

}  // namespace cudamat
