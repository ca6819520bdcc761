// The expression tree of symbolic arrays: immutable nodes with static shapes.
//
// A node is one NumPy operation as written. Its operands are older nodes, so the order of ids is an
// order of evaluation, and the order in which NumPy would have computed them. Nothing is computed
// here: evaluate.hpp evaluates nodes directly, lower.hpp turns nodes into Cudamat statements.
//
// Loops. The nodes between a LoopBegin and its LoopEnd, by their ids, are the body of the loop: all
// are computed again in each iteration, and none of them is an operand of a node after the loop. A
// value that an iteration reads from the previous one is a Carried node; a value that is read after
// the loop is an After node:
//
//   LoopBegin              loop; args: the condition of an If
//   Carried                args: its value before the loop. Older than the rest of the body.
//   LoopEnd                args: the LoopBegin; then, for each of `carried` Carried nodes, the node
//                          and its value for the next iteration; then other values of the last
//                          iteration that are read after the loop. The condition of a While and a
//                          ForWhile is the first of the `carried`; values that are read after a
//                          loop with a condition are among these, too.
//   After                  args: the LoopEnd; slot: the next value of the Carried node `slot`, or
//                          from `carried` on one of the other values
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cudamat/engine.hpp"
#include "cudamat/op_table.hpp"
#include "npmat/array.hpp"
#include "rewriter/expr/affine.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

using cudamat::Op;

struct CustomUse;  // custom.hpp

/// Extents like NumPy's .shape: () for 0-d, (n,) for 1-D, (r, c) for 2-D, up to 32 of them.
using Dims = std::vector<Index>;

/// The type that NumPy would use. The engines store 1.0 and 0.0 for booleans and whole numbers for
/// integers; the type matters where NumPy's rules depend on it (True + True is True, the mean of
/// booleans is a number, uint8 wraps). Int is int64.
enum class DType : std::uint8_t {
  Bool,
  Int8,
  Uint8,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Int,
  Uint64,
  Float
};

constexpr bool is_integer(DType dtype) {
  return dtype != DType::Bool && dtype != DType::Float;
}
/// Integers other than int64: integers.hpp.
constexpr bool is_narrow(DType dtype) {
  return is_integer(dtype) && dtype != DType::Int;
}

/// How NumPy's files call the type, "<i8"; empty of floats, whose width is that of the precision.
std::string_view file_type(DType dtype);

/// Basic indexing of one axis: elements [start, stop), both within the extent. An integer index has
/// stop == start + 1 and removes the axis. In a loop `shift` is added to both bounds.
struct Range {
  Index start = 0;
  Index stop = 0;
  bool drops_axis = false;
  LoopTerms shift{};

  [[nodiscard]] Index extent() const { return stop - start; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Elements start, start + step, ... of an axis, `count` of them; all within the extent.
struct Steps {
  Affine start{};
  Index step = 1;  ///< not 0
  Index count = 0;

  friend bool operator==(const Steps&, const Steps&) = default;
};

enum class Kind : std::uint8_t {
  Number,        ///< a Python number: number
  Input,         ///< a named input: text
  Data,          ///< an array bound by the program: data
  Constant,      ///< a literal array of the program: data; text is its spelling, `np.eye(3)`
  Fill,          ///< zeros, ones, full: every element is number
  Random,        ///< op fill_with_rand or fill_with_randn; draws when its turn in the order comes
  Seed,          ///< np.random.seed(number); has no value
  Map,           ///< op of family Unary or Binary, operands broadcast against each other
  LogicalNot,    ///< of a boolean; `a != b` is not (a == b)
  Where,         ///< where(args[0], args[1], args[2]), broadcast
  Reduce,        ///< op of family Reduction or ArgReduction, over axis (-1: all), keepdims
  Variance,      ///< over axis (-1: all), keepdims; number is ddof
  Deviation,     ///< its square root
  Whole,         ///< op of family Whole: a 0-d array
  Sort,          ///< op of family Sort, of the columns of a 2-D array
  Solver,        ///< op of family Solver; several results in one 1-D array (cudamat/solver.hpp)
  Scan,          ///< op of family Scan, along the rows of a 2-D array or along a 1-D one
  Dot,           ///< np.dot: (..., k) with (k,) or (k, n)
  Transpose,     ///< axis k of the result is axis axes[k]; without axes, of a 2-D operand
  Reshape,       ///< to dims, in C order, or in Fortran order if by_columns
  Broadcast,     ///< to dims
  Slice,         ///< ranges, one for each axis of the operand
  SetSlice,      ///< args[0] with args[1], broadcast to what a Slice at `ranges` has, there
  Take,          ///< of args[0], along axis, what args[1] names: integers, negative from the end
  Put,           ///< args[0] with args[2] there; of equal integers the last one counts
  Concatenate,   ///< along axis
  Copy,          ///< an equal array of its own
  LoopValue,     ///< number + terms, a 0-d array
  LoopBegin,     ///< of loop; no value
  Carried,       ///< what the iteration before left, or at first args[0]
  LoopEnd,       ///< see above; no value
  After,         ///< what the last iteration left
  Print,         ///< writes a line, or raises: parts; args: the 0-d arrays in it; no value
  Custom,        ///< an operation of the user's: custom; it has results, and no value
  CustomResult,  ///< args: the Custom; its result `slot`
};

/// A piece of a printed line: text, or a number. The first piece may be the type of an exception,
/// which is raised with the rest as its text.
struct TextPart {
  enum class Kind : std::uint8_t { Text, Integer, Element, Exception } kind = Kind::Text;
  std::string text;            ///< Text; Exception; of an element its format, empty: Python's str()
  Affine integer{};            ///< Integer
  std::size_t element = 0;     ///< Element: which of the node's args
  DType dtype = DType::Float;  ///< Element: what NumPy holds
};

class Node;
using NodePtr = std::shared_ptr<const Node>;

/// Host data of any of the three precisions.
using HostData = std::variant<npmat::Array<float>, npmat::Array<double>, npmat::Array<long double>>;

/// Whether the numbers are equal, whatever the types, and equally many; NaN is equal to NaN, -0 is
/// not equal to 0.
bool same_numbers(const HostData& a, const HostData& b);
bool same_number(long double a, long double b);

class Node {
 public:
  /// A node to be filled in before it is shared. Trees of any depth are destroyed iteratively and
  /// without allocations.
  static std::shared_ptr<Node> create();
  /// A copy of a node, to be filled in likewise; its id and place are still to be set.
  static std::shared_ptr<Node> create_like(const Node& node);

  std::uint64_t id = 0;  ///< older nodes have smaller ids
  Kind kind = Kind::Number;
  Op op = Op::add;  ///< Map, Reduce, Whole, Random
  DType dtype = DType::Float;
  Dims dims;
  std::vector<NodePtr> args;

  double number = 0;
  int axis = -1;
  bool keepdims = false;
  bool by_columns = false;  ///< Reshape; of up to two dimensions unless it leaves them as they are
  std::vector<int> axes;    ///< Transpose
  /// NumPy overwrites args[0] with the result (augmented assignment, assignment to a slice).
  bool in_place = false;
  std::vector<Range> ranges;
  LoopPtr loop;             ///< LoopBegin, Carried
  LoopTerms terms;          ///< LoopValue
  std::size_t carried = 0;  ///< LoopEnd
  std::size_t slot = 0;     ///< After, CustomResult
  bool is_scalar = false;   ///< Fill, Where, LoopValue, Carried, After: an immutable scalar
  /// The width of NumPy's floats here, if the program or the caller defines it: 32, 64, 128;
  /// otherwise 0. It affects only the type of results that are returned, not the computation.
  mutable std::uint8_t float_bits = 0;
  /// What float_widths.hpp found for this node. A copy of the node, which may get other operands,
  /// has nothing.
  struct FoundWidth {
    FoundWidth() = default;
    FoundWidth(const FoundWidth& /*of*/) noexcept {}
    FoundWidth& operator=(const FoundWidth&) = delete;
    std::optional<std::uint8_t> bits{};
    bool has_no_doubles = false;
  };
  mutable FoundWidth width{};
  std::vector<TextPart> parts;  ///< Print
  /// Also the name that a Carried or After value had, and of a Seed the number that the program
  /// gives default_rng.
  std::string text;
  std::shared_ptr<const HostData> data;
  std::shared_ptr<const CustomUse> custom;
  SourceLocation where{0, 0};  ///< line 0: not from a text

  Node& operator=(const Node&) = delete;

  /// LoopEnd: the value of After nodes of this slot.
  [[nodiscard]] const NodePtr& slot_value(std::size_t k) const {
    return args[k < carried ? 2 + 2 * k : 1 + carried + k];
  }
  [[nodiscard]] std::size_t slot_count() const { return args.size() - 1 - carried; }

  [[nodiscard]] int ndim() const { return static_cast<int>(dims.size()); }
  [[nodiscard]] Index size() const;

 private:
  struct Deleter;

  Node() = default;
  Node(const Node&) = default;
  ~Node() = default;

  Node* next_ = nullptr;  // links the nodes that are destroyed together
};

/// The type that NumPy has of the value. Of a number that the run chooses between numbers of one
/// narrow type and Python's ints, it is that type if it holds these ints.
DType returned_type(const Node& node);

/// "(128, 784)", "(5,)", "()" as NumPy prints a shape.
std::string to_string(const Dims& dims);

/// The nodes that the roots need, each once, in the order of their ids. Of a LoopEnd's other values
/// only those of After nodes among them.
std::vector<NodePtr> in_order(const std::vector<NodePtr>& roots);

}  // namespace rewriter
