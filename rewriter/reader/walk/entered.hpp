// Internal to the reader: the scope of a call, while it lives.
#pragma once

#include <utility>

#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

/// In a scope, for what a lambda is: its expression after this number.
inline constexpr std::uint32_t kLambdas = 1U << 31;

class Interpreter::Entered {
 public:
  Entered(Interpreter& reader, std::uint32_t function)
      : reader_(reader), place_(reader.statement_place_) {
    constexpr std::size_t kDeepestCall = 200;
    if (reader.scopes_.size() > kDeepestCall)
      cudamat::misuse("program",
                      "calls are nested more than {} deep; the recursion must end by a condition "
                      "that is known when the program is read",
                      kDeepestCall);
    check_stack();
    Scope& caller = reader.scope();
    reader.scopes_.emplace_back().function = function;
    const Span text = function < kLambdas ? reader.tree_.statements[function].span
                                          : reader.tree_[function - kLambdas].span;
    reader.scope().file = reader.tree_.source.file_number(text.begin);
    reader.objects_.move(caller.names, reader.scope().names);
  }
  ~Entered() {
    Scope& ended = reader_.scope();
    reader_.objects_.move(ended.names, reader_.scopes_[reader_.scopes_.size() - 2].names);
    if (const auto& enclosing = ended.enclosing) {
      enclosing->kept = std::move(ended.names);
      enclosing->names = &enclosing->kept;
    }
    reader_.scopes_.pop_back();
    reader_.statement_place_ = place_;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Interpreter& reader_;
  SourceLocation place_;
};

}  // namespace rewriter
