#include "rewriter/pass_order.hpp"

#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "rewriter/list_edit.hpp"
#include "rewriter/print_text.hpp"
#include "rewriter/schedule.hpp"

namespace rewriter {

namespace {

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
    using Kind = Statement::Kind;
    std::vector<Statement> statements;
    bool better = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < list.statements.size(); ++i) {
      const Kind kind = list.statements[i].kind;
      if (kind != Kind::Loop && kind != Kind::End && kind != Kind::Print) continue;
      better = improve(begin, i, statements) || better;
      statements.push_back(list.statements[i]);
      begin = i + 1;
    }
    better = improve(begin, list.statements.size(), statements) || better;
    result_.list.statements = std::move(statements);
    return better;
  }

  bool improve(std::size_t begin, std::size_t end, std::vector<Statement>& statements) {
    const Schedule schedule(result_.list, begin, end);
    const Schedule::Order literal = schedule.literal();
    Schedule::Order best = literal;
    for (Schedule::Order& other :
         std::array{schedule.tightened(), schedule.forwards(), schedule.backwards()})
      if (other.peak < best.peak) best = std::move(other);
    for (const std::size_t at : best.statements) statements.push_back(result_.list.statements[at]);
    if (best.peak == literal.peak) return false;
    const auto& first = result_.list.statements[begin];
    result_.receipts.push_back(
        {Receipt::Kind::Made, first.where,
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
