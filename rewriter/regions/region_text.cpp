// The function of a region: its loops, and what becomes of each of its statements.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <type_traits>
#include <utility>

#include "rewriter/expr/custom.hpp"
#include "rewriter/list/uses.hpp"
#include "rewriter/regions/loop_looks.hpp"
#include "rewriter/regions/regions.hpp"
#include "rewriter/regions/shared_loop.hpp"
#include "rewriter/regions/statement_text.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {
namespace {

using What = Statement::Kind;

constexpr Index kLocal = 64;     ///< elements of a matrix that is a local array
constexpr Index kLocals = 4096;  ///< and of all of them, on the stack

constexpr Index kWorthSharing = 200'000;  ///< nanoseconds of all iterations of a loop

template <class T>
class RegionText {
 public:
  RegionText(const StatementList& list, const Region& region, const HostNumbers& numbers,
             const Uses& uses, const LoopNesting& nesting, const Table<std::size_t>& last_named)
      : list_(list),
        region_(region),
        numbers_(numbers),
        statements_(list),
        on_host_(list),
        uses_(uses),
        nesting_(nesting),
        last_named_(last_named),
        memory_(memory_of(list, region)) {
    for (std::size_t i = region.first; i <= region.last; ++i)
      is_text_.push_back(why_no_text(i).empty());
    for (std::size_t i = region.first; i <= region.last; ++i) costs_.push_back(cost(i));
    looks_.emplace(list, region, nesting, costs_);
    find_views();
    find_shared();
    find_locals();
  }

  std::string text() {
    const std::string begin = fmt::format(
        "(void* given, long start) {{\n  using T = {};\n"
        "  auto* const calls = static_cast<npmat::RegionCalls*>(given);\n",
        kName);
    if (!shared_) return begin + body();
    const Statement& s = list_.statements[region_.first];
    const std::string text = body();  // which says how much room its matrices take
    return fmt::format(
        "{}  const auto part = [](npmat::RegionCalls* calls, long start, long end, char* room, "
        "bool is_last) __attribute__((flatten)) {{\n{}  ;\n"
        "  calls->share(calls, {{part, start, {}, {}, {}, {}}});\n}}\n",
        begin, text, statements_.integer(list_.loops[s.loop].end()), list_.loops[s.loop].step,
        cost_, room_);
  }

  [[nodiscard]] auto contents() const {
    typename RegionTexts<T>::Contents made{{}, shared_.has_value()};
    for (std::size_t i = region_.first; i <= region_.last; ++i)
      if (!is_text(i)) made.calls.push_back({i, why_no_text(i)});
    return made;
  }

 private:
  std::string body() {
    std::string body;
    std::size_t depth = 1;
    for (std::size_t i = region_.first; i <= region_.last; ++i) {
      const Statement& s = list_.statements[i];
      if (s.kind == What::End) --depth;
      const std::string indent(2 * depth, ' ');
      if (const auto last = group(i, indent, body)) {
        i = *last;
        continue;
      }
      body += s.kind == What::Loop  ? open(i, indent)
              : s.kind == What::End ? close(i, indent)
                                    : statement(i, indent);
      if (s.kind == What::Loop) ++depth;
    }
    return head() + body + tail() + "}\n";
  }

  [[nodiscard]] bool is_text(std::size_t i) const { return is_text_[i - region_.first]; }
  [[nodiscard]] bool is_inside(Position at) const {
    return at >= static_cast<Position>(region_.first) && at <= static_cast<Position>(region_.last);
  }

  /// Why the statement is a call of the runner; empty if it is none.
  [[nodiscard]] std::string why_no_text(std::size_t i) const {
    const Statement& s = list_.statements[i];
    switch (s.kind) {
      case What::Empty:
      case What::Free:
      case What::Slice:
      case What::Reshape:
      case What::Loop:
      case What::End:
        return "";
      case What::Call:
      case What::Fused:
        return computes_numbers(i) ? on_host_.why_no_text(s) : statements_.why_no_text(s);
      case What::Constant:
        return list_.variables[s.target].shape.size() <= kLocal ? "" : "constant, large";
      case What::Seed:
        return "seed";
      case What::Print:
        return "print";
      case What::Custom:
        return s.custom->name;
    }
    return "";
  }

  /// Whether its results are numbers that the host holds.
  [[nodiscard]] bool computes_numbers(std::size_t at) const {
    return numbers_.any && numbers_.computes[at];
  }

  /// Whether its condition is a number that the host holds, where the loop begins and after each
  /// iteration. Where it is one at first alone, the engine has that, too.
  [[nodiscard]] bool asks_host(std::size_t loop) const {
    if (list_.statements[loop].operands.empty() || !numbers_.any) return false;
    const bool is_if = list_.loops[list_.statements[loop].loop].form == LoopForm::If;
    return numbers_.reads[loop][0] && (is_if || numbers_.reads[nesting_.partner[loop]][0]);
  }

  void find_views() {
    views_.resize(list_.variables.size());
    for (std::size_t i = region_.first; i <= region_.last; ++i)
      if (makes_view(list_.statements[i])) views_[list_.statements[i].target] = true;
  }

  /// Whether threads share the iterations of the region's loop.
  void find_shared() {
    if (!has_static_range(list_, region_)) return;
    Touches touches;
    for (std::size_t i = region_.first; i <= region_.last; ++i) {
      const Statement& s = list_.statements[i];
      const bool is_of_host = s.kind == What::Loop ? asks_host(i) : computes_numbers(i);
      if (!is_text(i) || is_of_host || (s.kind == What::Constant && numbers_.any)) return;
    }
    cost_ = cost_of_iteration(list_, region_, costs_);
    const Index count = iterations_of(list_, region_);
    if (count < 2 || saturating_multiply(count, cost_) < kWorthSharing) return;
    for (const Var var : made_by(list_, region_, last_named_))
      if (views_[var]) return;
    for (std::size_t i = region_.first; i <= region_.last; ++i)
      touches.push_back(statements_.touches(list_.statements[i]));
    shared_ = shared_loop(list_, region_, uses_, nesting_, touches);
  }

  /// Whether each thread has the memory for itself.
  [[nodiscard]] bool is_own(Var memory) const {
    return shared_ && std::ranges::find(shared_->own, memory) != shared_->own.end();
  }
  [[nodiscard]] bool is_written(const Uses::Memory& memory) const {
    return std::ranges::any_of(memory.writes, [&](Position at) { return is_inside(at); });
  }

  /// Matrices of a few elements that no call looks at, and no view from outside. Where something
  /// outside does they are copied there, and from there.
  void find_locals() {
    const bool enclosed = nesting_.around[region_.first] != kNoStatement;  // it runs again
    locals_.resize(list_.variables.size());
    Index left = kLocals;
    for (const Var var : memory_) {
      const Variable& variable = list_.variables[var];
      const Index size = variable.shape.size();
      if (variable.view_of != kNoVar || size > std::min(kLocal, left)) continue;
      if (is_own(var)) {
        locals_[var] = true;
        left -= size;
        continue;
      }
      const Uses::Memory& memory = uses_.of(var);
      if (memory.is_input || memory.is_output || memory.made < 0) continue;
      if (shared_ && is_written(memory)) continue;
      const std::vector<Position> mentions = memory.mentions();
      const bool is_inside_alone =
          std::ranges::all_of(mentions, [&](Position at) { return is_inside(at); });
      locals_[var] = std::ranges::all_of(mentions, [&](Position at) {
        return is_inside(at) ? is_text(static_cast<std::size_t>(at)) : memory.views.empty();
      });
      if (!locals_[var]) continue;
      left -= size;
      const bool lasts = memory.freed < 0 || !is_inside(memory.freed);
      if (lasts && (!is_inside_alone || (enclosed && !is_inside(memory.made))))
        outside_.push_back(var);
    }
  }

  /// The callbacks, and the memory that the region uses.
  std::string head() {
    std::string text =
        "  const auto& engine = *static_cast<const npmat::RegionEngine<T>*>(calls->engine);\n"
        "  long ticks = 0;\n";
    for (std::size_t around = nesting_.around[region_.first]; around != kNoStatement;
         around = nesting_.around[around]) {
      const int loop = list_.statements[around].loop;
      text +=
          fmt::format("  const long {} = calls->loops[{}];\n", statements_.loop_name(loop), loop);
    }
    for (const Var var : memory_) text += memory(var);
    return text;
  }

  [[nodiscard]] std::string memory(Var var) {
    const std::string name = statements_.name(var);
    if (!locals_[var] && is_own(var)) {
      constexpr Index kLine = 64;
      const Index bytes = list_.variables[var].shape.size() * Index(sizeof(T));
      const Index at = std::exchange(room_, room_ + (bytes + kLine - 1) / kLine * kLine);
      return fmt::format("  T* const {} = reinterpret_cast<T*>(room + {});\n", name, at);
    }
    if (!locals_[var])
      return fmt::format("  T* const {} = static_cast<T*>(calls->data[{}]);\n", name, var);
    const Index size = list_.variables[var].shape.size();
    std::string text = fmt::format("  T {}[{}];\n", name, std::max(size, Index(1)));
    if (!is_inside(uses_.of(var).made) && !is_own(var))
      text += fmt::format(
          "  for (long k = 0; k < {1}; ++k) {0}[k] = static_cast<T*>(calls->data[{2}])[k];\n", name,
          size, var);
    return text;
  }

  /// What else has to be said of the memory in the end.
  [[nodiscard]] std::string tail() const {
    std::string text;
    for (const Var var : shared_ ? shared_->last : outside_)
      text += fmt::format(
          "  {3}for (long k = 0; k < {1}; ++k) static_cast<T*>(calls->data[{2}])[k] = {0}[k];\n",
          statements_.name(var), list_.variables[var].shape.size(), var,
          shared_ ? "if (is_last) " : "");
    for (const Var var : made_by(list_, region_, last_named_))
      if (views_[var]) text += fmt::format("  calls->data[{}] = {};\n", var, statements_.name(var));
    return text;
  }

  std::string open(std::size_t at, const std::string& indent) {
    const Statement& s = list_.statements[at];
    const ListLoop& loop = list_.loops[s.loop];
    std::string condition;
    if (!s.operands.empty())
      condition = asks_host(at) ? fmt::format("calls->numbers[{}] != 0", s.operands[0].var)
                                : fmt::format("*{} != T(0)", statements_.name(s.operands[0].var));
    std::string text;
    if (loop.has_variable()) {
      text = range(at, condition, indent);
    } else {
      text = fmt::format("{}{} ({}) {{\n", indent, loop.form == LoopForm::If ? "if" : "while",
                         condition);
      if (looks_->of(at).looks) text += look(at, "1", indent);
    }
    if (loop.has_variable() && has_calls(at))
      text += fmt::format("{}  calls->loops[{}] = {};\n", indent, s.loop,
                          statements_.loop_name(s.loop));
    return text;
  }

  /// The iterations of a range: in strips, between which it looks, if it does.
  std::string range(std::size_t at, const std::string& condition, const std::string& indent) {
    const int number = list_.statements[at].loop;
    const ListLoop& loop = list_.loops[number];
    const LoopLooks::Look& looks = looks_->of(at);
    const std::string name = statements_.loop_name(number), stop = name + "stop";
    const std::string first = at == region_.first ? "start" : statements_.integer(loop.first());
    const std::string end =
        shared_ && at == region_.first ? "end" : statements_.integer(loop.end());
    const auto goes_on = [&](const std::string& before) {
      return fmt::format("{} {} {}{}", name, loop.step > 0 ? "<" : ">", before,
                         condition.empty() ? "" : " && " + condition);
    };
    const std::string steps = fmt::format("{} += {}L) {{\n", name, loop.step);
    if (!looks.looks)
      return fmt::format("{}for (long {} = {}; {}; {}", indent, name, first, goes_on(end), steps);
    const Index strip = loop.step * looks.strip;
    return fmt::format(
        "{0}for (long {1} = {2}; {3};) {{\n"
        "{0}  const long {4} = {5} - {1} {6} {7}L ? {1} + {7}L : {5};\n"
        "{8}{0}  for (; {9}; {10}",
        indent, name, first, goes_on(end), stop, end, loop.step > 0 ? ">" : "<", strip,
        look(at, fmt::format("(({} - {}) / {}L)", stop, name, loop.step), indent), goes_on(stop),
        steps);
  }

  /// Counts what so many iterations take, and looks if that is enough.
  [[nodiscard]] std::string look(std::size_t at, const std::string& iterations,
                                 const std::string& indent) const {
    return fmt::format(
        "{0}  if ((ticks += {1} * {2}L) > {3}) {{\n"
        "{0}    ticks = 0;\n"
        "{0}    if (calls->look(calls, {4})) return;\n"
        "{0}  }}\n",
        indent, iterations, looks_->of(at).cost, kLookAfter, at);
  }

  std::string close(std::size_t at, const std::string& indent) const {
    const std::size_t loop = nesting_.partner[at];
    const bool in_strips =
        list_.loops[list_.statements[at].loop].has_variable() && looks_->of(loop).looks;
    return indent + (in_strips ? "}}\n" : "}\n");
  }

  /// Whether the runner is called in a loop.
  [[nodiscard]] bool has_calls(std::size_t loop) const {
    for (std::size_t i = loop + 1; i < nesting_.partner[loop]; ++i)
      if (!is_text(i)) return true;
    return false;
  }

  /// About how many nanoseconds a statement takes at most.
  [[nodiscard]] Index cost(std::size_t at) const {
    constexpr Index kCall = 1000;
    const Statement& s = list_.statements[at];
    if (!is_text(at)) return kCall;
    if (s.kind != What::Call && s.kind != What::Fused) return 0;
    return saturating_add(computes_numbers(at) ? on_host_.cost(s) : statements_.cost(s), 1);
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
        if (!is_text(at)) return call(at, indent);
        if (s.kind == What::Constant) return constant(s, indent);
        return computes_numbers(at) ? numbers(at, indent) : statements_.text(at, indent);
    }
  }

  /// Where the host holds numbers it has that of a constant.
  std::string constant(const Statement& s, const std::string& indent) const {
    std::string text = statements_.constant(s, indent);
    if (numbers_.any && list_.variables[s.target].shape == cudamat::Shape{1, 1})
      text += in_double(s, indent, on_host_.constant(s, indent + "  "));
    return text;
  }

  /// A statement of numbers of the host's, in double; the engine has those that it reads, rounded.
  std::string numbers(std::size_t at, const std::string& indent) const {
    const Statement& s = list_.statements[at];
    std::string text = in_double(s, indent, on_host_.text(at, indent + "  "));
    for (const Var target : targets_of(s))
      if (numbers_.to_engine[target])
        text += fmt::format("{}*{} = engine.rounded(calls->numbers[{}]);\n", indent,
                            statements_.name(target), target);
    return text;
  }

  /// The text where the variables of the statement are the host's numbers.
  std::string in_double(const Statement& s, const std::string& indent,
                        const std::string& text) const {
    std::string before;
    std::vector<Var> seen;
    for_each_variable(s, [&](Var var) {
      if (std::ranges::find(seen, var) != seen.end()) return;
      seen.push_back(var);
      before +=
          fmt::format("{}  T* const {} = calls->numbers + {};\n", indent, on_host_.name(var), var);
    });
    return fmt::format(
        "{0}{{\n{0}  using T = double;\n"
        "{0}  const auto& engine = *static_cast<const npmat::RegionEngine<T>*>(calls->doubles);\n"
        "{1}{2}{0}}}\n",
        indent, before, text);
  }

  /// Adds the text of the group of element-wise statements that begins with this one, with the
  /// views among them. Returns its last statement; nothing if there is no group.
  std::optional<std::size_t> group(std::size_t first, const std::string& indent,
                                   std::string& text) {
    const auto is_part = [&](std::size_t i) {
      const Statement& s = list_.statements[i];
      return (s.kind == What::Call || s.kind == What::Fused) && is_text(i) && !computes_numbers(i);
    };
    typename StatementText<T>::Group all(statements_);
    if (!is_part(first) || !all.add(list_.statements[first])) return std::nullopt;
    std::vector<std::size_t> parts{first};
    std::string views;
    bool freed = false;  // memory of the group, which others may get
    std::size_t i = first + 1;
    for (; i <= region_.last; ++i) {
      const Statement& s = list_.statements[i];
      if (s.kind == What::Free) {
        freed = freed || (all.uses(s.target) && !locals_[s.target]);
      } else if (s.kind == What::Empty) {
        if (freed && !locals_[s.target]) break;
      } else if (makes_view(s)) {
        views += statement(i, indent);
      } else if (is_part(i) && all.add(s)) {
        parts.push_back(i);
      } else {
        break;
      }
    }
    std::vector<Var> unseen;
    for (const Var memory : all.made())
      if (is_seen_only_by(parts, memory)) unseen.push_back(memory);
    all.forget(unseen);
    text += views + all.text(indent);
    return i - 1;
  }

  /// Whether no other statement looks at the memory.
  [[nodiscard]] bool is_seen_only_by(const std::vector<std::size_t>& parts, Var memory) const {
    const Uses::Memory& of = uses_.of(memory);
    return !of.is_input && !of.is_output && std::ranges::all_of(of.uses, [&](const Use& use) {
      return std::ranges::binary_search(parts, static_cast<std::size_t>(use.at));
    });
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
  StatementText<double> on_host_;  // of numbers
  const Uses& uses_;
  const LoopNesting& nesting_;
  const Table<std::size_t>& last_named_;
  std::vector<Var> memory_;
  std::vector<bool> is_text_;  // by statement of the region
  std::vector<Index> costs_;   // likewise
  std::optional<LoopLooks> looks_;
  Table<bool> views_;         // by variable: the region defines it, and it is one
  Table<bool> locals_;        // by variable
  std::vector<Var> outside_;  // those of them that something outside looks at
  std::optional<SharedLoop> shared_;
  Index cost_ = 0;  // of an iteration of the region's loop
  Index room_ = 0;  // bytes of what each thread has for itself, but for its local arrays
};

}  // namespace

template <class T>
auto RegionTexts<T>::contents(const Region& region) const -> Contents {
  return RegionText<T>(list_, region, numbers_, uses_, nesting_, last_named_).contents();
}

template <class T>
std::string RegionTexts<T>::text(const Region& region) const {
  return RegionText<T>(list_, region, numbers_, uses_, nesting_, last_named_).text();
}

template class RegionTexts<float>;
template class RegionTexts<double>;
template class RegionTexts<long double>;

}  // namespace rewriter
