// How lowering works inside: one object that walks over the nodes in the order of their ids and
// writes each one's statements. The public side is lower.hpp.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rewriter/expr/loop_spans.hpp"
#include "rewriter/expr/node.hpp"
#include "rewriter/expr/program.hpp"
#include "rewriter/list/builder.hpp"
#include "rewriter/lower/roll.hpp"

namespace rewriter {

/// Whether it has one row, one column or no elements: its transpose is a view.
bool is_line(cudamat::Shape shape);

class Lowering {
 public:
  /// Lowers all of `roots`; `program` gives inputs and names.
  Lowering(const Program& program, const std::vector<NodePtr>& roots,
           const std::vector<Program::Named>& outputs);
  StatementList finish(const Program& program);

 private:
  using Shape = cudamat::Shape;

  /// How an operand meets a matrix of another shape.
  enum class Fit { Full, Row, Column, Number };

  // lower.cpp: the walk, and what every kind of node needs
  std::vector<WrittenLoop> written_loops(const Program& program) const;
  void count_uses(const std::vector<Program::Named>& outputs);
  void declare_input(const std::string& name, const Node& node);
  void lower(const Node& node);
  void lower_leaf(const Node& node);
  /// An `empty` for the node's value, with its name; or the matrix from before the loop that is to
  /// hold the value after it.
  Var fresh(const Node& node);
  /// The matrix that the node's statements write: args[0]'s memory if the node works in place and
  /// may, otherwise an `empty` with the node's name.
  Var target(const Node& node);
  bool may_overwrite(const Node& node) const;
  /// A Python number, as a parameter if it is one.
  Number number(const Node& node) const;
  /// The operand's matrix; a Python number is made one here.
  Var matrix(const NodePtr& operand);
  void set_value(Var var);
  std::string name_of(const Node& node) const;

  // loop.cpp
  void begin_loop(const Node& node);
  void end_loop(const Node& node);
  /// The matrix that holds what the iteration before left.
  Var carried_matrix(const Node& carried, const std::vector<Var>& others);
  /// A matrix for each value that is read after the loop and not carried.
  std::vector<Var> kept_matrices(const Node& end);
  /// The oldest value whose matrix may serve for this one: computed in place from an older value,
  /// or left by a loop, a value is where that was.
  static const Node* made_as(const Node* value);
  struct Move {
    Var to;
    Var from;
  };
  /// All at once: a matrix may be read by one and written by another.
  void move_all(std::vector<Move> moves);
  void loop_value(const Node& node);
  void print(const Node& node);
  std::vector<Statement::Term> terms(const LoopTerms& terms) const;

  // map.cpp: element by element, broadcasting
  void lower_map(const Node& node);
  void unary(const Node& node);
  void binary(const Node& node);
  void number_on_the_left(const Node& node, Number left, Var b);
  void with_vector(const Node& node, Op op, Var a, Var vec, Fit fit, Var in_target = kNoVar);
  void vector_on_the_left(const Node& node, Var vec, Fit fit, Var b);
  void where(const Node& node);
  void broadcast(const Node& node);
  static Fit fit(Shape operand, Shape result);
  /// A 1x1 matrix as a column of that many rows.
  Var column(Var number, Index rows);
  /// t = the vector, repeated to t's shape. Exact for every number, NaN and -0 included.
  void spread(Var vec, Fit fit, Var t);
  /// The operand in this shape, repeated where it must be.
  Var expanded(const NodePtr& operand, Shape shape);
  Var expanded(Var var, Shape shape);

  // reduce.cpp: reductions, products and equations
  void reduce(const Node& node);
  void variance(const Node& node);
  void dot(const Node& node);
  void solver(const Node& node);
  /// A matrix of all elements and the axis to reduce it over.
  struct Reducible {
    Var var;
    int axis;
  };
  Reducible reducible(const Node& node, bool in_c_order);

  // custom.cpp
  void custom(const Node& node);

  // strides.cpp: parts of an axis with a step, and what is written to views of views
  bool may_stay_turned(const Node& node) const;
  bool takes_one_step(const Node& user) const;
  /// What the node's ranges take of a matrix, rows first.
  std::pair<Range, Range> ranges_of(const Node& node, Shape shape) const;
  /// The only node that uses its value; null if there are others, or none.
  const Node* only_user(const Node& node) const;
  const Node* write_around(const Node& given, const Node& part) const;
  bool writes_through(const Node& node);
  bool is_read_between(Var memory, std::size_t last) const;

  // move.cpp: shapes, slices
  void reshape(const Node& node);
  void slice(const Node& node);
  void set_slice(const Node& node);
  void take(const Node& node);
  void put(const Node& node);
  /// The operand's matrix, or a copy if it lies in the memory that the node is about to overwrite.
  Var apart_from(Var memory, const NodePtr& operand, bool overwrites);
  void concatenate(const Node& node);
  void write_region(Var t, const Range& rows, const Range& cols, Var value);
  void fill_region(Var t, const Range& rows, const Range& cols, Number value);
  /// A view of these columns.
  Var columns(Var of, const Range& cols, const std::string& name = {});

  ListBuilder out_;
  std::vector<NodePtr> nodes_;
  std::unordered_map<const Node*, std::size_t> position_;  // in nodes_
  LoopSpans loops_;
  std::vector<std::size_t> last_use_;  // by position: until when it is needed
  std::vector<std::vector<std::size_t>>
      users_;                                // by position: of the nodes that it is an operand of
  std::vector<Var> value_;                   // by position
  std::vector<bool> is_turned_;              // by position: that is the value's transpose
  std::unordered_set<const Node*> written_;  // SetSlices whose part is written where it lies
  std::vector<std::size_t> memory_use_;      // by owner: the last use of all values in its memory
  std::vector<std::size_t> statements_before_;  // by position
  const std::map<const Node*, int>& parameters_;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_map<std::string, Var> inputs_;
  std::unordered_map<const Node*, std::vector<Var>> slots_;  // by LoopEnd, Custom: its matrices
  std::unordered_map<const Node*, std::vector<const Node*>> after_;    // by LoopEnd
  std::unordered_map<const Node*, std::vector<const Node*>> results_;  // by Custom
  std::unordered_map<const Node*, Var> wanted_;  // values to be computed into these
  std::unordered_map<const Loop*, int> loop_numbers_;
  std::size_t at_ = 0;  // position of the node that is being lowered
};

}  // namespace rewriter
