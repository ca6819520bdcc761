// Which statements of a list are regions, and what these make and use.
#include "rewriter/regions/regions.hpp"

#include <algorithm>
#include <utility>

namespace rewriter {
namespace {

using What = Statement::Kind;

constexpr std::size_t kMostStatements = 2000;  ///< of a loop
constexpr std::size_t kMostOfChain = 256;      ///< statements
constexpr int kLeastOfChain = 8;               ///< calls
constexpr std::size_t kMostChains = 32;        ///< of a list
constexpr Index kTiny = 1024;                  ///< elements of a matrix of a chain

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

}  // namespace rewriter
