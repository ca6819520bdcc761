// A `try` whose block is being read: what may leave it at run time. Internal to the reader.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rewriter/reader/interpreter.hpp"

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
  Value holder;            ///< its state is the number of what was raised, from 1 on
  std::string name;        ///< of that state
  std::vector<Raised> raised{};
  Attempt* outer = nullptr;
  bool has_last = false;     ///< a `finally`
  bool is_uncaught = false;  ///< what is raised now: no `try` has an `except` for it
  std::size_t count = 0;     ///< how many `raise` have been read, one as often as it was

  /// Whether what is read is under a run-time condition within the block. Throws in loops in it.
  [[nodiscard]] bool is_open(const Interpreter& reader, Span span) const;
  /// The first that takes such exceptions; 0: none.
  [[nodiscard]] std::uint32_t handler_of(Interpreter& reader, const ClassPtr& type) const;
  /// Notes that it is raised here. A body that is read again raises the same.
  void raise(Interpreter& reader, const Raised& which);
  /// Of a call of np.linalg.solve or inv: a singular matrix raises LinAlgError.
  void catch_singular(Interpreter& reader, Call& call, ast::ExprId id);
};

}  // namespace rewriter
