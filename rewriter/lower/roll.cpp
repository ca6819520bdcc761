#include "rewriter/lower/roll.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "rewriter/list/edit.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/lower/written_loops.hpp"

namespace rewriter {

namespace {

using What = Statement::Kind;

/// A statement, and those before it, of which more may come until the whole list is done.
struct Written {
  Statement statement;
  std::shared_ptr<std::vector<Statement>> ahead{};
};
using Statements = std::vector<Written>;

/// Iterations that stay unrolled.
struct Apart {
  Index first = 0;
  Index last = 0;
};

/// How few statements apart, then how many: the order in which they are tried.
constexpr Apart kApart[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0},
                            {2, 1}, {0, 2}, {1, 2}, {3, 0}, {3, 1}};
constexpr Index kFewest = 3;                    // iterations of a loop
constexpr std::size_t kMostWork = 100'000'000;  // statements compared with others

class Roller {
 public:
  explicit Roller(ListBuilder& builder) : builder_(builder), list_(builder.list) {}

  /// Whether a loop was made.
  bool run(const WrittenBlock& program) {
    bodies_.push_back({&program});
    Statements out;
    if (!merge({0}, out) || loops_made_ == 0) return false;
    for (Binding& output : list_.outputs) {
      const std::optional<Var> var = merge_variable({0}, {output.var});
      if (!var) return false;
      output.var = *var;
    }
    list_.statements.clear();
    for (Written& each : out) {
      if (each.ahead)
        std::move(each.ahead->begin(), each.ahead->end(), std::back_inserter(list_.statements));
      list_.statements.push_back(std::move(each.statement));
    }
    name_variables();
    number_anew(list_);
    return true;
  }

  /// By line: the loops that were made, and those that stay unrolled in part.
  const std::map<int, std::set<std::pair<Index, Index>>>& apart() const { return apart_; }
  const std::set<int>& written_out() const { return written_out_; }

 private:
  /// One iteration of the loops that are merged; the first is the program.
  struct Body {
    const WrittenBlock* block;
    int level = 0;    ///< loops around it
    int around = -1;  ///< the body that its loop is in
    int before = -1;  ///< the iteration before it
    Index variable = 0;
  };
  using Bodies = std::vector<int>;

  /// What represents a variable of the written list where bodies are merged.
  struct Place {
    Var var = kNoVar;
    int body = -1;  ///< whose iteration makes it
  };

  /// A value that an iteration takes from the one before.
  struct Carried {
    int level = 0;
    Var first = kNoVar;          ///< before the loop
    Var held = kNoVar;           ///< in the loop
    std::map<int, Var> taken{};  ///< by body: the variable of the one before
    Var next = kNoVar;           ///< what an iteration leaves
    /// Something wrote to the memory of `first` after the loop: where that did not run, what there
    /// was before it is not what is held.
    bool is_stale = false;
  };

  /// A loop that was made.
  struct Made {
    int first, end;  ///< its bodies
    SourceLocation where;
    bool may_be_skipped;
    std::set<Var> memories{};        ///< that its iterations make
    std::vector<Carried> carried{};  ///< also what is only wanted after it, with no `first`
    std::shared_ptr<std::vector<Statement>> before = std::make_shared<std::vector<Statement>>();
    std::shared_ptr<std::vector<Statement>> tail = std::make_shared<std::vector<Statement>>();
  };

  // ---- variables

  int ancestor(int body, int level) const {
    while (bodies_[static_cast<std::size_t>(body)].level > level)
      body = bodies_[static_cast<std::size_t>(body)].around;
    return body;
  }
  const Body& body(int number) const { return bodies_[static_cast<std::size_t>(number)]; }

  void put(Var var, Place place) {
    const auto [found, is_new] = places_.try_emplace(var, place);
    journal_.push_back({var, is_new ? Place{} : found->second});
    found->second = place;
  }
  /// What represents the variable in this body; none if another iteration makes it.
  std::optional<Var> in_scope(Var var, int in) const {
    const auto found = places_.find(var);
    if (found == places_.end()) return var;
    const Place& place = found->second;
    const bool here = ancestor(in, body(place.body).level) == place.body;
    return here ? std::optional(place.var) : std::nullopt;
  }

  // ---- integers

  /// constant + factors * the variables of the loops around these bodies.
  std::optional<ListInteger> fit(const Bodies& bodies, const std::vector<Index>& values) const;
  template <class F>
  std::optional<ListInteger> fit(const Bodies& bodies, const F& value) const {
    std::vector<Index> values;
    values.reserve(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) values.push_back(value(b));
    return fit(bodies, values);
  }
  std::vector<Index> variables(int of) const {
    std::vector<Index> result(static_cast<std::size_t>(body(of).level));
    for (; body(of).level > 0; of = body(of).around)
      result[static_cast<std::size_t>(body(of).level) - 1] = body(of).variable;
    return result;
  }

  // ---- merging

  bool merge(const Bodies& bodies, Statements& out);
  bool merge_statement(const Bodies& bodies, std::size_t item, Statements& out);
  bool merge_loops(const Bodies& bodies, std::size_t item, Statements& out);
  bool merge_loops(const Bodies& around, std::size_t item, Apart apart, bool counts,
                   Statements& out);
  bool merge_written(const Bodies& around, std::size_t item, Statements& out);
  bool merge_iterations(const Bodies& around, std::size_t item, Index iteration, Statements& out);
  bool merge_numbers(const Bodies& bodies, std::size_t item, Statement& s, Statements& out);
  void take_number_from_matrix(Statement& s, const ListInteger& number, Statements& out);
  bool merge_parts(const Bodies& bodies, std::size_t item, Statement& s);
  bool merge_integers(const Bodies& bodies, std::size_t item, Statement& s);
  bool merge_terms(const Bodies& bodies, std::size_t item, Statement& s);
  bool define(const Bodies& bodies, std::size_t item, Statement& s);
  std::optional<Var> merge_variable(const Bodies& bodies, const std::vector<Var>& vars);
  std::optional<Var> carried(const Bodies& bodies, const std::vector<Var>& vars);
  std::optional<Var> carried(const Bodies& bodies, const std::vector<Var>& vars, int level);
  void note_write(Var memory);
  std::optional<Var> left_behind(const Bodies& bodies, const std::vector<Var>& vars);
  bool settle(int level, Made& loop, const Statements& body_of_loop);

  const Statement& at(int of, std::size_t item) const {
    return list_.statements[(*body(of).block)[item].statement];
  }
  const WrittenRegion& region(int of, std::size_t item) const {
    return *(*body(of).block)[item].region;
  }
  template <class F>
  bool all_equal(const Bodies& bodies, std::size_t item, const F& equal) const {
    const Statement& first = at(bodies[0], item);
    return std::all_of(bodies.begin(), bodies.end(),
                       [&](int each) { return equal(first, at(each, item)); });
  }

  /// As lowering names them: h, h_2, t1, t2 in the order of the list; outputs first.
  void name_variables() {
    Names names;
    for (const std::string& name : builder_.wanted) names.keep(name);
    std::set<Var> named;
    const auto name = [&](Var var) {
      if (!named.insert(var).second) return;
      const std::string& wanted = builder_.wanted[var];
      list_.variables[var].name = wanted.empty() ? names.temporary() : names.take(wanted);
    };
    for (const Binding& input : list_.inputs) name(input.var);
    std::set<std::string> loops;
    for (const ListLoop& loop : list_.loops)
      if (loop.has_variable() && loops.insert(loop.name).second) names.take(loop.name);
    for (const Binding& output : list_.outputs)
      if (builder_.wanted[output.var] == output.name) name(output.var);
    for (const Statement& s : list_.statements)
      if (defines(s)) name(s.target);
  }
  Var copy_of(Var var) {
    list_.variables.push_back(list_.variables[var]);
    builder_.wanted.push_back(builder_.wanted[var]);
    return static_cast<Var>(list_.variables.size()) - 1;
  }
  Var new_matrix(Var like) {
    const Var var = copy_of(like);
    list_.variables[var].view_of = kNoVar;
    return var;
  }
  static Statement statement(What kind, Var target, SourceLocation where) {
    Statement s;
    s.kind = kind;
    s.target = target;
    s.where = where;
    return s;
  }
  static Statement copying(Var from, Var to, SourceLocation where) {
    Statement s = statement(What::Call, to, where);
    s.op = Op::assign;
    s.operands = {{from}};
    return s;
  }

  /// All that an attempt changes, so that it can be taken back.
  struct Mark {
    struct Lengths {
      std::size_t carried, before, tail;
    };
    std::size_t journal, variables, loops, bodies;
    std::vector<Lengths> made;
    std::vector<Carried> carried;
    std::set<Var> held;
    int loops_made;
    std::map<int, std::set<std::pair<Index, Index>>> apart;
    std::set<int> written_out;
  };
  Mark mark() const {
    std::vector<Mark::Lengths> made;
    for (const Made& each : made_)
      made.push_back({each.carried.size(), each.before->size(), each.tail->size()});
    return {journal_.size(),
            list_.variables.size(),
            list_.loops.size(),
            bodies_.size(),
            std::move(made),
            carried_,
            held_,
            loops_made_,
            apart_,
            written_out_};
  }
  void take_back(const Mark& mark);

  ListBuilder& builder_;
  StatementList& list_;
  std::vector<Body> bodies_;
  std::unordered_map<Var, Place> places_;
  std::vector<std::pair<Var, Place>> journal_;  // what places_ had before
  std::unordered_map<int, int> loop_of_;        // by loop of the written list: that in the bodies
  std::vector<int> levels_;                     // the loops that are open, by level from 1
  std::vector<Carried> carried_;                // of these
  std::set<Var> held_;                          // the matrices of what is carried
  std::vector<Made> made_;
  std::map<int, std::set<std::pair<Index, Index>>> apart_;
  std::set<int> written_out_;
  int loops_made_ = 0;
  std::size_t work_ = 0;
};

void Roller::take_back(const Mark& mark) {
  while (journal_.size() > mark.journal) {
    const auto& [var, place] = journal_.back();
    if (place.body < 0)
      places_.erase(var);
    else
      places_[var] = place;
    journal_.pop_back();
  }
  list_.variables.resize(mark.variables);
  builder_.wanted.resize(mark.variables);
  list_.loops.resize(mark.loops);
  bodies_.resize(mark.bodies);
  carried_ = mark.carried;
  held_ = mark.held;
  made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(mark.made.size()), made_.end());
  for (std::size_t i = 0; i < made_.size(); ++i) {
    made_[i].carried.resize(mark.made[i].carried);
    made_[i].before->resize(mark.made[i].before);
    made_[i].tail->resize(mark.made[i].tail);
  }
  loops_made_ = mark.loops_made;
  apart_ = mark.apart;
  written_out_ = mark.written_out;
}

std::optional<ListInteger> Roller::fit(const Bodies& bodies,
                                       const std::vector<Index>& values) const {
  if (std::all_of(values.begin(), values.end(), [&](Index v) { return v == values[0]; }))
    return ListInteger{values[0], {}};
  const std::vector<Index> origin = variables(bodies[0]);
  const std::size_t n = origin.size();
  // Rows of an echelon form: differences of variables, and of the value after them.
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> pivots;
  for (std::size_t b = 1; b < bodies.size() && rows.size() < n; ++b) {
    const std::vector<Index> point = variables(bodies[b]);
    std::vector<double> row(n + 1);
    for (std::size_t k = 0; k < n; ++k) row[k] = static_cast<double>(point[k] - origin[k]);
    row[n] = static_cast<double>(values[b] - values[0]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double factor = row[pivots[r]];
      for (std::size_t k = 0; k <= n; ++k) row[k] -= factor * rows[r][k];
    }
    std::size_t pivot = 0;
    while (pivot < n && row[pivot] == 0) ++pivot;
    if (pivot == n) continue;
    const double by = row[pivot];
    for (double& each : row) each /= by;
    for (std::vector<double>& other : rows) {
      const double factor = other[pivot];
      for (std::size_t k = 0; k <= n; ++k) other[k] -= factor * row[k];
    }
    rows.push_back(std::move(row));
    pivots.push_back(pivot);
  }
  std::vector<Index> factors(n, 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r][n] != std::round(rows[r][n]) || std::abs(rows[r][n]) > 0x1p52) return std::nullopt;
    factors[pivots[r]] = static_cast<Index>(rows[r][n]);
  }
  ListInteger result{values[0], {}};
  for (std::size_t k = 0; k < n; ++k) {
    result.constant -= factors[k] * origin[k];
    if (factors[k] != 0) result.terms.push_back({levels_[k], factors[k]});
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) {  // rounding, and what is not linear
    const std::vector<Index> point = variables(bodies[b]);
    Index value = result.constant;
    for (std::size_t k = 0; k < n; ++k) value += factors[k] * point[k];
    if (value != values[b]) return std::nullopt;
  }
  return sum({}, result);
}

// ---- statements

bool Roller::merge(const Bodies& bodies, Statements& out) {
  const WrittenBlock& first = *body(bodies[0]).block;
  for (const int each : bodies) {
    const WrittenBlock& block = *body(each).block;
    if (block.size() != first.size()) return false;
    for (std::size_t item = 0; item < first.size(); ++item)
      if ((block[item].region == nullptr) != (first[item].region == nullptr)) return false;
  }
  for (std::size_t item = 0; item < first.size(); ++item)
    if (first[item].region != nullptr ? !merge_loops(bodies, item, out)
                                      : !merge_statement(bodies, item, out))
      return false;
  return true;
}

bool same_data(const std::shared_ptr<const HostData>& a, const std::shared_ptr<const HostData>& b) {
  return a == b || (a != nullptr && b != nullptr && same_numbers(*a, *b));
}

bool Roller::merge_statement(const Bodies& bodies, std::size_t item, Statements& out) {
  if ((work_ += bodies.size()) > kMostWork) return false;
  const bool alike = all_equal(bodies, item, [](const Statement& a, const Statement& b) {
    return a.kind == b.kind && a.custom == b.custom && (a.kind != What::Call || a.op == b.op) &&
           a.operands.size() == b.operands.size() && a.numbers.size() == b.numbers.size() &&
           a.integers.size() == b.integers.size() && a.parts.size() == b.parts.size() &&
           a.terms.size() == b.terms.size() && a.text == b.text && same_data(a.data, b.data) &&
           (a.target == kNoVar) == (b.target == kNoVar) &&
           std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                      [](const auto& x, const auto& y) { return x.transposed == y.transposed; });
  });
  if (!alike) return false;
  Statement s = at(bodies[0], item);
  std::vector<Var> vars(bodies.size());
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    for (std::size_t b = 0; b < bodies.size(); ++b) vars[b] = at(bodies[b], item).operands[i].var;
    const std::optional<Var> var = merge_variable(bodies, vars);
    if (!var) return false;
    s.operands[i].var = *var;
  }
  if (!merge_terms(bodies, item, s) || !merge_numbers(bodies, item, s, out) ||
      !merge_parts(bodies, item, s) || !merge_integers(bodies, item, s))
    return false;
  if (defines(s)) {
    if (!define(bodies, item, s)) return false;
  } else if (s.target != kNoVar) {
    for (std::size_t b = 0; b < bodies.size(); ++b) vars[b] = at(bodies[b], item).target;
    const std::optional<Var> var = merge_variable(bodies, vars);
    if (!var) return false;
    // In place the first iteration would write to what it found, which others may read.
    if (held_.contains(owner(list_, *var))) return false;
    note_write(owner(list_, *var));
    s.target = *var;
  }
  out.push_back({std::move(s)});
  return true;
}

/// A loop that was read as one, and terms of such loops.
bool Roller::merge_terms(const Bodies& bodies, std::size_t item, Statement& s) {
  const auto now = [&](int loop) {
    const auto found = loop_of_.find(loop);
    return found == loop_of_.end() ? loop : found->second;
  };
  const auto same_terms = [&](const ListTerms& a, const ListTerms& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const ListTerm& x, const ListTerm& y) {
                        return now(x.loop) == now(y.loop) && x.factor == y.factor;
                      });
  };
  if (s.kind == What::Loop) {
    const auto loop = [&](int of) -> const ListLoop& { return list_.loops[at(of, item).loop]; };
    const ListLoop first = loop(bodies[0]);
    for (const int each : bodies)
      if (loop(each).form != first.form || loop(each).step != first.step || loop(each).varies())
        return false;
    const auto start = fit(bodies, [&](std::size_t b) { return loop(bodies[b]).start; });
    const auto stop = fit(bodies, [&](std::size_t b) { return loop(bodies[b]).stop; });
    if (!start || !stop) return false;
    if (bodies.size() > 1 || body(bodies[0]).level > 0) {
      ListLoop made = first;
      made.start = start->constant;
      made.start_terms = start->terms;
      made.stop = stop->constant;
      made.stop_terms = stop->terms;
      list_.loops.push_back(std::move(made));
      const int number = static_cast<int>(list_.loops.size()) - 1;
      for (const int each : bodies) loop_of_[at(each, item).loop] = number;
    } else {
      loop_of_.erase(s.loop);
    }
  }
  if (s.kind == What::Loop || s.kind == What::End) {
    for (const int each : bodies)
      if (now(at(each, item).loop) != now(s.loop)) return false;
    s.loop = now(s.loop);
  }
  for (const int each : bodies)
    if (!same_terms(at(each, item).terms, s.terms)) return false;
  for (ListTerm& term : s.terms) term.loop = now(term.loop);
  return true;
}

/// Numbers are the same, or that of an assign or of an element-wise call is whole and linear.
bool Roller::merge_numbers(const Bodies& bodies, std::size_t item, Statement& s, Statements& out) {
  const auto bits = [](const Number& x) { return std::bit_cast<std::uint64_t>(x.value()); };
  const bool same = all_equal(bodies, item, [&](const Statement& a, const Statement& b) {
    return std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(),
                      [&](const Number& x, const Number& y) {
                        return bits(x) == bits(y) && x.parameter() == y.parameter() &&
                               x.is_negated() == y.is_negated();
                      });
  });
  if (same) return true;
  if (s.kind != What::Call || s.numbers.size() != 1) return false;
  for (const int each : bodies) {
    const Number& x = at(each, item).numbers[0];
    const double value = x.value();
    if (x.parameter() != s.numbers[0].parameter() || x.is_parameter() ||
        value != std::round(value) || std::abs(value) > 0x1p52 ||
        (value == 0 && std::signbit(value)))
      return false;
  }
  const auto number = fit(bodies, [&](std::size_t b) {
    return static_cast<Index>(at(bodies[b], item).numbers[0].value());
  });
  if (!number) return false;
  if (s.op == Op::assign && s.operands.empty()) {
    s.numbers[0] = static_cast<double>(number->constant);
    s.terms = sum({0, s.terms}, {0, number->terms}).terms;
    return true;
  }
  if (cudamat::row(s.op).family != cudamat::Family::Binary || s.operands.size() != 1) return false;
  take_number_from_matrix(s, *number, out);
  return true;
}

/// x op number, of a number that a matrix holds: a column where there is such a call.
void Roller::take_number_from_matrix(Statement& s, const ListInteger& number, Statements& out) {
  static constexpr std::pair<Op, Op> kWithColumn[] = {{Op::add, Op::add_col_vec},
                                                      {Op::subtract, Op::add_col_mult},
                                                      {Op::mult, Op::mult_by_col},
                                                      {Op::divide, Op::div_by_col}};
  const Var filled = new_matrix(s.operands[0].var);
  builder_.wanted[filled].clear();
  const auto* const with_column =
      std::find_if(std::begin(kWithColumn), std::end(kWithColumn),
                   [&](const std::pair<Op, Op>& each) { return each.first == s.op; });
  s.numbers.clear();
  if (with_column != std::end(kWithColumn)) {
    Variable& column = list_.variables[filled];
    column.shape.cols = 1;
    if (column.varying) column.varying->cols = {1, {}};
    if (column.varying && column.varying->rows.terms.empty()) column.varying.reset();
    if (s.op == Op::subtract) s.numbers = {-1};
    s.op = with_column->second;
  }
  Statement fill = copying(kNoVar, filled, s.where);
  fill.operands.clear();
  fill.numbers = {static_cast<double>(number.constant)};
  fill.terms = number.terms;
  out.push_back({statement(What::Empty, filled, s.where)});
  out.push_back({std::move(fill)});
  s.operands.push_back({filled});
}

/// What is printed: the same text, integers that are linear.
bool Roller::merge_parts(const Bodies& bodies, std::size_t item, Statement& s) {
  for (std::size_t p = 0; p < s.parts.size(); ++p) {
    Statement::Part& part = s.parts[p];
    for (const int each : bodies) {
      const Statement::Part& other = at(each, item).parts[p];
      if (other.kind != part.kind || other.text != part.text || other.operand != part.operand ||
          other.dtype != part.dtype || other.terms != part.terms)
        return false;
    }
    if (part.kind != TextPart::Kind::Integer) continue;
    const auto integer =
        fit(bodies, [&](std::size_t b) { return at(bodies[b], item).parts[p].constant; });
    if (!integer) return false;
    for (ListTerm& term : part.terms)
      if (const auto found = loop_of_.find(term.loop); found != loop_of_.end())
        term.loop = found->second;
    const ListInteger all = sum({0, part.terms}, *integer);
    part.constant = all.constant;
    part.terms = all.terms;
  }
  return true;
}

/// The bounds of a slice and the number of a seed are linear; other integers are equal.
bool Roller::merge_integers(const Bodies& bodies, std::size_t item, Statement& s) {
  using cudamat::Family;
  const Family family = cudamat::row(s.op).family;
  const bool slices =
      s.kind == What::Slice ||
      (s.kind == What::Call && (family == Family::GetSlice || family == Family::SetSlice));
  if (s.kind == What::Seed) {
    const auto seed = fit(bodies, [&](std::size_t b) { return at(bodies[b], item).integers[0]; });
    if (!seed) return false;
    s.integers = {seed->constant};
    s.terms = sum({0, s.terms}, {0, seed->terms}).terms;
    return true;
  }
  if (!slices)
    return all_equal(bodies, item, [](const Statement& a, const Statement& b) {
      return a.integers == b.integers;
    });
  const auto first = fit(bodies, [&](std::size_t b) { return at(bodies[b], item).integers[0]; });
  const auto last = fit(bodies, [&](std::size_t b) { return at(bodies[b], item).integers[1]; });
  if (!first || !last) return false;
  s.integers = {first->constant, last->constant};
  s.terms = sum({0, s.terms}, {0, first->terms}).terms;
  s.stretch = sum({0, last->terms}, {0, first->terms}, -1).terms;
  return true;
}

/// The variable that the statement makes: its shape is linear.
bool Roller::define(const Bodies& bodies, std::size_t item, Statement& s) {
  const auto made = [&](std::size_t b) { return at(bodies[b], item).target; };
  const auto shape = [&](std::size_t b) { return list_.variables[made(b)].shape; };
  const auto rows = fit(bodies, [&](std::size_t b) { return shape(b).rows; });
  const auto cols = fit(bodies, [&](std::size_t b) { return shape(b).cols; });
  if (!rows || !cols) return false;
  const bool varies = !rows->terms.empty() || !cols->terms.empty();
  if (varies && s.kind == What::Constant) return false;
  if (bodies.size() == 1 && body(bodies[0]).level == 0) return true;
  const Var var = copy_of(s.target);
  Variable& variable = list_.variables[var];
  if (makes_view(s)) variable.view_of = owner(list_, s.operands[0].var);
  variable.varying.reset();
  if (varies) variable.varying = Extents(*rows, *cols);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    variable.shape.rows = std::max(variable.shape.rows, shape(b).rows);
    variable.shape.cols = std::max(variable.shape.cols, shape(b).cols);
    put(made(b), {var, bodies[b]});
  }
  s.target = var;
  return true;
}

// ---- variables

std::optional<Var> Roller::merge_variable(const Bodies& bodies, const std::vector<Var>& vars) {
  const std::optional<Var> first = in_scope(vars[0], bodies[0]);
  bool same = first.has_value();
  for (std::size_t b = 1; b < bodies.size() && same; ++b)
    same = in_scope(vars[b], bodies[b]) == first;
  if (same) return first;
  if (const std::optional<Var> held = carried(bodies, vars)) return held;
  return left_behind(bodies, vars);
}

void Roller::note_write(Var memory) {
  for (Made& made : made_)
    for (Carried& carried : made.carried)
      carried.is_stale = carried.is_stale || (made.may_be_skipped && carried.first != kNoVar &&
                                              owner(list_, carried.first) == memory);
}

std::optional<Var> Roller::carried(const Bodies& bodies, const std::vector<Var>& vars) {
  for (int level = static_cast<int>(levels_.size()); level > 0; --level)
    if (const std::optional<Var> held = carried(bodies, vars, level)) return held;
  return std::nullopt;
}

/// What the first iteration of the loop of this level finds before it, the others as what the one
/// before left; what that is is looked at in the end (settle()).
std::optional<Var> Roller::carried(const Bodies& bodies, const std::vector<Var>& vars, int level) {
  Carried now{level};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const int iteration = ancestor(bodies[b], level);
    const int before = body(iteration).before;
    if (before < 0) {
      const std::optional<Var> first = in_scope(vars[b], body(iteration).around);
      if (!first || (now.first != kNoVar && now.first != *first)) return std::nullopt;
      now.first = *first;
      continue;
    }
    const auto known = places_.find(vars[b]);
    if (known != places_.end() && known->second.body != before) return std::nullopt;
    if (now.taken.try_emplace(iteration, vars[b]).first->second != vars[b]) return std::nullopt;
  }
  if (now.first == kNoVar || now.taken.empty()) return std::nullopt;
  for (const Carried& each : carried_)
    if (each.level == level && each.first == now.first && each.taken == now.taken) return each.held;
  if (list_.variables[now.first].varying) return std::nullopt;
  now.held = new_matrix(now.first);
  held_.insert(now.held);
  carried_.push_back(now);
  return now.held;
}

/// The matrices of what is carried: filled before the loop, and anew where an iteration ends. That
/// is what the program does if nothing else shows the memory of what is found or left meanwhile.
bool Roller::settle(int level, Made& loop, const Statements& body_of_loop) {
  std::set<Var> written;
  const auto note = [&](const Statement& s) {
    if (s.kind == What::Call) written.insert(owner(list_, s.target));
    if (makes_memory(s)) loop.memories.insert(s.target);
  };
  for (const Written& each : body_of_loop) {
    if (each.ahead) std::for_each(each.ahead->begin(), each.ahead->end(), note);
    note(each.statement);
  }
  const auto first = std::stable_partition(
      carried_.begin(), carried_.end(), [&](const Carried& each) { return each.level != level; });
  loop.carried.assign(std::make_move_iterator(first), std::make_move_iterator(carried_.end()));
  carried_.erase(first, carried_.end());
  std::set<Var> left;
  for (Carried& each : loop.carried) {
    for (const auto& [iteration, var] : each.taken) {
      const auto found = places_.find(var);
      if (found == places_.end() || found->second.body != body(iteration).before) return false;
      if (each.next != kNoVar && each.next != found->second.var) return false;
      each.next = found->second.var;
    }
    const Var memory = owner(list_, each.next);
    if (!same_shape(list_, each.next, each.first) || written.contains(owner(list_, each.first)) ||
        !loop.memories.contains(memory) || !left.insert(memory).second)
      return false;
    if (!loop.may_be_skipped) held_.erase(each.held);
    loop.before->push_back(statement(What::Empty, each.held, loop.where));
    loop.before->push_back(copying(each.first, each.held, loop.where));
    loop.tail->push_back(copying(each.next, each.held, loop.where));
  }
  return true;
}

/// What the last iteration of a loop left that is over; where it did not run, what was there.
std::optional<Var> Roller::left_behind(const Bodies& bodies, const std::vector<Var>& vars) {
  for (Made& made : made_) {
    if (made.end > static_cast<int>(bodies_.size())) continue;
    std::vector<int> last(bodies.size(), -1);  // iterations, by body
    for (std::size_t b = 0; b < bodies.size(); ++b)
      for (int each = made.first; each < made.end; ++each)
        if (body(each).around == bodies[b]) last[b] = each;
    const int level = body(made.first).level;
    const auto left = [&](std::size_t b) -> std::optional<Var> {
      const auto found = places_.find(vars[b]);
      if (found == places_.end() || last[b] < 0) return std::nullopt;
      const int by = found->second.body;
      if (by == last[b]) return found->second.var;
      // What a loop in the last iteration left.
      if (body(by).level <= level || ancestor(by, level) != last[b]) return std::nullopt;
      return left_behind({last[b]}, {vars[b]});
    };
    for (const Carried& carried : made.carried) {
      bool all = true;
      for (std::size_t b = 0; b < bodies.size() && all; ++b)
        all = last[b] < 0 ? !carried.is_stale && in_scope(vars[b], bodies[b]) == carried.first
                          : left(b) == carried.next;
      if (all) return carried.held;
    }
    const std::optional<Var> value = left(0);
    bool all = value && !list_.variables[*value].varying;
    for (std::size_t b = 1; b < bodies.size() && all; ++b) all = left(b) == value;
    const Var memory = all ? owner(list_, *value) : kNoVar;
    const auto shares = [&](const Carried& carried) {
      return owner(list_, carried.next) == memory;
    };
    if (!all || !made.memories.contains(memory) ||
        std::any_of(made.carried.begin(), made.carried.end(), shares))
      continue;
    const Var held = new_matrix(*value);
    made.before->push_back(statement(What::Empty, held, made.where));
    made.tail->push_back(copying(*value, held, made.where));
    made.carried.push_back({body(made.first).level, kNoVar, held, {}, *value});
    return held;
  }
  return std::nullopt;
}

// ---- loops

bool Roller::merge_loops(const Bodies& around, std::size_t item, Statements& out) {
  const bool steps = region(around[0], item).loop->range.step != 1;
  for (const bool counts : {false, true}) {
    if (counts && !steps) break;
    for (const Apart& apart : kApart) {
      const Mark before = mark();
      Statements made;
      if (merge_loops(around, item, apart, counts, made)) {
        std::move(made.begin(), made.end(), std::back_inserter(out));
        return true;
      }
      take_back(before);
      if (work_ > kMostWork) break;
    }
    if (work_ > kMostWork) break;
  }
  return merge_written(around, item, out);
}

/// All iterations unrolled, of each loop as many.
bool Roller::merge_written(const Bodies& around, std::size_t item, Statements& out) {
  const WrittenRegion& first = region(around[0], item);
  for (const int each : around)
    if (region(each, item).iterations.size() != first.iterations.size()) return false;
  if (!first.iterations.empty()) written_out_.insert(first.loop->line);
  for (std::size_t i = 0; i < first.iterations.size(); ++i)
    if (!merge_iterations(around, item, static_cast<Index>(i), out)) return false;
  return true;
}

/// The iteration of each of the loops, unrolled; of the last ones `iteration` is negative.
bool Roller::merge_iterations(const Bodies& around, std::size_t item, Index iteration,
                              Statements& out) {
  std::vector<const WrittenBlock*> blocks;
  for (const int each : around) {
    const auto& iterations = region(each, item).iterations;
    const Index at = iteration < 0 ? std::ssize(iterations) + iteration : iteration;
    blocks.push_back(&iterations[static_cast<std::size_t>(at)]);
  }
  for (std::size_t b = 0; b < around.size(); ++b)
    std::swap(bodies_[static_cast<std::size_t>(around[b])].block, blocks[b]);
  const bool merged = merge(around, out);
  for (std::size_t b = 0; b < around.size(); ++b)
    std::swap(bodies_[static_cast<std::size_t>(around[b])].block, blocks[b]);
  return merged;
}

/// `counts`: what the loop's own step does not divide may be linear in the number of iterations.
bool Roller::merge_loops(const Bodies& around, std::size_t item, Apart apart, bool counts,
                         Statements& out) {
  const Index out_of_loop = apart.first + apart.last;
  const WrittenLoop& loop = *region(around[0], item).loop;
  Index fewest = std::numeric_limits<Index>::max();
  Index most = 0;
  for (const int each : around) {
    const WrittenRegion& one = region(each, item);
    const Index count = std::ssize(one.iterations) - out_of_loop;
    if (count < 0 || one.loop->range.step != loop.range.step) return false;
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  if (most < (around.size() == 1 ? kFewest : 2)) return false;
  for (Index i = 0; i < apart.first; ++i)
    if (!merge_iterations(around, item, i, out)) return false;

  const auto range_of = [&](const WrittenRegion& one) -> Loop {
    const Loop& range = one.loop->range;
    return counts ? Loop{range.name + "_count", 0, std::ssize(one.iterations), 1} : range;
  };
  const auto range = [&](std::size_t b) { return range_of(region(around[b], item)); };
  const Loop own = range(0);
  const Index step = own.step;
  const auto start =
      fit(around, [&](std::size_t b) { return range(b).start + apart.first * step; });
  const auto stop = fit(around, [&](std::size_t b) { return range(b).stop - apart.last * step; });
  if (!start || !stop) return false;

  const int level = body(around[0]).level + 1;
  Bodies bodies;
  for (const int each : around) {
    const WrittenRegion& one = region(each, item);
    int before = -1;
    for (Index i = apart.first; i < std::ssize(one.iterations) - apart.last; ++i) {
      const WrittenBlock& block = one.iterations[static_cast<std::size_t>(i)];
      bodies_.push_back({&block, level, each, before, range_of(one).start + i * step});
      before = static_cast<int>(bodies_.size()) - 1;
      bodies.push_back(before);
    }
  }
  const SourceLocation where{loop.line, 1};
  made_.push_back({bodies.front(), bodies.back() + 1, where, fewest == 0});
  ListLoop ranged(own);
  std::vector<std::string> open;
  for (const int other : levels_) open.push_back(list_.loops[other].name);
  ranged.name = builder_.loop_name(own.name, open);
  ranged.start = start->constant;
  ranged.start_terms = start->terms;
  ranged.stop = stop->constant;
  ranged.stop_terms = stop->terms;
  list_.loops.push_back(std::move(ranged));
  levels_.push_back(static_cast<int>(list_.loops.size()) - 1);

  const int number = levels_.back();
  const std::size_t made_here = made_.size() - 1;
  Statements made;
  const auto mark_loop = [&](What kind, const std::shared_ptr<std::vector<Statement>>& ahead) {
    Statement s = statement(kind, kNoVar, where);
    s.loop = number;
    made.push_back({std::move(s), ahead});
  };
  mark_loop(What::Loop, made_[made_here].before);
  const bool merged = merge(bodies, made) && settle(level, made_[made_here], made);
  levels_.pop_back();
  if (!merged) return false;
  mark_loop(What::End, made_[made_here].tail);
  std::move(made.begin(), made.end(), std::back_inserter(out));
  ++loops_made_;
  apart_[loop.line].insert({apart.first, apart.last});

  for (Index i = apart.last; i > 0; --i)
    if (!merge_iterations(around, item, -i, out)) return false;
  return true;
}

}  // namespace

bool roll_loops(ListBuilder& builder, std::vector<WrittenLoop> loops) {
  StatementList& list = builder.list;
  const WrittenBlock program = written_program(loops, list.statements.size());
  Roller roller(builder);
  if (!roller.run(program)) return false;
  for (const auto& [line, apart] : roller.apart()) {
    if (roller.written_out().contains(line)) continue;
    Index most_first = 0, most_last = 0;
    for (const auto& [first, last] : apart) {
      most_first = std::max(most_first, first);
      most_last = std::max(most_last, last);
    }
    std::string text;
    const auto say = [&](std::string_view which, Index count) {
      if (count == 0) return;
      text += fmt::format("{}the {} {}", text.empty() ? "" : " and ", which,
                          count == 1 ? "iteration" : fmt::format("{} iterations", count));
    };
    say("first", most_first);
    say("last", most_last);
    if (text.empty())
      list.remarks.erase(line);
    else
      list.remarks[line] = "unrolled: " + text;
  }
  return true;
}

}  // namespace rewriter
