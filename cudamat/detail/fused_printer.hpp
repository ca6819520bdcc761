// Prints a fused statement as text.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cudamat/detail/fused_grammar.hpp"

namespace cudamat::detail {

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
        if (is(body_.targets[t].value, i) && names(body_.targets[t], body_.steps[i])) stored = t;
      if (stored) {
        names_[i] = body_.steps[i].reduces() ? of_.targets[*stored].text() : target_text(*stored);
        line(names_[i], step_text(i));
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
  /// Whether the target may give its name to the value of the step.
  static bool names(const FusedTarget& target, const FusedStep& step) {
    return step.reduces() ? target.is_vector() : !target.is_reduced();
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
    // A step before it may be printed only after it.
    if (!early) {
      const std::vector<bool> ends = ends_in(assigned - 1);
      for (std::size_t s = 0; s < assigned; ++s)
        if (reads(s, wanted) && !ends[s]) return true;
    }
    for (std::size_t t = 0; t < of_.targets.size(); ++t)
      if (t != target && body_.targets[t].value == wanted) return true;
    return false;
  }
  bool reads(std::size_t step, const FusedValue& wanted) const {
    const auto values = body_.steps[step].values();
    return std::find(values.begin(), values.end(), wanted) != values.end();
  }
  /// By step: whether what it computes is used, if at all, on the way to step `to` alone.
  std::vector<bool> ends_in(std::size_t to) const {
    std::vector<bool> ends(body_.steps.size());
    for (std::size_t s = 0; s < ends.size(); ++s) ends[s] = s == to || uses_[s] == 0;
    for (std::size_t s = ends.size(); s-- > 0;)
      for (const FusedValue& value : body_.steps[s].values())
        if (value.kind == FusedValue::Kind::Step)
          if (const auto from = static_cast<std::size_t>(value.index);
              uses_[from] == 1 && from != to)
            ends[from] = ends[s];
    return ends;
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
  /// The left side of what is stored in it.
  std::string target_text(std::size_t t) const {
    return spread_text(of_.targets[t].text(), body_.targets[t].lies);
  }
  static std::string spread_text(const std::string& of, Spread how) {
    return how == Spread::Whole ? of : fmt::format("{}({})", fused_spread(how), of);
  }
  void assign(std::size_t t) {
    const FusedTarget& target = body_.targets[t];
    std::string value = text(target.value, 1);
    if (target.is_reduced()) {
      value = fmt::format("{}({}", target.beta >= 0 ? row(Op::add_sums).name : row(target.op).name,
                          value);
      if (!target.is_total()) value += fmt::format(", axis={}", target.axis);
      if (target.mult >= 0) value += ", mult=" + number(target.mult);
      if (target.beta >= 0) value += ", beta=" + number(target.beta);
      value += ')';
    }
    line(target_text(t), value);
  }

  std::string number(int i) const {
    return fmt::format("{}", of_.numbers[static_cast<std::size_t>(i)]);
  }

  /// What is still to be written: a text, a step, or a value that must hold at least so tightly
  /// together. On a stack, since sums of many terms are that deep.
  struct Piece {
    std::string text{};
    FusedValue value{};
    int precedence = kText;
  };
  static constexpr int kText = -1;
  static constexpr int kStep = 0;
  using Pieces = std::vector<Piece>;

  std::string text(const FusedValue& value, int precedence) {
    std::string result;
    Pieces left{{{}, value, precedence}};
    while (!left.empty()) {
      const Piece piece = std::move(left.back());
      left.pop_back();
      if (piece.precedence == kText) {
        result += piece.text;
        continue;
      }
      Pieces parts = piece.precedence == kStep
                         ? step_pieces(static_cast<std::size_t>(piece.value.index))
                         : pieces(piece.value, piece.precedence);
      std::move(parts.rbegin(), parts.rend(), std::back_inserter(left));
    }
    return result;
  }
  std::string step_text(std::size_t i) { return text(step_value(i), kStep); }
  static FusedValue step_value(std::size_t i) {
    return {FusedValue::Kind::Step, static_cast<int>(i)};
  }

  Pieces pieces(const FusedValue& value, int precedence) const {
    const auto i = static_cast<std::size_t>(value.index);
    if (value.kind == FusedValue::Kind::Number) return {{number(value.index)}};
    if (value.kind == FusedValue::Kind::Input) {
      const std::string place = kept_[i].empty() ? of_.inputs[i].text() : kept_[i];
      return {{spread_text(place, body_.inputs[i])}};
    }
    const Piece itself = names_[i].empty() ? Piece{{}, value, kStep} : Piece{names_[i]};
    if (const FusedStep& step = body_.steps[i]; step.reduces()) {
      const Spread spread = step.axis == 0 ? Spread::Row : Spread::Column;
      return {{fmt::format("{}(", fused_spread(spread))}, itself, {")"}};
    }
    if (names_[i].empty() && fused_precedence(body_.steps[i].op) < precedence)
      return {{"("}, itself, {")"}};
    return {itself};
  }
  static Pieces step_pieces(const FusedStep& step) {
    if (const std::string_view infix = fused_infix(step.op); !infix.empty()) {
      const int precedence = fused_precedence(step.op);
      const bool compares = precedence == 1;  // a < b < c is something else in Python
      return {{{}, step.operands[0], precedence + (compares ? 1 : 0)},
              {fmt::format(" {} ", infix)},
              {{}, step.operands[1], precedence + 1}};
    }
    Pieces call{{std::string(step.op == Op::fill_with_rand    ? "rand"
                             : step.op == Op::fill_with_randn ? "randn"
                                                              : row(step.op).name) +
                 '('}};
    for (const FusedValue& value : step.values()) {
      if (call.size() > 1) call.push_back({", "});
      call.push_back({{}, value, 1});
    }
    call.push_back({step.reduces() ? fmt::format(", axis={})", step.axis) : ")"});
    return call;
  }
  Pieces step_pieces(std::size_t i) const { return step_pieces(body_.steps[i]); }

  const FusedText& of_;
  const std::function<bool(const std::string&)>& is_taken_;
  const FusedBody& body_;
  std::vector<int> uses_;           // by step
  std::vector<std::string> names_;  // by step that has one
  std::vector<std::string> kept_;   // by input that is overwritten: its name
  int names_made_ = 0;
  std::string text_;
};

}  // namespace cudamat::detail
