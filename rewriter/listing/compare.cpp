#include "rewriter/listing/compare.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

class Comparison {
 public:
  Comparison(const StatementList& a, const StatementList& b) : a_(a), b_(b) {}

  std::string run() const {
    if (auto text = bindings("input", a_.inputs, b_.inputs); !text.empty()) return text;
    const std::size_t count = std::min(a_.statements.size(), b_.statements.size());
    for (std::size_t i = 0; i < count; ++i)
      if (const auto what = statement(a_.statements[i], b_.statements[i]); !what.empty())
        return fmt::format("statement {}: {}: '{}' and '{}'", i, what, text(a_, a_.statements[i]),
                           text(b_, b_.statements[i]));
    if (a_.statements.size() != b_.statements.size())
      return fmt::format("{} and {} statements", a_.statements.size(), b_.statements.size());
    if (auto text = bindings("output", a_.outputs, b_.outputs); !text.empty()) return text;
    return sources();
  }

 private:
  static std::string text(const StatementList& list, const Statement& s) {
    return print::statement_text(list, s, print::ListNames(list));
  }
  static const Variable& at(const StatementList& list, Var var) { return list.variables[var]; }

  bool same_variable(Var a, Var b) const {
    if (a == kNoVar || b == kNoVar) return a == b;
    const Variable& x = at(a_, a);
    const Variable& y = at(b_, b);
    if (x.name != y.name || x.shape != y.shape || x.varying != y.varying) return false;
    if (x.view_of == kNoVar || y.view_of == kNoVar) return x.view_of == y.view_of;
    return at(a_, x.view_of).name == at(b_, y.view_of).name;
  }

  std::string bindings(std::string_view what, const std::vector<Binding>& a,
                       const std::vector<Binding>& b) const {
    if (a.size() != b.size()) return fmt::format("{} and {} {}s", a.size(), b.size(), what);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].name != b[i].name || a[i].dims != b[i].dims || a[i].transposed != b[i].transposed ||
          !same_variable(a[i].var, b[i].var))
        return fmt::format("{} {}: '{}' {} and '{}' {}", what, i, a[i].name, print::dims_text(a[i]),
                           b[i].name, print::dims_text(b[i]));
    return {};
  }

  /// What differs of two statements; empty if nothing does.
  std::string_view statement(const Statement& a, const Statement& b) const {
    if (a.kind != b.kind || (a.kind == Statement::Kind::Call && a.op != b.op)) return "kind";
    const auto same = [&](Var x, Var y) { return same_variable(x, y); };
    if (!std::equal(targets_of(a).begin(), targets_of(a).end(), targets_of(b).begin(),
                    targets_of(b).end(), same))
      return "target";
    const auto same_operand = [&](const Statement::Operand& x, const Statement::Operand& y) {
      return x.transposed == y.transposed && same_variable(x.var, y.var);
    };
    if (!std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    same_operand))
      return "operands";
    if (!std::equal(
            a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
            [](const Number& x, const Number& y) { return same_number(x.value(), y.value()); }))
      return "numbers";
    if (a.integers != b.integers) return "integers";
    if ((a.fused == nullptr) != (b.fused == nullptr)) return "body";
    if (a.fused != nullptr && !(*a.fused == *b.fused)) return "body";
    if (a.custom != b.custom) return "operation";
    if (a.rows != b.rows) return "rows";
    if (a.terms != b.terms || a.stretch != b.stretch || a.loop != b.loop) return "loops";
    if (a.kind == Statement::Kind::Loop && !(a_.loops[a.loop] == b_.loops[a.loop])) return "ranges";
    if (a.parts != b.parts) return "texts";
    if ((a.data == nullptr) != (b.data == nullptr)) return "data";
    if (a.data != nullptr && a.data != b.data && !same_numbers(*a.data, *b.data)) return "data";
    if (a.kind != Statement::Kind::End && !is_same_line(a.where.line, b.where.line))
      return "lines of the source";
    // What it is printed as; of the others that is told by what was compared.
    if (a.kind == Statement::Kind::Constant && a.text != b.text && text(a_, a) != text(b_, b))
      return "spellings";
    return {};
  }

  /// A list that was read numbers the lines of other files than the first in another way.
  bool is_same_line(int a, int b) const {
    if (a == b && a <= 0) return true;
    return print::line_label(a_, a) == print::line_label(b_, b);
  }

  std::string sources() const {
    const auto name = [](const StatementList& list) {
      return list.source ? print::safe(list.source->name()) : std::string();
    };
    if (name(a_) != name(b_)) return fmt::format("sources '{}' and '{}'", name(a_), name(b_));
    if (a_.source && b_.source && a_.source->text() == b_.source->text()) return {};
    for (std::size_t i = 0; i < std::min(a_.statements.size(), b_.statements.size()); ++i) {
      const Statement& s = a_.statements[i];
      if (s.kind == Statement::Kind::End) continue;
      const std::string a = print::source_line(a_, s.where.line);
      const std::string b = print::source_line(b_, b_.statements[i].where.line);
      if (a != b)
        return fmt::format("line {} of the source: '{}' and '{}'",
                           print::line_label(a_, s.where.line), a, b);
    }
    return {};
  }

  const StatementList& a_;
  const StatementList& b_;
};

}  // namespace

std::string first_difference(const StatementList& a, const StatementList& b) {
  return Comparison(a, b).run();
}

}  // namespace rewriter
