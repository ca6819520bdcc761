#include "rewriter/listing/scope.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/text/depth.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenKind;

const Var* ListScope::find(std::string_view name) const {
  const auto found = vars_.find(name);
  return found == vars_.end() ? nullptr : &found->second;
}

Var ListScope::use(const Token& name) const {
  if (const Var* const var = find(name)) return *var;
  const std::string_view text = cursor_.text(name);
  if (const auto loop = loop_names_.find(text); loop != loop_names_.end())
    cursor_.fail(name, fmt::format("{} is the variable of the loop in line {}, not a matrix", text,
                                   line_of(loop->second)));
  for (std::size_t ahead = 0; cursor_.peek(ahead).kind != TokenKind::EndOfFile; ++ahead) {
    const Token& token = cursor_.peek(ahead);
    if (token.kind == TokenKind::Error) break;
    if (cursor_.peek(ahead + 1).kind != TokenKind::Assign || cursor_.text(token) != text) continue;
    const TokenKind before = ahead == 0 ? TokenKind::Newline : cursor_.peek(ahead - 1).kind;
    if (before == TokenKind::Newline || before == TokenKind::Indent || before == TokenKind::Dedent)
      cursor_.fail(name, fmt::format("{} is used before it is defined in line {}", text,
                                     line_of(token.span)));
  }
  cursor_.fail(name, fmt::format("{} is not defined", cursor_.describe(name)));
}

Var ListScope::define(const Token& name, const Extents& extents, Var view_of) {
  const std::string_view text = cursor_.text(name);
  if (const auto loop = loop_names_.find(text); loop != loop_names_.end())
    cursor_.fail(name, fmt::format("{} is the variable of the loop in line {}; a matrix needs "
                                   "another name",
                                   text, line_of(loop->second)));
  const auto [found, is_new] = vars_.emplace(text, static_cast<Var>(list_.variables.size()));
  if (!is_new) {
    const Span first = defined_at_[found->second];
    cursor_.fail(name, fmt::format("{} is defined twice, first in line {}", text, line_of(first)));
  }
  const bool varies = !extents.rows.terms.empty() || !extents.cols.terms.empty();
  const auto largest = [&] {
    try {
      return iterations_.largest(extents);
    } catch (const cudamat::CUDAMatException& error) {
      cursor_.fail(name, std::string(error.message()));
    }
  };
  list_.variables.push_back(
      {std::string(text),
       varies ? largest() : cudamat::Shape{extents.rows.constant, extents.cols.constant}, view_of,
       varies ? std::optional(extents) : std::nullopt});
  defined_at_.push_back(name.span);
  return found->second;
}

int ListScope::begin_loop(const Token& name, ListLoop loop) {
  if (!loop.has_variable()) return open_loop(std::move(loop));
  if (const Var* const var = find(name))
    cursor_.fail(name, fmt::format("{} is the matrix of line {}; a loop's variable needs another "
                                   "name",
                                   loop.name, line_of(defined_at_[*var])));
  if (find_loop(name) != nullptr)
    cursor_.fail(name, fmt::format("{} is the variable of the loop around it, in line {}",
                                   loop.name, line_of(loop_names_.at(cursor_.text(name)))));
  loop_names_[cursor_.text(name)] = name.span;
  const int number = open_loop(std::move(loop));
  if (!list_.loops[number].varies()) return number;
  try {
    if (iterations_.corners().empty())
      cursor_.fail(name, "the range has no numbers in any iteration of the loops around it");
    const auto [least, greatest] = iterations_.bounds(0, {{number, 1}});
    open_.back().loop =
        std::make_shared<const Loop>(Loop{list_.loops[number].name, least, greatest + 1, 1});
  } catch (const cudamat::CUDAMatException& error) {
    cursor_.fail(name, std::string(error.message()));
  }
  return number;
}

int ListScope::open_loop(ListLoop loop) {
  if (std::ssize(open_) >= kDeepest) cursor_.fail(cursor_.previous(), too_deep("loops"));
  const int number = static_cast<int>(list_.loops.size());
  open_.push_back({std::make_shared<const Loop>(loop), number});
  list_.loops.push_back(std::move(loop));
  iterations_.open(number);
  return number;
}

int ListScope::end_loop() {
  const int number = open_.back().number;
  open_.pop_back();
  iterations_.close();
  return number;
}

LoopPtr ListScope::find_loop(const Token& name) const {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return open.loop->name == cursor_.text(name);
  });
  return found == open_.end() ? nullptr : found->loop;
}

LoopPtr ListScope::use_loop(const Token& name) const {
  if (LoopPtr loop = find_loop(name)) return loop;
  const std::string_view text = cursor_.text(name);
  if (const auto loop = loop_names_.find(text); loop != loop_names_.end())
    cursor_.fail(
        name, fmt::format("{} is used outside its loop, in line {}", text, line_of(loop->second)));
  if (find(name) != nullptr)
    cursor_.fail(name, fmt::format("expected a whole number, found the matrix {}", text));
  cursor_.fail(name, fmt::format("expected a whole number or a variable of a loop around this "
                                 "line, found {}",
                                 cursor_.describe(name)));
}

ListTerms ListScope::numbered(const LoopTerms& terms) const {
  ListTerms result;
  for (const LoopTerm& term : terms) {
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [&](const Open& o) { return o.loop == term.loop; });
    result.push_back({open->number, term.factor});
  }
  return result;
}

}  // namespace rewriter
