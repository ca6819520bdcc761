// Reads the text of a fused statement.
#pragma once

#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudamat/detail/fused_grammar.hpp"
#include "cudamat/error.hpp"
#include "cudamat/fused_rules.hpp"

namespace cudamat::detail {

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
    reduce_in_targets();
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

  /// row, col or one, which "(" follows.
  std::optional<Spread> spread() {
    const std::string_view word = peek_name();
    for (const Spread spread : {Spread::Row, Spread::Column, Spread::One})
      if (word == fused_spread(spread) && text_.substr(at_ + word.size()).starts_with('(')) {
        at_ += word.size() + 1;
        return spread;
      }
    return std::nullopt;
  }

  void assignment() {
    if (const std::optional<Spread> lies = spread()) return vector_assignment(*lies);
    const std::string_view assigned = name();
    const FusedPlace to = place(assigned);
    expect("=");
    if (rest().starts_with('=')) fail("'=' is expected");
    if (const std::optional<FusedTarget> reduced = reduction()) {
      if (reduced->is_total() || reduced->mult >= 0 || reduced->beta >= 0) {
        if (!is_matrix_(assigned)) fail(fmt::format("{} is not a matrix", assigned));
        target(to, *reduced);
        return;
      }
      const FusedValue value = step(reduction_step(*reduced));
      if (is_matrix_(assigned))
        vector_target(to, value, reduced->spread());
      else if (!to.first.empty() || known_.contains(to))
        fail(fmt::format("{} is not a matrix, or has a value already", assigned));
      remember(to, reduced->spread(), value);
      return;
    }
    const FusedValue value = expression(1);
    if (is_matrix_(assigned))
      target(to, {value});
    else if (!to.first.empty())
      fail(fmt::format("{} is not a matrix", assigned));
    if (!is_matrix_(assigned) && known_.contains(to))
      fail(fmt::format("{} has a value already", assigned));
    known_[to] = value;
  }
  /// After "row(" or the like.
  void vector_assignment(Spread lies) {
    const std::string_view assigned = name();
    if (!is_matrix_(assigned)) fail(fmt::format("{} is not a matrix", assigned));
    const FusedPlace to = place(assigned);
    expect(")");
    expect("=");
    const FusedValue value = expression(1);
    vector_target(to, value, lies);
    remember(to, lies, value);
  }
  void vector_target(const FusedPlace& to, const FusedValue& value, Spread lies) {
    FusedTarget made{value};
    made.lies = lies;
    target(to, made);
  }
  void remember(const FusedPlace& of, Spread lies, const FusedValue& value) {
    vectors_.insert_or_assign(of, std::pair(lies, value));
  }

  static FusedStep reduction_step(const FusedTarget& of) {
    FusedStep made{of.op, 1, {of.value}};
    made.axis = of.axis;
    return made;
  }
  /// Where nothing but a target uses a reduction, it is the target's.
  void reduce_in_targets() {
    FusedBody& body = made_.body;
    std::vector<int> uses(body.steps.size(), 0);
    const auto use = [&](const FusedValue& value) {
      if (value.kind == FusedValue::Kind::Step) ++uses[static_cast<std::size_t>(value.index)];
    };
    for (const FusedStep& step : body.steps)
      for (const FusedValue& value : step.values()) use(value);
    for (const FusedTarget& target : body.targets) use(target.value);
    std::vector<bool> gone(body.steps.size(), false);
    for (FusedTarget& target : body.targets) {
      if (!target.is_vector() || target.value.kind != FusedValue::Kind::Step) continue;
      const auto s = static_cast<std::size_t>(target.value.index);
      if (!body.steps[s].reduces() || uses[s] != 1) continue;
      gone[s] = true;
      target = {body.steps[s].operands[0], body.steps[s].op, body.steps[s].axis};
    }
    std::vector<int> index;
    int kept = 0;
    for (const bool each : gone) index.push_back(each ? -1 : kept++);
    const auto renumber = [&](FusedValue& value) {
      if (value.kind == FusedValue::Kind::Step)
        value.index = index[static_cast<std::size_t>(value.index)];
    };
    std::vector<FusedStep> steps;
    for (std::size_t s = 0; s < gone.size(); ++s) {
      if (gone[s]) continue;
      steps.push_back(body.steps[s]);
      for (int o = 0; o < steps.back().count; ++o)
        renumber(steps.back().operands[static_cast<std::size_t>(o)]);
    }
    body.steps = std::move(steps);
    for (FusedTarget& target : body.targets) renumber(target.value);
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
    constexpr int kDeepest = 100;
    if (++depth_ > kDeepest) fail(fmt::format("is nested more than {} deep", kDeepest));
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
    if (const std::optional<Spread> how = spread()) return spread_value(*how);
    const std::string_view word = name();
    if (accept("(")) return function(word);
    const FusedPlace from = place(word);
    if (const auto found = known_.find(from); found != known_.end()) return found->second;
    if (!is_matrix_(word)) fail(fmt::format("{} is not known", word));
    return input(from, Spread::Whole);
  }

  /// After "row(" or the like.
  FusedValue spread_value(Spread how) {
    if (const std::optional<FusedTarget> reduced = reduction()) {
      if (reduced->is_total() || reduced->mult >= 0 || reduced->beta >= 0)
        fail("row() and col() take a reduction over an axis, without mult or beta");
      check_spread(reduced->spread(), how);
      expect(")");
      return step(reduction_step(*reduced));
    }
    const std::string_view spread_name = name();
    const FusedPlace from = place(spread_name);
    expect(")");
    if (const auto found = vectors_.find(from); found != vectors_.end()) {
      check_spread(found->second.first, how);
      return found->second.second;
    }
    if (!is_matrix_(spread_name)) fail(fmt::format("{} is not a matrix", spread_name));
    return input(from, how);
  }
  void check_spread(Spread is, Spread read_as) const {
    if (is != read_as)
      fail(fmt::format("what is a {} is read as a {}", fused_spread(is), fused_spread(read_as)));
  }

  FusedValue function(std::string_view word) {
    const std::optional<Op> op = fused_function(word);
    for (const OpRow& row : kOpTable)
      if (row.name == word && rules::is_fused_reduction(row.op))
        fail(fmt::format("{} gives a vector, which is read as row({}(...)) or col({}(...)),", word,
                         word, word));
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
  std::map<FusedPlace, std::pair<Spread, FusedValue>> vectors_;
};

}  // namespace cudamat::detail
