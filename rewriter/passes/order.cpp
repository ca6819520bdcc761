#include "rewriter/passes/order.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "rewriter/list/edit.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/schedule.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class Reorder {
 public:
  explicit Reorder(const StatementList& list) : result_{list, {}} {}

  PassResult run() {
    while (improve()) {
    }
    number_anew(result_.list);
    return std::move(result_);
  }

 private:
  /// Whether some stretch between barriers got a lower peak.
  bool improve() {
    const StatementList& list = result_.list;
    const Liveness live(list);
    std::vector<Statement> statements;
    bool better = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < list.statements.size(); ++i) {
      const Kind kind = list.statements[i].kind;
      if (kind != Kind::Loop && kind != Kind::End && kind != Kind::Print && kind != Kind::Custom)
        continue;
      better = improve(live, begin, i, statements) || better;
      statements.push_back(list.statements[i]);
      begin = i + 1;
    }
    better = improve(live, begin, list.statements.size(), statements) || better;
    result_.list.statements = std::move(statements);
    return better;
  }

  bool improve(const Liveness& live, std::size_t begin, std::size_t end,
               std::vector<Statement>& statements) {
    const Schedule schedule(result_.list, live, begin, end);
    const Schedule::Order literal = schedule.literal();
    Schedule::Order best = literal;
    const auto consider = [&](Schedule::Order other, Index peak) {
      if (other.peak <= peak && other.allocated <= literal.allocated) best = std::move(other);
    };
    consider(schedule.tightened(), best.peak - 1);
    consider(schedule.forwards(), best.peak - 1);
    consider(schedule.backwards(), best.peak - 1);
    if (best.peak < literal.peak)  // as low, and closer to what the program says
      consider(schedule.within(best.peak), best.peak);
    for (const std::size_t at : best.statements) statements.push_back(result_.list.statements[at]);
    if (best.peak == literal.peak) return false;
    const auto& first = result_.list.statements[begin];
    result_.remarks.push_back(
        {Remark::Kind::Made, first.where,
         fmt::format("{} statements in another order: their peak is lower by {} elements",
                     end - begin, print::grouped(literal.peak - best.peak))});
    return true;
  }

  PassResult result_;
};

}  // namespace

PassResult order(const StatementList& list, const PassOptions& /*options*/) {
  return Reorder(list).run();
}

}  // namespace rewriter
