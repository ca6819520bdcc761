#include "rewriter/passes/layout_choice.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <utility>

#include "cudamat/fused.hpp"
#include "rewriter/list/iterations.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using Kind = Statement::Kind;

// Costs are in elements moved: read and written as fast as a copy does.

constexpr double kCall = 1000;    ///< to start one
constexpr double kView = 20;      ///< to make one
constexpr double kStrided = 1.5;  ///< of elements that lie apart, beside those that do not
constexpr double kAlong = 0.25;   ///< of elements reduced along rows, for what is computed of both:
                                  ///< a column may stay in a cache in between, a row lies apart
constexpr double kLeast = 100;    ///< that a turn must save
constexpr double kPart = 0.05;    ///< of the list, where it saves time in products alone

/// Multiplications and additions of a product in the time of an element moved: 300 GFLOP/s beside
/// 12 GB/s.
constexpr double kFlopsPerElement = 100;

/// How much longer a product takes that reads its first, its second factor by the flag. Geometric
/// means over 128x4096x784, 128x784x4096, 784x4096x128, the same with 256 for 4096, 1024x1024x1024,
/// 64x512x512 and their transposes, of npmat's float32 (oneDNN 2.6, AVX-512, one thread): 1.09,
/// 1.10 and 1.21 times as long; single ones up to 1.8. No GPU was measured.
constexpr double kByFlags[2][2] = {{0, 0.10}, {0.09, 0.21}};

/// Columns of a factor or a target so many elements apart, 64 KB of float32, fall on the same lines
/// of a cache and displace each other: so much longer each of their elements takes. The same
/// library with products of 16384 and 65536 rows, 32 to 256 columns, inner extents of 16 to 256,
/// beside 32 rows more: 1.1 to 2.4 times as long, the least where there is most to compute, and
/// 0.9 to 1.2 with rows as columns. Targets of fewer columns are better off with these.
constexpr std::int64_t kSameLines = 16384;
constexpr std::int64_t kManyColumns = 32;
constexpr double kDisplaced = 0.3;

struct Cost {
  double moves = 0;     ///< and what copies need besides
  double products = 0;  ///< beyond what they take without flags

  [[nodiscard]] double sum() const { return moves + products; }
  Cost& operator+=(const Cost& other) {
    moves += other.moves;
    products += other.products;
    return *this;
  }
  friend Cost operator-(const Cost& a, const Cost& b) {
    return {a.moves - b.moves, a.products - b.products};
  }
};

/// Sets of variables that grow together.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int of(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(int a, int b) { parent_[of(a)] = of(b); }

 private:
  Table<int> parent_;
};

class Chooser {
 public:
  Chooser(const StatementList& list, const PassOptions& options)
      : list_(list),
        options_(options),
        sets_(list.variables.size()),
        wholes_(list.variables.size(), false),
        of_(list.variables.size(), kNoVar),
        group_(list.variables.size(), -1),
        weight_(list.statements.size()),
        used_beside_(list.statements.size(), false) {}

  LayoutChoice choose() {
    if (options_.may_round) {
      find_factors();  // a flag may change a product's last places
      find_wholes();
    }
    unite();
    find_used_beside();
    make_groups();
    stay();
    improve();
    return finish();
  }

 private:
  [[nodiscard]] cudamat::Shape shape(Var var) const { return list_.variables[var].shape; }
  [[nodiscard]] double size(Var var) const { return static_cast<double>(shape(var).size()); }
  [[nodiscard]] bool transposed(Var var) const {
    if (of_[var] != kNoVar) return !transposed(of_[var]);
    return group_[var] >= 0 && groups_[group_[var]].transposed;
  }

  // ---- the groups

  /// Vectors that show a whole matrix and that only reductions to one number read: the order of
  /// their elements changes nothing but rounding.
  void find_wholes() {
    for (const Statement& s : list_.statements)
      if (s.kind == Kind::Reshape && is_vector(shape(s.target))) wholes_[s.target] = true;
    const auto count = [&](Var var) { wholes_[var] = false; };
    for (const auto* bindings : {&list_.inputs, &list_.outputs})
      for (const Binding& binding : *bindings) count(binding.var);
    for (const Statement& s : list_.statements) {
      const bool reduces_all = s.kind == Kind::Call &&
                               cudamat::row(s.op).family == Family::Reduction &&
                               is_single(shape(s.target));
      if (s.kind == Kind::Reshape)
        count(s.operands[0].var);
      else if (s.kind != Kind::Free && !reduces_all)
        for_each_variable(s, count);
    }
  }

  /// Transposes that only products read are their originals, with a flag.
  void find_factors() {
    Table<char> others(list_.variables.size(), 0);  // whether others than products name it
    Table<int> written(list_.variables.size(), 0);
    for (const auto* bindings : {&list_.inputs, &list_.outputs})
      for (const Binding& binding : *bindings) others[binding.var] = 1;
    for (const Statement& s : list_.statements) {
      const LayoutRole role = layout_role(list_, s);
      if (s.kind == Kind::Empty || s.kind == Kind::Free) continue;
      if (s.target != kNoVar) ++written[s.target];
      for_each_variable(s, [&](Var var) {
        const bool is_transpose = role == LayoutRole::Transpose && var == s.target;
        const bool is_factor = role == LayoutRole::Product && var != s.target;
        if (!is_transpose && !is_factor) others[var] = 1;
      });
    }
    for (const Statement& s : list_.statements)
      if (layout_role(list_, s) == LayoutRole::Transpose && others[s.target] == 0 &&
          written[s.target] == 1 && !is_single(shape(s.target)) &&
          !list_.variables[s.target].varying)
        of_[s.target] = s.operands[0].var;
  }

  void unite() {
    for (const Statement& s : list_.statements) {
      if (layout_role(list_, s) != LayoutRole::Alike) continue;
      const Var leader = layout_leader(list_, s);
      if (leader == kNoVar) continue;
      for_each_variable(s, [&](Var var) {
        if (is_vector(shape(var)) == is_vector(shape(leader)) && !is_single(shape(var)))
          sets_.unite(var, leader);
      });
    }
  }

  /// Reductions whose results, or what becomes of them, are operands beside what they are of.
  void find_used_beside() {
    std::vector<std::pair<int, int>> beside;  // sets of matrices and of vectors
    for (const Statement& s : list_.statements) {
      if (layout_role(list_, s) != LayoutRole::Alike) continue;
      const Var leader = layout_leader(list_, s);
      if (leader == kNoVar || is_vector(shape(leader))) continue;
      for_each_variable(s, [&](Var var) {
        if (is_vector(shape(var)) && !is_single(shape(var)))
          beside.emplace_back(sets_.of(leader), sets_.of(var));
      });
    }
    std::sort(beside.begin(), beside.end());
    for (std::size_t at = 0; at < list_.statements.size(); ++at) {
      const Statement& s = list_.statements[at];
      if (layout_role(list_, s) != LayoutRole::Reduction || is_single(shape(s.target))) continue;
      const std::pair wanted(sets_.of(s.operands[0].var), sets_.of(s.target));
      used_beside_[at] = std::binary_search(beside.begin(), beside.end(), wanted);
    }
  }

  void make_groups() {
    Table<int> group_of_set(list_.variables.size(), -1);
    for (std::size_t i = 0; i < list_.variables.size(); ++i) {
      const Var var = static_cast<Var>(i);
      if (is_single(shape(var)) && !list_.variables[var].varying) continue;
      if (of_[var] != kNoVar) continue;
      int& group = group_of_set[sets_.of(var)];
      if (group < 0) {
        group = static_cast<int>(groups_.size());
        groups_.emplace_back();
      }
      group_[var] = group;
      groups_[group].vars.push_back(var);
    }
    users_.resize(groups_.size());
    copies_.resize(groups_.size());
    if (options_.bindings_are_in_c_order)
      for (const auto* bindings : {&list_.inputs, &list_.outputs})
        for (const Binding& binding : *bindings)
          if (group_[binding.var] >= 0 && !is_vector(shape(binding.var)))
            copies_[group_[binding.var]][binding.transposed] +=
                kCall + (1 + kStrided) * size(binding.var);
    IterationSpace space(list_);
    double iterations = 1;
    for (std::size_t at = 0; at < list_.statements.size(); ++at) {
      const Statement& s = list_.statements[at];
      if (s.kind == Kind::Loop) space.open(s.loop);
      if (s.kind == Kind::End) space.close();
      if (s.kind == Kind::Loop || s.kind == Kind::End)
        iterations = static_cast<double>(space.iterations());
      if (s.kind != Kind::Call) continue;
      weight_[at] = iterations;
      for (const int group : groups_of(s)) users_[group].push_back(at);
    }
  }

  /// Each once, in order.
  [[nodiscard]] std::vector<int> groups_of(const Statement& s) const {
    std::vector<int> result;
    for_each_variable(s, [&](Var var) {
      while (of_[var] != kNoVar) var = of_[var];
      if (group_[var] >= 0) result.push_back(group_[var]);
    });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  void stay(Var var, std::string_view why) {
    if (group_[var] < 0) return;
    std::string& reason = groups_[group_[var]].as_written;
    if (reason.empty()) reason = fmt::format("{} {}", list_.variables[var].name, why);
  }

  void stay() {
    for (const auto* bindings : {&list_.inputs, &list_.outputs})
      for (const Binding& binding : *bindings)
        if (options_.bindings_stay)
          stay(binding.var, "is the caller's");
        else if (binding.dims.size() > 2)
          stay(binding.var, "has more than two dimensions");
    for (const Statement& s : list_.statements) {
      bool varies = false;
      for_each_variable(s, [&](Var var) { varies |= list_.variables[var].varying.has_value(); });
      if (varies) {
        for_each_variable(s, [&](Var var) { stay(var, "is used where loops change a shape"); });
      } else if (s.kind == Kind::Print) {
        for (const auto& operand : s.operands) stay(operand.var, "is printed");
      } else if (s.kind == Kind::Slice) {
        stay(s.operands[0].var, "has columns that are views");
        stay(s.target, "shows columns");
      } else if (s.kind == Kind::Reshape && wholes_[s.target]) {
        continue;
      } else if (s.kind == Kind::Reshape) {
        for (const Var var : {s.operands[0].var, s.target})
          if (!is_vector(shape(var))) stay(var, "is reshaped");
      } else if (s.kind == Kind::Constant) {
        stay(s.target, "has its data in the list");
      } else if (layout_role(list_, s) == LayoutRole::AsWritten) {
        const std::string why = s.kind == Kind::Fused ? "is in a fused statement"
                                : s.kind == Kind::Custom
                                    ? "is in a custom operation"
                                    : fmt::format("is in {}()", cudamat::name(s.op));
        for_each_variable(s, [&](Var var) { stay(var, why); });
      } else if (!options_.may_round && may_round(s)) {
        for_each_variable(
            s, [&](Var var) { stay(var, "is in sums or products, which may round otherwise"); });
      }
    }
  }

  /// Whether the results may be others if it reads its matrices the other way round.
  [[nodiscard]] bool may_round(const Statement& s) const {
    const LayoutRole role = layout_role(list_, s);
    return role == LayoutRole::Product || role == LayoutRole::Reduction ||
           (s.kind == Kind::Call && cudamat::row(s.op).family == Family::Whole);
  }

  // ---- what statements cost

  [[nodiscard]] Cost cost(std::size_t at) const {
    const Statement& s = list_.statements[at];
    switch (layout_role(list_, s)) {
      case LayoutRole::Alike:
        return {weight_[at] * alike(s), 0};
      case LayoutRole::Product:
        return {weight_[at] * displaced(s), weight_[at] * product(s)};
      case LayoutRole::Reduction: {
        const bool by_flag =
            !is_single(shape(s.target)) && transposed(s.target) != transposed(s.operands[0].var);
        double moves = by_flag ? kView : 0;
        if (used_beside_[at] && runs_along(s)) moves += kAlong * size(s.operands[0].var);
        return {weight_[at] * moves, 0};
      }
      case LayoutRole::Transpose: {
        const bool is_copy = transposed(s.target) != transposed(s.operands[0].var);
        return {is_copy ? 0 : weight_[at] * (kCall + (1 + kStrided) * size(s.target)), 0};
      }
      case LayoutRole::Draw:
        return {transposed(s.target) ? weight_[at] * (kCall + (2 + kStrided) * size(s.target)) : 0,
                0};
      case LayoutRole::Any:
      case LayoutRole::AsWritten:
        break;
    }
    return {};
  }

  /// Whether a reduction runs along the rows of its operand as that is held.
  [[nodiscard]] bool runs_along(const Statement& s) const {
    const bool flag = s.operands[0].transposed != transposed(s.operands[0].var);
    return (s.integers[0] == 1) != flag;
  }
  [[nodiscard]] double alike(const Statement& s) const {
    const Var leader = layout_leader(list_, s);
    if (leader == kNoVar) return 0;
    const bool turned = transposed(leader);
    double sum = 0;
    for_each_variable(s, [&](Var var) {
      if (is_vector(shape(var)) && transposed(var) != turned) sum += kView;
    });
    const auto copied = [&](bool rows, Var var) {
      return kCall + (rows != turned ? 1 + kStrided : 2) * size(var);
    };
    if (s.op == Op::get_row_slice || s.op == Op::get_col_slice) {
      const bool rows = s.op == Op::get_row_slice;
      const bool is_view = rows && turned && (!is_vector(shape(s.target)) || transposed(s.target));
      sum += is_view ? kView : copied(rows, s.target);
    } else if (turned && cudamat::row(s.op).family == Family::ColScaled) {
      sum += kCall + 2 * size(s.operands[1].var);  // the vector is scaled by itself
    } else if (s.op == Op::set_row_slice || s.op == Op::set_col_slice) {
      sum += copied(s.op == Op::set_row_slice, s.operands[0].var);
    }
    return sum;
  }

  [[nodiscard]] double product(const Statement& s) const {
    const auto& [a, a_flag] = s.operands[0];
    const auto& [b, b_flag] = s.operands[1];
    bool first = a_flag != transposed(a);
    bool second = b_flag != transposed(b);
    if (transposed(s.target)) std::tie(first, second) = std::pair(!second, !first);
    return kByFlags[first][second] * time_of_product(s);
  }
  [[nodiscard]] double displaced(const Statement& s) const {
    const auto is_displaced = [&](Var var) {
      auto [rows, cols] = shape(var);
      if (transposed(var)) std::swap(rows, cols);
      return rows % kSameLines == 0 && cols >= kManyColumns;
    };
    if (std::min(shape(s.target).rows, shape(s.target).cols) < kManyColumns) return 0;
    double sum = 0;
    for_each_variable(s, [&](Var var) { sum += is_displaced(var) ? size(var) : 0; });
    return kDisplaced * sum;
  }
  [[nodiscard]] double time_of_product(const Statement& s) const {
    const auto& [a, flag] = s.operands[0];
    const auto inner = static_cast<double>(flag ? shape(a).rows : shape(a).cols);
    return 2 * size(s.target) * inner / kFlopsPerElement;
  }

  /// What the whole list takes, about.
  [[nodiscard]] double whole() const {
    double sum = 0;
    for (std::size_t at = 0; at < list_.statements.size(); ++at) {
      const Statement& s = list_.statements[at];
      double moved = layout_role(list_, s) == LayoutRole::Product ? time_of_product(s) : 0;
      for_each_variable(s, [&](Var var) { moved += size(var); });
      sum += weight_[at] * moved;
    }
    return sum;
  }

  // ---- the search

  /// What it saves to turn these over.
  [[nodiscard]] Cost saved_by(std::span<const int> turned) {
    statements_.clear();
    for (const int group : turned)
      statements_.insert(statements_.end(), users_[group].begin(), users_[group].end());
    std::sort(statements_.begin(), statements_.end());
    statements_.erase(std::unique(statements_.begin(), statements_.end()), statements_.end());
    looked_at_ += statements_.size();
    const auto cost_of_all = [&] {
      Cost sum;
      for (const std::size_t at : statements_) sum += cost(at);
      for (const int group : turned) sum.moves += copies_[group][groups_[group].transposed];
      return sum;
    };
    const Cost before = cost_of_all();
    turn(turned);
    const Cost after = cost_of_all();
    turn(turned);
    return before - after;
  }
  void turn(std::span<const int> groups) {
    for (const int group : groups) groups_[group].transposed = !groups_[group].transposed;
  }
  /// What the statement costs with these turned over.
  [[nodiscard]] Cost cost_turned(std::size_t at, std::span<const int> groups) {
    ++looked_at_;
    turn(groups);
    const Cost turned = cost(at);
    turn(groups);
    return turned;
  }

  /// Groups that are turned over together, and where two of them meet.
  struct Turn {
    std::vector<int> groups;
    std::vector<std::size_t> meet{};
  };
  /// Of two the sum of what each saves, but for the statements in which they meet: to look at a
  /// pair takes no longer than it has such statements.
  [[nodiscard]] Cost saved_by(const Turn& turned) {
    const std::vector<int>& groups = turned.groups;
    if (groups.size() == 1) return alone_[groups[0]];
    if (turned.meet.empty()) return saved_by(std::span(groups));
    Cost saved = alone_[groups[0]];
    saved += alone_[groups[1]];
    for (const std::size_t at : turned.meet) {
      saved += cost_turned(at, std::span(groups).first(1));
      saved += cost_turned(at, std::span(groups).last(1));
      saved = saved - cost(at);
      saved = saved - cost_turned(at, groups);
    }
    return saved;
  }
  /// Turns them over, and keeps what each group saves alone.
  void take(std::span<const int> groups) {
    std::vector<std::size_t> statements;
    for (const int group : groups)
      statements.insert(statements.end(), users_[group].begin(), users_[group].end());
    std::sort(statements.begin(), statements.end());
    statements.erase(std::unique(statements.begin(), statements.end()), statements.end());
    const auto add = [&](double sign) {
      for (const std::size_t at : statements)
        for (const int group : groups_of(list_.statements[at])) {
          const Cost saved = cost(at) - cost_turned(at, std::span(&group, 1));
          alone_[group] += {sign * saved.moves, sign * saved.products};
        }
    };
    add(-1);
    turn(groups);
    add(1);
    for (const int group : groups) {
      const bool now = groups_[group].transposed;
      alone_[group].moves += 2 * (copies_[group][now] - copies_[group][!now]);
    }
  }
  [[nodiscard]] bool is_worthwhile(const Cost& saved) const {
    return saved.sum() >= kLeast && (saved.moves >= kLeast || saved.sum() >= kPart * whole_);
  }

  void improve() {
    constexpr std::size_t kMostLooks = 20'000'000;
    whole_ = whole();
    const std::vector<Turn> turns = possible_turns();
    for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
      alone_.push_back(saved_by(std::span<const int>(&group, 1)));
    for (bool changed = true; changed && looked_at_ < kMostLooks;) {
      changed = false;
      for (const Turn& each : turns) {
        if (looked_at_ >= kMostLooks || !is_worthwhile(saved_by(each))) continue;
        take(each.groups);
        changed = true;
      }
    }
    turn_vectors();
  }
  /// Those that are neither inputs nor outputs go with the matrices that were turned over, if that
  /// spares a view.
  void turn_vectors() {
    Table<bool> stays(groups_.size(), false);
    bool any = false;
    for (const auto* bindings : {&list_.inputs, &list_.outputs})
      for (const Binding& binding : *bindings)
        if (group_[binding.var] >= 0) stays[group_[binding.var]] = true;
    for (std::size_t var = 0; var < list_.variables.size(); ++var)
      if (group_[var] >= 0 && !is_vector(shape(static_cast<Var>(var)))) stays[group_[var]] = true;
    for (const LayoutGroup& group : groups_) any = any || group.transposed;
    for (int group = 0; any && group < static_cast<int>(groups_.size()); ++group) {
      if (stays[group] || !groups_[group].as_written.empty()) continue;
      const int turned[] = {group};
      if (saved_by(turned).sum() > 0) turn(turned);
    }
  }

  [[nodiscard]] std::vector<Turn> possible_turns() {
    std::vector<Turn> result;
    for (std::size_t group = 0; group < groups_.size(); ++group)
      if (groups_[group].as_written.empty()) result.push_back({{static_cast<int>(group)}});
    Table<bool> bound(groups_.size(), false);  // inputs and outputs are turned over last
    for (const auto* bindings : {&list_.inputs, &list_.outputs})
      for (const Binding& binding : *bindings)
        if (group_[binding.var] >= 0) bound[group_[binding.var]] = true;
    std::stable_partition(result.begin(), result.end(),
                          [&](const Turn& turned) { return !bound[turned.groups[0]]; });
    Sets transposes(groups_.size());
    std::vector<std::pair<std::pair<int, int>, std::size_t>> pairs;  // and where they meet
    for (std::size_t at = 0; at < list_.statements.size(); ++at) {
      const Statement& s = list_.statements[at];
      if (s.kind != Kind::Call) continue;
      std::vector<int> groups = groups_of(s);
      std::erase_if(groups, [&](int group) { return !groups_[group].as_written.empty(); });
      if (layout_role(list_, s) == LayoutRole::Transpose && groups.size() == 2)
        transposes.unite(groups[0], groups[1]);
      for (std::size_t i = 0; i < groups.size(); ++i)
        for (std::size_t j = i + 1; j < groups.size(); ++j)
          pairs.push_back({{groups[i], groups[j]}, at});
    }
    std::vector<std::vector<int>> tied(groups_.size());
    for (std::size_t group = 0; group < groups_.size(); ++group)
      tied[static_cast<std::size_t>(transposes.of(static_cast<int>(group)))].push_back(
          static_cast<int>(group));
    for (std::vector<int>& groups : tied)
      if (groups.size() > 1) result.push_back({std::move(groups)});
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [groups, at] = pairs[i];
      if (i == 0 || groups != pairs[i - 1].first) result.push_back({{groups.first, groups.second}});
      result.back().meet.push_back(at);
    }
    return result;
  }
  LayoutChoice finish() {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const int turned[] = {static_cast<int>(group)};
      Cost saved = saved_by(turned);
      if (groups_[group].transposed) saved = Cost() - saved;
      groups_[group].is_worthwhile = is_worthwhile(saved);
      groups_[group].saved = saved.sum();
    }
    LayoutChoice choice{groups_, Table<bool>(list_.variables.size())};
    for (std::size_t i = 0; i < choice.transposed.size(); ++i)
      choice.transposed[i] = transposed(static_cast<Var>(i));
    return choice;
  }

  const StatementList& list_;
  const PassOptions options_;
  Sets sets_;
  Table<bool> wholes_;    // by variable: whether only reductions of the whole read it
  Table<Var> of_;         // by variable: what it is the transpose of, if only products read it
  Table<int> group_;      // by variable: -1 for single numbers
  Table<double> weight_;  // by statement: how often it runs
  Table<bool> used_beside_;
  Table<LayoutGroup> groups_;
  Table<std::vector<std::size_t>> users_;  // by group: calls
  Table<std::array<double, 2>> copies_;    // by group: of its inputs and outputs, [transposed]
  std::vector<std::size_t> statements_;    // those that are looked at
  Table<Cost> alone_;                      // by group: what it saves to turn it over
  std::size_t looked_at_ = 0;
  double whole_ = 0;
};

}  // namespace

LayoutRole layout_role(const StatementList& list, const Statement& s) {
  if (s.kind == Statement::Kind::Fused || s.kind == Statement::Kind::Custom)
    return LayoutRole::AsWritten;
  if (s.kind != Statement::Kind::Call) return LayoutRole::Any;
  switch (cudamat::row(s.op).family) {
    case Family::Unary:
    case Family::UnaryScalar:
    case Family::Binary:
    case Family::Scaled:
    case Family::Modulate:
    case Family::Where:
    case Family::Assign:
    case Family::GetSlice:
    case Family::SetSlice:
    case Family::Whole:
      return LayoutRole::Alike;
    case Family::ColBroadcast:
    case Family::RowBroadcast:
      return cudamat::without_vector(s.op) ? LayoutRole::Alike : LayoutRole::AsWritten;
    case Family::ColScaled:
      return is_vector(list.variables[s.target].shape) ? LayoutRole::AsWritten : LayoutRole::Alike;
    case Family::Fill:
      return is_vector(list.variables[s.target].shape) ? LayoutRole::Any : LayoutRole::Draw;
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Accumulate:
      return LayoutRole::Reduction;
    case Family::Product:
    case Family::AddProduct:
      return LayoutRole::Product;
    case Family::Transpose:
      return LayoutRole::Transpose;
    default:
      return LayoutRole::AsWritten;
  }
}

Var layout_leader(const StatementList& list, const Statement& s) {
  Var vector = kNoVar;
  Var matrix = kNoVar;
  for_each_variable(s, [&](Var var) {
    const cudamat::Shape shape = list.variables[var].shape;
    if (is_single(shape)) return;
    Var& first = is_vector(shape) ? vector : matrix;
    if (first == kNoVar) first = var;
  });
  return matrix == kNoVar ? vector : matrix;
}

LayoutChoice choose_layout(const StatementList& list, const PassOptions& options) {
  return Chooser(list, options).choose();
}

}  // namespace rewriter
