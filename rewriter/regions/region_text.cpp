// The function of a region: its loops, and what becomes of each of its statements.
#include <algorithm>
#include <fmt/format.h>
#include <type_traits>

#include "rewriter/list/uses.hpp"
#include "rewriter/regions/regions.hpp"
#include "rewriter/regions/statement_text.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {
namespace {

using What = Statement::Kind;

constexpr std::size_t kMostStatements = 2000;
constexpr Index kLocal = 64;     ///< elements of a matrix that is a local array
constexpr Index kLocals = 4096;  ///< and of all of them, on the stack

// About how long things take, in nanoseconds.
constexpr Index kLookAfter = 1'000'000;
constexpr Index kCall = 1000;

template <class T>
class RegionText {
 public:
  RegionText(const StatementList& list, const Region& region, const HostNumbers& numbers,
             const Uses& uses, const LoopNesting& nesting)
      : list_(list),
        region_(region),
        numbers_(numbers),
        statements_(list),
        uses_(uses),
        nesting_(nesting),
        memory_(memory_of(list, region)) {
    for (std::size_t i = region.first; i <= region.last; ++i) is_text_.push_back(can_be_text(i));
    find_views();
    find_locals();
  }

  std::string text() {
    std::string body;
    std::size_t depth = 1;
    for (std::size_t i = region_.first; i <= region_.last; ++i) {
      const Statement& s = list_.statements[i];
      if (s.kind == What::End) --depth;
      const std::string indent(2 * depth, ' ');
      body += s.kind == What::Loop  ? open(i, indent)
              : s.kind == What::End ? indent + "}\n"
                                    : statement(i, indent);
      if (s.kind == What::Loop) ++depth;
    }
    return head() + body + "}\n";
  }

 private:
  [[nodiscard]] bool is_text(std::size_t i) const { return is_text_[i - region_.first]; }
  [[nodiscard]] bool is_inside(Position at) const {
    return at >= static_cast<Position>(region_.first) && at <= static_cast<Position>(region_.last);
  }

  [[nodiscard]] bool can_be_text(std::size_t i) const {
    const Statement& s = list_.statements[i];
    if (numbers_.any && numbers_.computes[i]) return false;
    switch (s.kind) {
      case What::Empty:
      case What::Free:
      case What::Slice:
      case What::Reshape:
        return true;
      case What::Loop:
      case What::End:
        return !asks_host(i);
      case What::Call:
      case What::Fused:
        return statements_.has_text(s);
      default:
        return false;
    }
  }

  /// Whether its condition is a number that the host holds.
  [[nodiscard]] bool asks_host(std::size_t loop) const {
    return !list_.statements[loop].operands.empty() && numbers_.any && numbers_.reads[loop][0];
  }

  void find_views() {
    views_.resize(list_.variables.size());
    for (std::size_t i = region_.first; i <= region_.last; ++i)
      if (makes_view(list_.statements[i])) views_[list_.statements[i].target] = true;
  }

  /// Matrices of a few elements that no call and nothing outside of the region looks at. If the
  /// region is run again and again, they are made in it.
  void find_locals() {
    const bool enclosed = nesting_.around[region_.first] != kNoStatement;
    locals_.resize(list_.variables.size());
    Index left = kLocals;
    for (const Var var : memory_) {
      const Variable& variable = list_.variables[var];
      const Index size = variable.shape.size();
      if (variable.view_of != kNoVar || size > std::min(kLocal, left)) continue;
      const Uses::Memory& memory = uses_.of(var);
      if (memory.is_input || memory.is_output || memory.made < 0) continue;
      if (enclosed && !is_inside(memory.made)) continue;
      if (list_.statements[static_cast<std::size_t>(memory.made)].kind != What::Empty) continue;
      const std::vector<Position> mentions = memory.mentions();
      locals_[var] = !mentions.empty() && std::ranges::all_of(mentions, [&](Position at) {
        return is_inside(at) && is_text(static_cast<std::size_t>(at));
      });
      if (locals_[var]) left -= size;
    }
  }

  /// The callbacks, and the memory that the region uses.
  std::string head() {
    std::string text = fmt::format(
        "(void* given, long start) {{\n"
        "  struct Calls {{\n"
        "    void** data;\n"
        "    long* loops;\n"
        "    int (*call)(Calls*, long);\n"
        "    int (*holds)(Calls*, long);\n"
        "    void (*bad_index)(Calls*, long, double, long);\n"
        "    int (*look)(Calls*, long);\n"
        "  }};\n"
        "  using T = {};\n"
        "  Calls* const calls = static_cast<Calls*>(given);\n"
        "  long ticks = 0;\n"
        "  int holds;\n",
        kName);
    for (std::size_t around = nesting_.around[region_.first]; around != kNoStatement;
         around = nesting_.around[around]) {
      const int loop = list_.statements[around].loop;
      text +=
          fmt::format("  const long {} = calls->loops[{}];\n", statements_.loop_name(loop), loop);
    }
    for (const Var var : memory_) text += memory(var);
    return text;
  }

  [[nodiscard]] std::string memory(Var var) const {
    const std::string name = statements_.name(var);
    if (!locals_[var])
      return fmt::format("  T* const {} = static_cast<T*>(calls->data[{}]);\n", name, var);
    const Index size = list_.variables[var].shape.size();
    std::string text = fmt::format("  T {}[{}];\n", name, std::max(size, Index(1)));
    if (!is_inside(uses_.of(var).made))
      text += fmt::format(
          "  for (long k = 0; k < {1}; ++k) {0}[k] = static_cast<T*>(calls->data[{2}])[k];\n", name,
          size, var);
    return text;
  }

  std::string open(std::size_t at, const std::string& indent) {
    const Statement& s = list_.statements[at];
    const ListLoop& loop = list_.loops[s.loop];
    std::string condition;
    if (!s.operands.empty())
      condition = asks_host(at) ? fmt::format("(holds = calls->holds(calls, {})) != 0", at)
                                : fmt::format("*{} != T(0)", statements_.name(s.operands[0].var));
    std::string text;
    if (loop.has_variable()) {
      const std::string first = at == region_.first ? "start" : statements_.integer(loop.first());
      text = fmt::format("{0}for (long {1} = {2}; {1} {3} {4}{5}; {1} += {6}L) {{\n", indent,
                         statements_.loop_name(s.loop), first, loop.step > 0 ? "<" : ">",
                         statements_.integer(loop.end()),
                         condition.empty() ? "" : " && " + condition, loop.step);
    } else {
      text = fmt::format("{}{} ({}) {{\n", indent, loop.form == LoopForm::If ? "if" : "while",
                         condition);
    }
    if (asks_host(at)) text += indent + "  if (holds < 0) return;\n";
    const auto body = body_of(at);
    if (loop.has_variable() && body.calls)
      text += fmt::format("{}  calls->loops[{}] = {};\n", indent, s.loop,
                          statements_.loop_name(s.loop));
    if (loop.form != LoopForm::If && (body.loops || body.calls || !is_short(loop, body.cost)))
      text += fmt::format(
          "{0}  if ((ticks += {1}) > {2}) {{\n"
          "{0}    ticks = 0;\n"
          "{0}    if (calls->look(calls, {3})) return;\n"
          "{0}  }}\n",
          indent, body.cost, kLookAfter, at);
    return text;
  }

  /// Of the statements of a loop's body.
  struct Body {
    Index cost = 1;  ///< of those that are in no loop inside of it that looks
    bool calls = false, loops = false;
  };

  [[nodiscard]] Body body_of(std::size_t at) const {
    Body body;
    for (std::size_t i = at + 1; i < nesting_.partner[at]; ++i) {
      const Statement& s = list_.statements[i];
      if (!is_text(i)) body.calls = true, body.cost = saturating_add(body.cost, kCall);
      if (is_text(i) && (s.kind == What::Call || s.kind == What::Fused))
        body.cost = saturating_add(body.cost, statements_.most_elements(s) + 1);
      if (s.kind == What::Loop && list_.loops[s.loop].form != LoopForm::If) body.loops = true;
    }
    return body;
  }

  /// Whether all iterations together take so little that nothing waits for them.
  static bool is_short(const ListLoop& loop, Index cost) {
    return loop.form == LoopForm::For && !loop.varies() &&
           saturating_multiply(static_cast<const Loop&>(loop).count(), cost) <= kLookAfter;
  }

  std::string statement(std::size_t at, const std::string& indent) {
    const Statement& s = list_.statements[at];
    switch (s.kind) {
      case What::Empty:
      case What::Free:
        return "";
      case What::Slice:
        return view(s, indent,
                    fmt::format(" + {} * {}",
                                statements_.integer(statements_.extents(s.operands[0].var).rows),
                                statements_.integer(slice_bound(s, 0))));
      case What::Reshape:
        return view(s, indent, "");
      default:
        return is_text(at) ? statements_.text(at, indent) : call(at, indent);
    }
  }

  std::string view(const Statement& s, const std::string& indent, const std::string& offset) {
    return fmt::format("{}T* const {} = {}{};\n", indent, statements_.name(s.target),
                       statements_.name(s.operands[0].var), offset);
  }

  std::string call(std::size_t at, const std::string& indent) {
    std::string text;
    for_each_variable(list_.statements[at], [&](Var var) {
      if (views_[var])
        text += fmt::format("{}calls->data[{}] = {};\n", indent, var, statements_.name(var));
    });
    return text + fmt::format("{}if (calls->call(calls, {})) return;\n", indent, at);
  }

  static constexpr std::string_view kName = std::is_same_v<T, float>    ? "float"
                                            : std::is_same_v<T, double> ? "double"
                                                                        : "long double";
  const StatementList& list_;
  Region region_;
  const HostNumbers& numbers_;
  StatementText<T> statements_;
  const Uses& uses_;
  const LoopNesting& nesting_;
  std::vector<Var> memory_;
  std::vector<bool> is_text_;  // by statement of the region
  Table<bool> views_;          // by variable: the region defines it, and it is one
  Table<bool> locals_;         // by variable
};

}  // namespace

std::vector<Region> regions(const StatementList& list) {
  std::vector<Region> all;
  if (list.loops.empty()) return all;
  const LoopNesting nesting = loop_nesting(list);
  for (std::size_t i = 0; i < list.statements.size(); ++i) {
    const Statement& s = list.statements[i];
    if (s.kind != Statement::Kind::Loop || list.loops[s.loop].form == LoopForm::If) continue;
    const std::size_t end = nesting.partner[i];
    if (end - i > kMostStatements) continue;  // perhaps of a loop in it
    all.push_back({i, end});
    i = end;
  }
  return all;
}

std::vector<Var> memory_of(const StatementList& list, const Region& region) {
  std::vector<Var> all;
  std::vector<bool> seen(list.variables.size());
  for (std::size_t i = region.first; i <= region.last; ++i) {
    const Statement& s = list.statements[i];
    if (makes_view(s)) seen[static_cast<std::size_t>(s.target)] = true;
    for_each_variable(s, [&](Var var) {
      if (seen[static_cast<std::size_t>(var)]) return;
      seen[static_cast<std::size_t>(var)] = true;
      all.push_back(var);
    });
  }
  return all;
}

template <class T>
std::string RegionTexts<T>::text(const Region& region) const {
  return RegionText<T>(list_, region, numbers_, uses_, nesting_).text();
}

template class RegionTexts<float>;
template class RegionTexts<double>;
template class RegionTexts<long double>;

}  // namespace rewriter
