// A statement list while a pass rewrites it: which statements use which memory, kept up to date.
//
// Rewrites look at straight runs of statements (blocks): whatever is no plain statement, such as
// the begin of a loop, ends one, and nothing is moved, replaced or forgotten across such an end.
// Frees are no uses; finish() puts each after the last statement that mentions its memory.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/list/uses.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/pass.hpp"

namespace rewriter {

/// A place in the list: indices of statements stay what they are until finish().
using Slot = Position;
inline constexpr Slot kNoSlot = kNowhere;

/// Whether the call is x `op` number, an element-wise one.
inline bool is_with_number(const Statement& call, Op op) {
  return call.op == op && call.operands.size() == 1 && call.numbers.size() == 1 &&
         cudamat::row(op).family == cudamat::Family::Binary;
}
inline bool is_with_number(const Statement& call, Op op, double number) {
  return is_with_number(call, op) && call.numbers[0] == number;
}

class Rewriting {
 public:
  Rewriting(const StatementList& list, const PassOptions& options);

  /// The list without what was erased, and the remarks. A list in which nothing was rewritten
  /// comes out as it went in.
  PassResult finish();

  // ---- the list

  [[nodiscard]] Slot size() const { return std::ssize(list_.statements); }
  [[nodiscard]] const Statement& at(Slot slot) const { return list_.statements[slot]; }
  [[nodiscard]] bool is_call(Slot slot) const {
    return !is_gone(slot) && at(slot).kind == Statement::Kind::Call;
  }
  [[nodiscard]] bool is_gone(Slot slot) const { return gone_[slot]; }
  /// Blocks are numbered in the order of the list.
  [[nodiscard]] std::size_t block(Slot slot) const { return block_[slot]; }
  [[nodiscard]] Var owner(Var var) const { return rewriter::owner(list_, var); }
  [[nodiscard]] cudamat::Shape shape(Var var) const { return list_.variables[var].shape; }
  [[nodiscard]] const std::optional<Extents>& varying(Var var) const {
    return list_.variables[var].varying;
  }
  [[nodiscard]] bool same_shape(Var a, Var b) const { return rewriter::same_shape(list_, a, b); }
  [[nodiscard]] const std::string& name(Var var) const { return names_[var]; }
  /// As print_statements() writes it.
  [[nodiscard]] std::string text(const Statement& statement) const;
  [[nodiscard]] std::string text(Slot slot) const { return text(at(slot)); }
  [[nodiscard]] bool may_round() const { return options_.may_round; }
  [[nodiscard]] bool transposed_factors_are_flags() const {
    return options_.transposed_factors_are_flags;
  }

  // ---- memories, by any variable that shows them

  /// False once nothing read it and it was erased.
  [[nodiscard]] bool exists(Var var) const {
    const Slot made = memory(var).made;
    return made < 0 || !is_gone(made);
  }
  /// Whether a statement between the two (both excluded) writes to the memory.
  [[nodiscard]] bool written_between(Var var, Slot first, Slot last) const;
  /// The first use after the slot, or kNoSlot.
  [[nodiscard]] Slot next_use(Var var, Slot slot) const { return memory(var).next_mention(slot); }
  /// The last use of all, or kNoSlot.
  [[nodiscard]] Slot last_use(Var var) const { return memory(var).last_mention(); }
  [[nodiscard]] bool is_output(Var var) const { return memory(var).is_output; }
  /// Made here, used in one block, and neither an input nor an output: what it holds at the end of
  /// the block is of no interest.
  [[nodiscard]] bool is_local(Var var) const;
  /// Whether nothing reads the memory after the slot, in this block or later.
  [[nodiscard]] bool dies_at(Var var, Slot slot) const;

  // ---- values

  /// The call of this block that wrote all of what `slot` reads as `var`, or kNoSlot.
  [[nodiscard]] Slot producer(Slot slot, Var var) const;
  /// Whether the call at `slot` alone reads what `from`, which comes before it, wrote, and in one
  /// place.
  [[nodiscard]] bool is_only_reader(Slot from, Slot slot) const;
  /// Whether the operands of the call at `from` still hold at `slot` what they held there.
  [[nodiscard]] bool can_move(Slot from, Slot slot) const;
  /// The number that all elements of `var` are at `slot`, if it is known.
  [[nodiscard]] std::optional<Number> constant(Slot slot, Var var) const;
  /// Whether `var` holds at `slot` what it held at `from`.
  [[nodiscard]] bool is_intact(Var var, Slot from, Slot slot) const;

  /// Whether an element-wise call may read `var` where it writes `target`.
  [[nodiscard]] bool may_meet(Var var, Var target) const {
    return var == target || owner(var) != owner(target);
  }

  // ---- changes

  void replace(Slot slot, Statement statement);
  void erase(Slot slot);

  /// Makes all later reads of the target of the call at `slot` reads of `var`, which holds the same
  /// value there, and erases the call. Otherwise says why that cannot be.
  [[nodiscard]] std::string forward(Slot slot, Var var);

  /// Makes the target of the call at `slot` a view of `var`, of as many elements, which holds the
  /// same values in the same order. Otherwise says why that cannot be.
  [[nodiscard]] std::string show(Slot slot, Var var);

  /// Makes one memory of `from`, which nothing reads after the call at `slot`, and of that call's
  /// target, which is first used by it: the call works in place then. Otherwise says why not. A
  /// statement at `ignored` counts as gone; the caller erases it.
  [[nodiscard]] std::string join(Slot slot, Var from, Slot ignored = kNoSlot);
  /// What join() would say.
  [[nodiscard]] std::string why_not_join(Slot slot, Var from, Slot ignored = kNoSlot) const;

  /// The target of the call at `slot`, a copy of a local memory that ends here, becomes that
  /// memory from its first write on. False if it cannot.
  bool write_directly(Slot slot);

  // ---- remarks

  void made(Slot slot, Remark::Kind kind, std::string what, std::string result = {},
            std::string reason = {});
  void refuse(Slot slot, std::string what, std::string result = {}, std::string reason = {});
  /// Forgets the rewrites that were not made, for another round.
  void start_round();
  [[nodiscard]] bool changed_this_round() const { return changed_; }

 private:
  using Kind = Statement::Kind;

  using Memory = Uses::Memory;

  Memory& memory(Var var) { return uses_.of(var); }
  [[nodiscard]] const Memory& memory(Var var) const { return uses_.of(var); }
  Statement& edit(Slot slot) { return list_.statements[slot]; }
  void mark_gone(Slot slot) {
    if (slot >= 0) gone_[slot] = true;
  }
  /// Neither made nor freed any more: its uses go to another memory.
  void give_up(const Memory& memory) {
    mark_gone(memory.made);
    mark_gone(memory.freed);
  }
  [[nodiscard]] bool is_read(Var owner) const;
  /// Erases memories that nothing reads any more, and so on with what only they read.
  void release(std::vector<Var> owners);
  /// Makes the views of `from` views of `to`.
  void move_views(Memory& from, Var to);
  /// Every mention of `from`, an owner, becomes one of `to`; views follow.
  void rename(Var from, Var to);
  [[nodiscard]] std::string why_not_replace(Slot slot, Var var) const;
  void replace_reads(Slot slot, Var var);
  void rebind_outputs(Var from, Var to);

  StatementList list_;
  const StatementList original_;
  PassOptions options_;
  print::ListNames names_;
  Table<bool> gone_;
  Table<std::size_t> block_;
  Uses uses_;             ///< of list_
  bool straight_ = true;  ///< there is but one block
  bool changed_ = false;
  bool ever_changed_ = false;
  std::vector<Remark> made_;
  std::vector<std::pair<Slot, Remark>> refused_;
};

/// Runs the pass as long as it makes the list shorter: what is gone, be it a write or a loop
/// without statements, may have stood in the way of more.
template <class Pass, class... Rest>
PassResult run_until_stable(const StatementList& list, const PassOptions& options,
                            const Rest&... rest) {
  PassResult result = Pass(list, options, rest...).run();
  for (std::size_t before = list.statements.size(); result.list.statements.size() < before;) {
    before = result.list.statements.size();
    PassResult next = Pass(result.list, options, rest...).run();
    std::erase_if(result.remarks,
                  [](const Remark& remark) { return remark.kind == Remark::Kind::Refused; });
    result.list = std::move(next.list);
    result.remarks.insert(result.remarks.end(), next.remarks.begin(), next.remarks.end());
  }
  return result;
}

}  // namespace rewriter
