#include "rewriter/list/checks.hpp"

#include <algorithm>

namespace rewriter {

std::map<std::size_t, std::string_view> failed_checks(const StatementList& list) {
  std::map<std::size_t, std::string_view> result;
  Table<const Statement*> writers(list.variables.size(), nullptr);  // the last ones, by variable
  for (std::size_t at = 0; at < list.statements.size(); ++at) {
    const Statement& s = list.statements[at];
    if (s.kind == Statement::Kind::Call && s.op == Op::select_columns) {
      const Statement* const from = writers[s.operands[0].var];
      const Statement* const index = writers[s.operands[1].var];
      const bool is_check = from != nullptr && from->kind == Statement::Kind::Constant &&
                            list.variables[from->target].shape == cudamat::Shape{1, 1};
      const bool is_of_int =
          index != nullptr && std::any_of(index->numbers.begin(), index->numbers.end(),
                                          [](const Number& n) { return n.value() == -0x1p63; });
      if (is_check)
        result[at] = is_of_int
                         ? "[int] NaN, an infinity or a number beyond 64 bits cannot be converted "
                           "to an int"
                         : "[program] a check at run time fails: lengths differ, a masked "
                           "selection is empty, numbers are not in order, a divisor is 0, or a "
                           "number is out of its range";
    }
    if (s.kind == Statement::Kind::Empty || s.kind == Statement::Kind::Free) continue;
    for (const Var target : targets_of(s)) writers[target] = &s;
  }
  return result;
}

}  // namespace rewriter
