// The statement list: the Cudamat statements of a program, with every temporary and every byte.
//
// A list is plain data: variables, each a matrix or a view of one, and statements over them, in
// order. Loops run over static integers, while a condition holds, or once if one holds. Their
// bodies are between a Loop and its End. A body frees the memory that it allocates, and what it
// defines is not used outside of it. verify.hpp checks whether a list is well formed, print.hpp
// prints it, and run.hpp runs it on any engine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cudamat/fused.hpp"
#include "cudamat/op_table.hpp"
#include "cudamat/shape.hpp"
#include "npmat/array.hpp"
#include "rewriter/expr/node.hpp"
#include "rewriter/list/number.hpp"
#include "rewriter/list/table.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

struct CustomOperation;  // expr/custom.hpp

/// An index into StatementList::variables.
using Var = int;
inline constexpr Var kNoVar = -1;

/// factor * the variable of StatementList::loops[loop].
struct ListTerm {
  int loop = 0;
  Index factor = 0;
  friend bool operator==(const ListTerm&, const ListTerm&) = default;
};
using ListTerms = std::vector<ListTerm>;

/// constant + terms: an integer that is static in each iteration.
struct ListInteger {
  Index constant = 0;
  ListTerms terms{};
  friend bool operator==(const ListInteger&, const ListInteger&) = default;
};

/// A shape that is static in each iteration.
struct Extents {
  ListInteger rows;
  ListInteger cols;

  Extents() = default;
  Extents(cudamat::Shape shape)  // NOLINT(*-explicit-*): the same in every iteration
      : rows{shape.rows, {}}, cols{shape.cols, {}} {}
  Extents(ListInteger r, ListInteger c) : rows(std::move(r)), cols(std::move(c)) {}
  friend bool operator==(const Extents&, const Extents&) = default;
};

/// A loop of a list. Its range may depend on the variables of outer loops, and may be empty.
struct ListLoop : Loop {
  ListTerms start_terms{};  ///< what adds to start
  ListTerms stop_terms{};

  ListLoop() = default;
  ListLoop(Loop loop) : Loop(std::move(loop)) {}  // NOLINT(*-explicit-*): a range of numbers is one

  [[nodiscard]] bool varies() const { return !start_terms.empty() || !stop_terms.empty(); }
  /// Whether the body may not run at all.
  [[nodiscard]] bool may_be_skipped() const { return has_condition() || varies(); }
  [[nodiscard]] ListInteger first() const { return {start, start_terms}; }
  [[nodiscard]] ListInteger end() const { return {stop, stop_terms}; }
  /// If the range varies, IterationSpace and range_in() give the numbers.
  Index count() const = delete;
  Index last() const = delete;
  friend bool operator==(const ListLoop&, const ListLoop&) = default;
};

struct Variable {
  std::string name;  ///< unique in the list, an identifier of Python and C++
  /// If the shape varies, the maximum of rows and of columns; this much memory is reserved.
  cudamat::Shape shape;
  /// The variable that owns the memory of this view (not itself a view); kNoVar if this is not a
  /// view.
  Var view_of = kNoVar;
  /// In loops: the shape, if it differs between iterations.
  std::optional<Extents> varying{};
};

struct Statement {
  enum class Kind : std::uint8_t {
    Empty,     ///< target = empty(shape): memory of its own
    Constant,  ///< target = CUDAMatrix(data): memory of its own, filled from the host
    Slice,     ///< target = operand.slice(integers[0], integers[1]): a view
    Reshape,   ///< target = the operand's memory in target's shape: a view
    Call,      ///< op, as Family says
    Seed,      ///< CUDAMatrix.init_random(integers[0])
    Free,      ///< target.free_device_memory(): its variable and its views are not used after it
    Loop,      ///< of `loop`: the statements up to its End, as often as its form says. The operand
               ///< of one with a condition, 1x1, is not 0 where that holds; to look at it waits for
               ///< the device
    End,       ///< of `loop`; with its Loop's operand if that is looked at again
    Print,     ///< writes `parts`, which read the operands, 1x1 or arrays; or raises an Exception
    Fused,     ///< computes `fused` of the operands and the numbers into the targets
    Custom,    ///< the same of the user's operation `custom`, which may have other effects
  };

  using Term = ListTerm;

  /// A piece of the output of a Print. No Text is empty, and none follows another. An Exception, a
  /// type by its Python name, can only be the first piece.
  struct Part {
    TextPart::Kind kind = TextPart::Kind::Text;
    std::string text;            ///< or a number's format, text_format.hpp; empty: Python's str()
    Index constant = 0;          ///< Integer: constant + terms
    std::vector<Term> terms{};   ///<
    std::size_t operand = 0;     ///< Element: which operand
    DType dtype = DType::Float;  ///< Element: what NumPy holds
    friend bool operator==(const Part&, const Part&) = default;
  };

  /// An operand of a call; the flag is Cudamat's `.T`, which products and reductions use.
  struct Operand {
    Var var = kNoVar;
    bool transposed = false;
    friend bool operator==(const Operand&, const Operand&) = default;
  };

  /// Rows of a matrix, [first, last).
  struct Rows {
    ListInteger first;
    ListInteger last;
    friend bool operator==(const Rows&, const Rows&) = default;
  };

  Kind kind = Kind::Call;
  Op op = Op::add;
  Var target = kNoVar;  ///< of a Fused and a Custom none: they have `targets`
  std::vector<Operand> operands;
  std::vector<Number> numbers;
  std::vector<Index> integers;  ///< of a Custom the dimensions of each operand in NumPy
  /// In loops: terms to add to both integers of a Slice, a GetSlice and a SetSlice, to that of a
  /// Seed, and to the number of an Assign, which is then a whole number.
  std::vector<Term> terms{};
  /// For the slices, terms to add to the second integer only: the length of the slice depends on
  /// loops.
  std::vector<Term> stretch{};
  int loop = 0;                                       ///< Loop, End: of StatementList::loops
  std::vector<Part> parts{};                          ///< Print
  std::shared_ptr<const HostData> data;               ///< Constant, row-major
  std::shared_ptr<const cudamat::FusedBody> fused{};  ///< Fused
  std::shared_ptr<const CustomOperation> custom{};    ///< Custom
  std::vector<Var> targets{};  ///< Fused: one for each of the body's; Custom: of the results
  /// Fused, Custom: the rows of each operand and then of each target; none for all rows. Empty if
  /// no operand or target has rows. The flag of an operand with rows transposes these rows.
  std::vector<std::optional<Rows>> rows{};
  std::string text;  ///< Constant: its spelling, `np.eye(3)`
  SourceLocation where{0, 0};
};

// clang-format off
// What a Call has, by the family of its op; t is the target. call_form.hpp has the last column as
// data.
//
//   family                     operands       numbers         integers      as Cudamat writes it
//   Unary                      a                                            cm.exp(a, target=t)
//   UnaryScalar                a              alpha                         cm.soft_threshold(a, alpha, target=t)
//   Binary                     a, b                                         a.add(b, target=t)
//                              a              s                             a.add(s, target=t)
//   ColBroadcast RowBroadcast  a, vec                                       a.add_col_vec(vec, target=t)
//   ColScaled                  a, vec         mult                          a.add_col_mult(vec, mult, target=t)
//   Scaled                     a              alpha                         t.add_mult(a, alpha)
//   Modulate                   acts                                         t.mult_by_sigmoid_deriv(acts)
//   Where                      cond, a, b                                   cm.where(cond, a, b, target=t)
//   Reduction ArgReduction     a              none or mult  axis            a.sum(axis=0, target=t)
//   Accumulate                 a              mult, beta    axis            t.add_sums(a, axis=0, mult=1, beta=1)
//   Whole                      a (vdot a, b)                                t.assign(a.euclid_norm()), t is 1x1
//   Assign                     a, or none     none, or s                    t.assign(a)
//   Fill                                                                    t.fill_with_rand()
//   Product                    a, b           none or beta, alpha           cm.dot(a, b, target=t)
//   AddProduct                 a, b           mult, beta                    t.add_dot(a, b, mult=1, beta=1)
//   Transpose                  a                                            a.transpose(target=t)
//   GetSlice                   a                            first, last     a.get_row_slice(0, 5, target=t)
//   SetSlice                   a                            first, last     t.set_row_slice(0, 5, a)
//   Select                     a, indices                                   a.select_columns(indices, target=t)
//                              indices, a                                   t.set_selected_columns(indices, a)
//   Scan                       a                                            a.cumsum(target=t)
//   Sort                       a                                            a.sort(target=t)
//   Solver                     a                                            cm.inv(a, target=t)
//                              a, b                                         cm.solve(a, b, target=t)
//                              a, or a, b                                   cm.bincount(a, target=t)
//                              a, b           rcond                         cm.lstsq(a, b, rcond, target=t)
//
// An index of a Select that is out of bounds or not whole ends the run.
//
// Correlate, PerRow and Composite are for programs written by hand; no statement has them.
// clang-format on

/// A name of the program and the variable that has its value at the end.
struct Binding {
  std::string name;
  Var var = kNoVar;
  Dims dims;                ///< of the NumPy array; the variable is its matrix_shape()
  bool transposed = false;  ///< of one or two dimensions: the variable is that matrix's transpose
};

struct StatementList {
  std::optional<Source> source;  ///< the text that `where` refers to, if there is one
  Table<Variable> variables;
  std::vector<Binding> inputs;  ///< on the device before the first statement
  Table<Statement> statements;
  std::vector<Binding> outputs;
  /// Each has one Loop and one End. Nested loops have different names, and no loop has the name of
  /// a variable.
  Table<ListLoop> loops{};
  /// Remarks on lines of the program without statements: "unrolled: 12 iterations", "fused: into
  /// line 7".
  std::map<int, std::string> remarks{};
};

inline constexpr std::size_t kNoStatement = static_cast<std::size_t>(-1);

/// The nesting of the loops of a list, by statement.
struct LoopNesting {
  std::vector<std::size_t> around;   ///< the innermost Loop whose body it is in, or kNoStatement
  std::vector<std::size_t> partner;  ///< of a Loop its End, of an End its Loop, else kNoStatement
};
/// Throws InternalError if Loops and Ends do not pair.
LoopNesting loop_nesting(const StatementList& list);

/// The number of loops around each statement that may be skipped. A write to memory from outside of
/// them may not happen.
std::vector<int> conditions_around(const StatementList& list);

/// a + factor * b, with terms in the order of their loops. Throws CUDAMatException if the result
/// exceeds 64 bits.
ListInteger sum(const ListInteger& a, const ListInteger& b, Index factor = 1);

/// The integer of a Slice, a GetSlice or a SetSlice: 0 for the first, 1 for the last.
ListInteger slice_bound(const Statement& slice, std::size_t which);
/// Whether both variables have the same shape in every iteration.
bool same_shape(const StatementList& list, Var a, Var b);

/// The matrix of a NumPy array: r x c for (r, c), 1 x n for (n,), 1 x 1 for (); for more dimensions
/// (last extent) x (all others), with the elements by columns in C order.
cudamat::Shape matrix_shape(const Dims& dims);
/// The shape of a binding's variable.
cudamat::Shape held_shape(const Binding& binding);
/// Whether the variable has the array's elements by columns in C order, which is NumPy's memory
/// order.
inline bool in_c_order(const Binding& binding) {
  return binding.transposed || binding.dims.size() > 2;
}
/// Whether the variable has them in NumPy's memory order, by columns or as a vector.
bool in_memory_order(const Binding& binding);

/// The variable that owns the memory of `var`.
Var owner(const StatementList& list, Var var);

/// Whether the variable, a view of `owner`, covers all of it, in every iteration.
bool shows_all(const StatementList& list, Var var, Var owner);

/// Whether the statement allocates memory for its target: an Empty or a Constant.
inline bool makes_memory(const Statement& s) {
  return s.kind == Statement::Kind::Empty || s.kind == Statement::Kind::Constant;
}
/// Whether it makes its target a view.
inline bool makes_view(const Statement& s) {
  return s.kind == Statement::Kind::Slice || s.kind == Statement::Kind::Reshape;
}
/// Whether it defines its target, which does not exist before.
inline bool defines(const Statement& s) {
  return makes_memory(s) || makes_view(s);
}
/// Whether it computes a result from its operands and writes it to its targets.
inline bool computes(const Statement& s) {
  return s.kind == Statement::Kind::Call || s.kind == Statement::Kind::Fused ||
         s.kind == Statement::Kind::Custom;
}
/// The variables that it writes to or defines: its target, or its targets.
inline std::span<const Var> targets_of(const Statement& s) {
  if (s.kind == Statement::Kind::Fused || s.kind == Statement::Kind::Custom) return s.targets;
  return {&s.target, s.target == kNoVar ? 0U : 1U};
}
/// Calls use(var) for each variable that the statement names; S is Statement, const or not.
template <class S, class F>
void for_each_variable(S& s, const F& use) {
  if (s.target != kNoVar) use(s.target);
  for (auto& target : s.targets) use(target);
  for (auto& operand : s.operands) use(operand.var);
}
/// Calls use(terms) for each linear combination of loops that it has.
template <class S, class F>
void for_each_terms(S& s, const F& use) {
  use(s.terms);
  use(s.stretch);
  for (auto& part : s.parts) use(part.terms);
  for (auto& rows : s.rows) {
    if (!rows) continue;
    use(rows->first.terms);
    use(rows->last.terms);
  }
}
/// The rows of operand i, or (after the operands) of a target, of a Fused or a Custom; null: all
/// rows.
inline const Statement::Rows* rows_of(const Statement& s, std::size_t i) {
  return s.rows.empty() || !s.rows[i] ? nullptr : &*s.rows[i];
}

/// Whether it draws random numbers from the stream.
bool draws(const Statement& s);

/// Whether the values of its operands may make it raise an error: an index out of bounds, a
/// singular matrix.
bool may_raise(const Statement& s);

/// Whether the result depends on the old value of the target (target i of a Fused): updates, and
/// products and sums with a beta.
bool reads_target(const Statement& call, std::size_t i = 0);
/// Whether it writes only some rows or columns of the target.
bool writes_part(const Statement& call, std::size_t i = 0);

}  // namespace rewriter
