// Fused statements in the printed list: cm.fused("h = sigmoid(h + row(w_h)); s = rand() < h").
// Names in the text are variables of the list, as they are outside of it.
#include <algorithm>
#include <map>
#include <optional>

#include "cudamat/fused_rules.hpp"
#include "cudamat/fused_text.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/listing/scope.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

namespace print {

namespace {

cudamat::FusedText named(const Statement& s, const FusedNames& name) {
  cudamat::FusedText text{*s.fused, {}, {}, {}};
  for (std::size_t i = 0; i < s.operands.size(); ++i)
    text.inputs.push_back(name(s.operands[i].var, rows_of(s, i)));
  for (std::size_t t = 0; t < s.targets.size(); ++t)
    text.targets.push_back(name(s.targets[t], rows_of(s, s.operands.size() + t)));
  for (const Number& number : s.numbers) text.numbers.push_back(number.value());
  return text;
}

/// What the places of a text are.
using Parts = std::map<cudamat::FusedPlace, std::pair<Var, std::optional<Statement::Rows>>>;

/// Gives the statement the text's body, operands, targets and their rows.
void set_fused(Statement& s, const cudamat::FusedText& text, const Parts& parts) {
  s.fused = std::make_shared<const cudamat::FusedBody>(text.body);
  s.operands.clear();
  s.targets.clear();
  s.rows.clear();
  bool has_rows = false;
  const auto part = [&](const cudamat::FusedPlace& place) {
    const auto& [var, rows] = parts.at(place);
    s.rows.push_back(rows);
    has_rows = has_rows || rows;
    return var;
  };
  for (const cudamat::FusedPlace& input : text.inputs) s.operands.push_back({part(input)});
  for (const cudamat::FusedPlace& target : text.targets) s.targets.push_back(part(target));
  if (!has_rows) s.rows.clear();
}

cudamat::FusedPlace place(const ListNames& names, Var var, const Statement::Rows* rows) {
  cudamat::FusedPlace place{names[var]};
  if (rows == nullptr) return place;
  place.first = affine_text(rows->first, names);
  place.last = affine_text(rows->last, names);
  return place;
}

}  // namespace

std::string fused_text(const Statement& s, const ListNames& names, const FusedNames& name) {
  return cudamat::print_fused(named(s, name),
                              [&](const std::string& local) { return names.has(local); });
}

std::string fused_text(const Statement& s, const ListNames& names) {
  return fused_text(s, names,
                    [&](Var var, const Statement::Rows* rows) { return place(names, var, rows); });
}

Statement in_text_order(const Statement& s, const ListNames& names) {
  Parts parts;
  cudamat::FusedText text = named(s, [&](Var var, const Statement::Rows* rows) {
    cudamat::FusedPlace at = place(names, var, rows);
    parts.try_emplace(at, var, rows == nullptr ? std::nullopt : std::optional(*rows));
    return at;
  });
  // Numbers by their place, since each may be a parameter.
  for (std::size_t i = 0; i < text.numbers.size(); ++i) text.numbers[i] = static_cast<double>(i);
  text = cudamat::in_text_order(text, [&](const std::string& local) { return names.has(local); });
  Statement result = s;
  set_fused(result, text, parts);
  result.numbers.clear();
  for (const double number : text.numbers)
    result.numbers.push_back(s.numbers[static_cast<std::size_t>(number)]);
  return result;
}

}  // namespace print

namespace {

class FusedReader {
 public:
  FusedReader(TokenCursor& cursor, const ListScope& scope) : cursor_(cursor), scope_(scope) {}

  /// cm.fused("TEXT"
  Statement read() {
    for (int i = 0; i < 3; ++i) cursor_.next();
    expect(cursor_, TokenKind::LeftParen, "'('");
    text_ = cursor_.next();
    const std::string_view quoted = cursor_.text(text_);
    if (text_.kind != TokenKind::String || quoted.front() != '"' || quoted.starts_with("\"\"\"") ||
        quoted.find('\\') != std::string_view::npos)
      cursor_.fail(text_,
                   "expected the string between two '\"'; a fused statement is written "
                   "cm.fused(\"c = a * b + row(v)\")");
    const cudamat::FusedText text = parsed(quoted.substr(1, quoted.size() - 2));
    for (const auto* places : {&text.inputs, &text.targets})
      for (const cudamat::FusedPlace& place : *places) note(place);
    const cudamat::FusedText ordered = cudamat::in_text_order(text);
    Statement s;
    s.kind = Statement::Kind::Fused;
    print::set_fused(s, ordered, parts_);
    for (const double number : ordered.numbers) s.numbers.emplace_back(number);
    return s;
  }

 private:
  cudamat::FusedText parsed(std::string_view text) const {
    try {
      cudamat::FusedText result = cudamat::parse_fused(
          text, [&](std::string_view name) { return scope_.find(name) != nullptr; });
      cudamat::rules::fused_body(result.body);
      return result;
    } catch (const cudamat::CUDAMatException& error) {
      cursor_.fail(text_, fmt::format("[fused] {}", error.message()));
    }
  }

  /// What a place is; its rows by where they stand in the source.
  void note(const cudamat::FusedPlace& place) {
    const Var* const var = scope_.find(place.name);
    if (var == nullptr) cursor_.fail(text_, fmt::format("{} is not defined", place.name));
    if (parts_.contains(place)) return;
    std::optional<Statement::Rows> rows;
    if (!place.first.empty()) {
      const auto begin = static_cast<std::uint32_t>(text_.span.begin + 1 + place.at);
      const auto end = static_cast<std::uint32_t>(begin + place.first.size());
      const auto behind = static_cast<std::uint32_t>(end + 1 + place.last.size());
      rows = Statement::Rows{integer({begin, end}), integer({end + 1, behind})};
    }
    parts_.try_emplace(place, *var, std::move(rows));
  }
  ListInteger integer(Span span) {
    const ast::TokenList tokens = ast::tokenize_part(cursor_.source(), span);
    const TokenCursor::Aside aside(cursor_, tokens);
    const ListInteger result = scope_.numbered(read_loop_integer(cursor_, scope_));
    if (!cursor_.at(TokenKind::EndOfFile) && !cursor_.at(TokenKind::Newline))
      cursor_.fail(cursor_.peek(), "expected the end of the rows");
    return result;
  }

  TokenCursor& cursor_;
  const ListScope& scope_;
  Token text_;
  print::Parts parts_;
};

}  // namespace

Statement read_fused(TokenCursor& cursor, const ListScope& scope) {
  return FusedReader(cursor, scope).read();
}

}  // namespace rewriter
