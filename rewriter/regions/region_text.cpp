// The function of a region: its loops, and what becomes of each of its statements.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <type_traits>
#include <utility>

#include "rewriter/expr/custom.hpp"
#include "rewriter/list/uses.hpp"
#include "rewriter/regions/regions.hpp"
#include "rewriter/regions/shared_loop.hpp"
#include "rewriter/regions/statement_text.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {
namespace {

using What = Statement::Kind;

constexpr std::size_t kMostStatements = 2000;  ///< of a loop
constexpr std::size_t kMostOfChain = 256;      ///< statements
constexpr int kLeastOfChain = 8;               ///< calls
constexpr std::size_t kMostChains = 32;        ///< of a list
constexpr Index kTiny = 1024;                  ///< elements of a matrix of a chain
constexpr Index kLocal = 64;                   ///< elements of a matrix that is a local array
constexpr Index kLocals = 4096;                ///< and of all of them, on the stack

// About how long things take, in nanoseconds.
constexpr Index kLookAfter = 1'000'000;
constexpr Index kCall = 1000;
constexpr Index kWorthSharing = 200'000;  ///< of all iterations of a loop

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
              : s.kind == What::End ? indent + "}\n"
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

  /// Whether its condition is a number that the host holds.
  [[nodiscard]] bool asks_host(std::size_t loop) const {
    return !list_.statements[loop].operands.empty() && numbers_.any && numbers_.reads[loop][0];
  }

  void find_views() {
    views_.resize(list_.variables.size());
    for (std::size_t i = region_.first; i <= region_.last; ++i)
      if (makes_view(list_.statements[i])) views_[list_.statements[i].target] = true;
  }

  /// Whether threads share the iterations of the region's loop.
  void find_shared() {
    if (!has_static_range(list_, region_)) return;
    std::vector<Index> costs;
    Touches touches;
    for (std::size_t i = region_.first; i <= region_.last; ++i) {
      const Statement& s = list_.statements[i];
      const bool is_of_host = s.kind == What::Loop ? asks_host(i) : computes_numbers(i);
      if (!is_text(i) || is_of_host || (s.kind == What::Constant && numbers_.any)) return;
      costs.push_back(s.kind == What::Call || s.kind == What::Fused ? cost(i) : 1);
    }
    cost_ = cost_of_iteration(list_, region_, costs);
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
      const std::string end =
          shared_ && at == region_.first ? "end" : statements_.integer(loop.end());
      const std::string first = at == region_.first ? "start" : statements_.integer(loop.first());
      text = fmt::format("{0}for (long {1} = {2}; {1} {3} {4}{5}; {1} += {6}L) {{\n", indent,
                         statements_.loop_name(s.loop), first, loop.step > 0 ? "<" : ">", end,
                         condition.empty() ? "" : " && " + condition, loop.step);
    } else {
      text = fmt::format("{}{} ({}) {{\n", indent, loop.form == LoopForm::If ? "if" : "while",
                         condition);
    }
    const auto body = body_of(at);
    if (loop.has_variable() && body.calls)
      text += fmt::format("{}  calls->loops[{}] = {};\n", indent, s.loop,
                          statements_.loop_name(s.loop));
    if (looks(loop, body))
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
      if (s.kind == What::Loop && list_.loops[s.loop].form != LoopForm::If) {
        const ListLoop& loop = list_.loops[s.loop];
        const Body inside = body_of(i);
        body.loops = true;
        body.calls = body.calls || inside.calls;
        if (!looks(loop, inside))
          body.cost = saturating_add(
              body.cost, saturating_multiply(static_cast<const Loop&>(loop).count(), inside.cost));
        i = nesting_.partner[i];
        continue;
      }
      if (!is_text(i)) body.calls = true, body.cost = saturating_add(body.cost, kCall);
      if (is_text(i) && (s.kind == What::Call || s.kind == What::Fused))
        body.cost = saturating_add(body.cost, cost(i) + 1);
    }
    return body;
  }

  /// Whether the loop looks in its iterations.
  static bool looks(const ListLoop& loop, const Body& body) {
    return loop.form != LoopForm::If && (body.loops || body.calls || !is_short(loop, body.cost));
  }

  [[nodiscard]] Index cost(std::size_t at) const {
    const Statement& s = list_.statements[at];
    return computes_numbers(at) ? on_host_.cost(s) : statements_.cost(s);
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
  Table<bool> views_;          // by variable: the region defines it, and it is one
  Table<bool> locals_;         // by variable
  std::vector<Var> outside_;   // those of them that something outside looks at
  std::optional<SharedLoop> shared_;
  Index cost_ = 0;  // of an iteration of the region's loop
  Index room_ = 0;  // bytes of what each thread has for itself, but for its local arrays
};

}  // namespace

namespace {

/// Whether a statement may be in a chain: its matrices are tiny, and it has no loop that repeats.
bool is_of_chain(const StatementList& list, const Statement& s) {
  if (s.kind == What::Custom) return false;
  if (s.kind == What::Loop && list.loops[s.loop].form != LoopForm::If) return false;
  if (s.kind == What::Empty || s.kind == What::Free || makes_view(s)) return true;  // no work
  bool tiny = true;
  for_each_variable(s, [&](Var var) { tiny = tiny && list.variables[var].shape.size() <= kTiny; });
  return tiny;
}

/// Whether a function may have more of it than a call of the runner.
bool counts_in_chain(const Statement& s) {
  using cudamat::Family;
  if (s.kind != What::Call) return s.kind == What::Fused;
  switch (cudamat::row(s.op).family) {
    case Family::Fill:
    case Family::Correlate:
    case Family::Scan:
    case Family::Sort:
    case Family::PerRow:
    case Family::Composite:
    case Family::Solver:
      return false;
    default:
      return true;
  }
}

/// Finds the regions, statement by statement.
class Finder {
 public:
  explicit Finder(const StatementList& list) : list_(list), nesting_(loop_nesting(list)) {}

  std::vector<Region> find() && {
    for (std::size_t i = 0; i < list_.statements.size();) i = step(i);
    close(list_.statements.size());
    return std::move(all_);
  }

 private:
  /// Where to go on.
  std::size_t step(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind != What::Loop && s.kind != What::End) {
      if (!is_of_chain(list_, s) || i - begin_ >= kMostOfChain) close(i);
      if (!is_of_chain(list_, s))
        begin_ = i + 1;
      else if (counts_in_chain(s))
        ++calls_;
      return i + 1;
    }
    const std::size_t end = nesting_.partner[i];
    const bool is_if = s.kind == What::Loop && list_.loops[s.loop].form == LoopForm::If;
    if (is_if && is_chain(i, end) && end - i <= kMostOfChain) {
      if (end - begin_ > kMostOfChain) close(i);
      for (std::size_t j = i; j < end; ++j)
        if (counts_in_chain(list_.statements[j])) ++calls_;
      return end + 1;
    }
    close(i);
    begin_ = i + 1;
    if (s.kind == What::End || is_if || end - i > kMostStatements) return i + 1;
    all_.push_back({i, end});
    return begin_ = end + 1;
  }

  [[nodiscard]] bool is_chain(std::size_t first, std::size_t last) const {
    return std::all_of(list_.statements.begin() + static_cast<std::ptrdiff_t>(first),
                       list_.statements.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                       [&](const Statement& s) { return is_of_chain(list_, s); });
  }

  /// A chain ends before `end`, if it is one.
  void close(std::size_t end) {
    if (calls_ >= kLeastOfChain && chains_ < kMostChains &&
        nesting_.around[begin_] == kNoStatement) {
      all_.push_back({begin_, end - 1, false});
      ++chains_;
    }
    begin_ = end;
    calls_ = 0;
  }

  const StatementList& list_;
  LoopNesting nesting_;
  std::vector<Region> all_;
  std::size_t begin_ = 0;  // of the chain
  int calls_ = 0;          // in it
  std::size_t chains_ = 0;
};

}  // namespace

std::vector<Region> regions(const StatementList& list) {
  return Finder(list).find();
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

Table<std::size_t> last_named(const StatementList& list) {
  Table<std::size_t> named(list.variables.size());
  for (std::size_t i = 0; i < list.statements.size(); ++i)
    for_each_variable(list.statements[i], [&](Var var) { named[var] = i; });
  for (const Binding& output : list.outputs) named[output.var] = list.statements.size();
  return named;
}

std::vector<Var> made_by(const StatementList& list, const Region& region,
                         const Table<std::size_t>& last_named) {
  std::vector<Var> made;
  for (std::size_t i = region.first; i <= region.last; ++i) {
    const Statement& s = list.statements[i];
    if (defines(s) && last_named[s.target] > region.last) made.push_back(s.target);
  }
  return made;
}

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
