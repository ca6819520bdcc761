// The variables and loops of a statement list while it is read, and the readers of its parts.
// Internal to the reader of lists.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewriter/expr/affine.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/python/token_cursor.hpp"

namespace rewriter {

/// Whether the token can be the name of a variable: in a list Python's keywords can.
inline bool is_variable_name(const ast::Token& token) {
  return token.kind == ast::TokenKind::Name || ast::is_keyword(token.kind);
}

class ListScope {
 public:
  /// Both must outlive the scope; variables and loops go into the list.
  ListScope(const ast::TokenCursor& cursor, StatementList& list)
      : cursor_(cursor), list_(list), iterations_(list) {}

  /// Null unless a variable has the name.
  const Var* find(const ast::Token& name) const { return find(cursor_.text(name)); }
  const Var* find(std::string_view name) const;
  /// Throws ProgramError unless a variable has the name.
  Var use(const ast::Token& name) const;
  /// Throws ProgramError if a variable or a loop has the name already.
  Var define(const ast::Token& name, const Extents& extents, Var view_of = kNoVar);

  Span defined_at(std::size_t var) const { return defined_at_[var]; }

  /// The number of a new loop, which is open until end_loop(). Throws ProgramError if a variable or
  /// a loop around it has the name.
  int begin_loop(const ast::Token& name, ListLoop loop);
  int open_loop(ListLoop loop);
  /// Closes the innermost loop and returns its number.
  int end_loop();
  bool in_loop() const { return !open_.empty(); }
  /// The open loop whose variable has the name, or null.
  LoopPtr find_loop(const ast::Token& name) const;
  /// The same. Throws ProgramError unless there is one.
  LoopPtr use_loop(const ast::Token& name) const;
  /// The terms as the list has them; their loops are open.
  ListTerms numbered(const LoopTerms& terms) const;
  /// The same, in the order of their loops.
  ListInteger numbered(const Affine& integer) const {
    return sum({}, {integer.constant, numbered(integer.terms)});
  }

 private:
  struct Open {
    LoopPtr loop;
    int number = 0;
  };

  int line_of(Span span) const { return cursor_.source().line_of(span.begin); }

  const ast::TokenCursor& cursor_;
  StatementList& list_;
  std::unordered_map<std::string_view, Var> vars_;         // views of the source
  Table<Span> defined_at_;                                 // by variable
  std::vector<Open> open_;                                 // loops, the innermost last
  IterationSpace iterations_;                              // of these
  std::unordered_map<std::string_view, Span> loop_names_;  // of all loops so far: the last one's
};

// ---- parse at the cursor; each leaves the cursor after what it parsed

/// The call, up to its ')'. Its place in the source is left open.
Statement read_statement_call(ast::TokenCursor& cursor, const ListScope& scope);

/// for NAME in range(START, STOP, STEP): up to the ':'. The loop is open then.
Statement read_loop(ast::TokenCursor& cursor, ListScope& scope);

/// print("TEXT", NUMBERS).
Statement read_print(ast::TokenCursor& cursor, const ListScope& scope);

/// cm.fused("TEXT", up to its ')'.
Statement read_fused(ast::TokenCursor& cursor, const ListScope& scope);

/// cm.custom("NAME", OPERANDS, NUMBERS, targets=(NAMES)).
Statement read_custom(ast::TokenCursor& cursor, const ListScope& scope);

/// Whether the argument up to the next ',' or ')' has the variable of an open loop.
bool at_loop_integer(const ast::TokenCursor& cursor, const ListScope& scope);

/// 128 * batch + 128, (i + 1) * 4, 7: sums and products of whole numbers and variables of open
/// loops, of which a product has one. All values over the loops have 64 bits.
Affine read_loop_integer(ast::TokenCursor& cursor, const ListScope& scope);

}  // namespace rewriter
