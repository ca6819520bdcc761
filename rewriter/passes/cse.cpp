#include "rewriter/passes/cse.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <unordered_map>
#include <utility>

#include "rewriter/passes/rewriting.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using Kind = Statement::Kind;

/// Whether a copy of the result is cheaper than another call.
bool costs_more_than_a_copy(Op op) {
  switch (cudamat::row(op).family) {
    case Family::Unary:
      switch (op) {
        case Op::sign:
        case Op::abs:
        case Op::floor:
        case Op::ceil:
        case Op::rint:
        case Op::trunc:
        case Op::isnan:
        case Op::isinf:
          return false;
        default:
          return true;
      }
    case Family::Binary:
      return op == Op::pow || op == Op::mod || op == Op::floor_divide || op == Op::integer_mod ||
             op == Op::integer_divide;
    case Family::Product:
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Whole:
    case Family::Scan:
    case Family::Sort:
    case Family::Solver:
      return true;
    default:
      return false;
  }
}

class Cse {
 public:
  Cse(const StatementList& list, const PassOptions& options)
      : list_(list, options),
        versions_(list.variables.size(), 0),
        values_(list.variables.size()),
        made_by_(list.variables.size(), kNoSlot) {}

  PassResult run() {
    for (Slot slot = 0; slot < list_.size(); ++slot) {
      if (slot > 0 && list_.block(slot) != list_.block(slot - 1)) start_block();
      if (!list_.is_gone(slot)) visit(slot);
    }
    return list_.finish();
  }

 private:
  using Number = int;  ///< equal numbers, equal values

  /// What a variable held when its memory had that version.
  struct Value {
    int version = -1;
    Number number = 0;
  };
  struct Holder {
    Var var;
    int version;
  };

  void start_block() {
    numbers_.clear();
    holders_.clear();
    std::fill(values_.begin(), values_.end(), Value{});
  }

  void visit(Slot slot) {
    const Statement& s = list_.at(slot);
    switch (s.kind) {
      case Kind::Slice:
      case Kind::Reshape:
        made_by_[s.target] = slot;
        return;
      case Kind::Call:
        return call(slot);
      default:
        return;
    }
  }

  int& version(Var var) { return versions_[list_.owner(var)]; }
  void set_value(Var var, Number number) { values_[var] = {version(var), number}; }

  Number value(Var var) {
    const Value known = values_[var];
    if (known.version == version(var)) return known.number;
    const Slot view = made_by_[var];
    const Number number =
        view == kNoSlot || list_.is_gone(view) ? next_number_++ : number_of(key(list_.at(view)));
    set_value(var, number);
    return number;
  }

  Number number_of(const std::string& key) {
    const auto [place, is_new] = numbers_.try_emplace(key, next_number_);
    if (is_new) ++next_number_;
    return place->second;
  }

  /// What decides about a result, as bytes.
  std::string key(const Statement& s) {
    std::string result;
    const auto put = [&](auto number) {
      result.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    put(s.kind);
    if (s.kind == Kind::Call) put(s.op);
    const cudamat::Shape shape = list_.shape(s.target);
    put(shape.rows);
    put(shape.cols);
    const auto put_terms = [&](const ListTerms& terms) {
      put(terms.size());
      for (const auto& [loop, factor] : terms) put(loop), put(factor);
    };
    if (const std::optional<Extents>& varying = list_.varying(s.target)) {
      put(varying->rows.constant);
      put_terms(varying->rows.terms);
      put(varying->cols.constant);
      put_terms(varying->cols.terms);
    }
    std::vector<std::pair<Number, bool>> operands;
    for (const auto& operand : s.operands)
      operands.emplace_back(value(operand.var), operand.transposed);
    if (s.kind == Kind::Call && cudamat::row(s.op).has(cudamat::kCommutative))
      std::sort(operands.begin(), operands.end());
    if (s.kind == Kind::Call && reads_target(s)) operands.emplace_back(value(s.target), false);
    put(operands.size());
    for (const auto& [number, transposed] : operands) put(number), put(transposed);
    for (const rewriter::Number& number : s.numbers) {
      put(std::bit_cast<std::uint64_t>(number.value()));
      put(static_cast<std::uint64_t>(number.parameter()));
    }
    for (const Index integer : s.integers) put(integer);
    put_terms(s.terms);
    put_terms(s.stretch);
    return result;
  }

  void call(Slot slot) {
    const Statement& s = list_.at(slot);
    const Var t = s.target;
    const Family family = cudamat::row(s.op).family;
    if (draws(s) || family == Family::SetSlice) {
      ++version(t);
      return;
    }
    const bool copies = s.op == Op::assign && !s.operands.empty();
    const Number number = copies ? value(s.operands[0].var) : number_of(key(s));
    if (const Var same = holder(number); same != kNoVar && !copies && use_instead(slot, same))
      return;
    ++version(t);
    set_value(t, number);
    holders_[number].push_back({t, version(t)});
  }

  /// A variable that holds the value now, or kNoVar.
  Var holder(Number number) {
    const auto found = holders_.find(number);
    if (found == holders_.end()) return kNoVar;
    auto& holders = found->second;
    std::erase_if(holders, [&](const Holder& h) {
      return h.version != version(h.var) || !list_.exists(h.var);
    });
    return holders.empty() ? kNoVar : holders.front().var;
  }

  /// True if the call at `slot` is gone: its readers read `same`.
  bool use_instead(Slot slot, Var same) {
    const Statement& s = list_.at(slot);
    const std::string text = list_.text(slot);
    if (s.target == same) {
      list_.made(slot, Remark::Kind::Made, text + ": that is what it holds");
      list_.erase(slot);
      return true;
    }
    const std::string reason = list_.forward(slot, same);
    if (reason.empty()) {
      list_.made(slot, Remark::Kind::Made,
                 fmt::format("{}: {} has that value", text, list_.name(same)));
      return true;
    }
    if (costs_more_than_a_copy(s.op) && list_.owner(same) != list_.owner(s.target)) {
      Statement copy = s;
      copy.op = Op::assign;
      copy.operands = {{same}};
      copy.numbers.clear();
      copy.integers.clear();
      list_.made(slot, Remark::Kind::Made,
                 fmt::format("{}: a copy of {}, which has that value ({})", text, list_.name(same),
                             reason));
      list_.replace(slot, std::move(copy));
    } else if (s.op != Op::assign) {
      list_.refuse(slot, fmt::format("{} is computed again, though {} has that value: {}", text,
                                     list_.name(same), reason));
    }
    return false;
  }

  Rewriting list_;
  Table<int> versions_;  // by owner: how often it was written
  Table<Value> values_;  // by variable
  Table<Slot> made_by_;  // by variable: the Slice or Reshape
  std::unordered_map<std::string, Number> numbers_;
  std::unordered_map<Number, std::vector<Holder>> holders_;
  Number next_number_ = 0;
};

}  // namespace

PassResult cse(const StatementList& list, const PassOptions& options) {
  return run_until_stable<Cse>(list, options);
}

}  // namespace rewriter
