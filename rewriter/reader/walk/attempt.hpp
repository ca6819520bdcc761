// A `try` whose block is being read: what may leave it at run time. Internal to the reader.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

namespace rewriter {

struct Interpreter::Attempt {
  struct Raised {
    ClassPtr type;
    std::vector<Value> arguments;
    std::uint32_t handler = 0;  ///< 0: an outer `try` has it

    friend bool operator==(const Raised& a, const Raised& b) {
      return a.type == b.type && a.handler == b.handler &&
             std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(),
                        b.arguments.end(), [](const Value& x, const Value& y) {
                          return (is_chosen_text(x) && is_chosen_text(y)) ||
                                 known_equal(x, y) == true;
                        });
    }
  };
  std::vector<std::uint32_t> handlers;
  std::size_t scopes = 0;  ///< around its block
  std::size_t loops = 0;   ///< of the innermost of these
  int level = 0;           ///< of the loops of these that may be left
  Value holder;            ///< its state is the number of what was raised, from 1 on
  std::string name;        ///< of that state
  std::vector<Raised> raised{};
  Attempt* outer = nullptr;
  bool has_last = false;     ///< a `finally`
  bool is_uncaught = false;  ///< what is raised now: no `try` has an `except` for it
  std::size_t count = 0;     ///< how many `raise` have been read, one as often as it was

  /// Whether what is read is under a run-time condition within the block.
  [[nodiscard]] bool is_open(const Interpreter& reader, Span span) const;
  /// The first that takes such exceptions; 0: none.
  [[nodiscard]] std::uint32_t handler_of(Interpreter& reader, const ClassPtr& type) const;
  /// Whether the handler says that it is for these, and not for all exceptions.
  [[nodiscard]] bool names(Interpreter& reader, const Raised& which) const;
  /// The innermost `try` from this one on that takes it, and its handler; null: none.
  Attempt* taking(Interpreter& reader, Raised& which, Span span);
  /// Notes that it is raised here. A body that is read again raises the same.
  void note(Interpreter& reader, const Raised& which);
  /// The same, of what leaves all up to the target.
  void raise(Interpreter& reader, Attempt& target, const Raised& which);
  /// Under the condition, and where nothing has been raised before.
  void raise_if(Interpreter& reader, const Value& condition, Attempt& target, const Raised& which);
  /// Of a call of np.linalg: the matrix may be one for which it raises LinAlgError.
  void catch_linalg_error(Interpreter& reader, Call& call, const std::string& function,
                          ast::ExprId id);
  /// Of x[index], if an `except` names IndexError: run-time indices may be out of bounds. They are
  /// others then.
  void catch_index_error(Interpreter& reader, const Value& object, std::vector<Value>& index,
                         Span span);
};

}  // namespace rewriter
