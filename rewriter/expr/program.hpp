// A program after reading: trees for the final values of its names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/expr/node.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

struct Program {
  /// A name and its array.
  struct Named {
    std::string name;
    NodePtr node;
  };

  std::optional<Source> source;
  std::vector<Named> inputs;  ///< in the order of declaration
  /// The computations of the program, in order: the value of each statement, whether it is read
  /// later or not.
  std::vector<NodePtr> steps;
  /// Each assignment of an array to a name, in order; the statement list uses these names.
  std::vector<Named> assignments;
  /// The final value of every name that an array was assigned to, in the order of first assignment.
  std::vector<Named> results;
  /// Names that are assigned only by statements that do not run, for example in an empty loop, and
  /// their lines.
  std::map<std::string, int> skipped;
  /// Names of the module that are assigned only by statements that may not run; in that case they
  /// are NaN, or 0.
  std::set<std::string> perhaps;
  /// For a result of data-dependent length along an axis: the result that holds the length.
  struct Length {
    std::string result;
    int axis = 0;
  };
  std::map<std::string, Length> lengths;
  /// Number nodes whose value the user of the list replaces, and their numbers, from 0 on. Equal
  /// values share one.
  std::map<const Node*, int> parameters;
  /// Loops that are unrolled, by their line.
  struct Unrolled {
    Index loops = 0;  ///< how often the line was come by
    Index iterations = 0;
    std::string why{};             ///< it is no loop; may be empty
    std::uint64_t operations = 0;  ///< that were read, about
    int line = 0;                  ///< of what `why` is about
    std::string advice{};          ///< what would let it be one; may be empty
  };
  /// An unrolled loop: its variable, its number of iterations, and the ids of the nodes before each
  /// iteration and after the last one.
  struct Written {
    Loop range;
    int line = 0;
    std::vector<std::uint64_t> nodes{};
  };
  std::vector<Written> written;
  /// The line of the remark in a list: "unrolled, 12 iterations: ...".
  std::map<int, Unrolled> unrolled;
  /// The Python value that the function returned, if the program is a function.
  struct Returned {
    enum class Kind : std::uint8_t {
      None,
      Bool,      ///< known: integer
      Int,       ///< known: integer
      Float,     ///< known: number
      Text,      ///< known: text
      Array,     ///< the result of the name `text`, of this dtype
      Scalar,    ///< the same, an immutable scalar of NumPy's
      Number,    ///< the same, a Python number
      Numbers,   ///< the same, a list of scalars, of Python numbers if is_python
      Input,     ///< the array that was given for the input of the name `text` itself
      Tuple,     ///< of parts
      List,      ///< likewise; `integer`: of a deque its maxlen, else 0
      Set,       ///<
      Dict,      ///< parts: a key and its value by turns; `text`: of module collections its type,
                 ///< and of a defaultdict the function that makes what is missing
      Complex,   ///< parts: real and imaginary
      Selected,  ///< parts: an array and the mask that selects of its axes from `integer` on
      Some,      ///< a list: parts: Selected, and of what is in an element None, or of a number of
                 ///< it Int or Float, of a truth value Bool; is_python; `text` is "tuple" or "list"
      Perhaps,   ///< parts: a result that is not 0 where it is the next part, and else the last
      Object,    ///< the object of the number `integer`
      Outside,   ///< Python's object of the number `integer`, or what the reader calls `text`
      Other,     ///< what has no value outside: text describes it
    } kind = Kind::None;
    std::int64_t integer = 0;
    double number = 0;
    std::string text{};
    DType dtype = DType::Float;
    bool is_python = false;
    int float_bits = 0;  ///< of an array or a scalar of floats, as float_width_of() has it
    std::vector<Returned> parts{};
    std::uint64_t list = 0;  ///< of a list or a dictionary: which one it is
  };
  std::optional<Returned> returned;
  /// Names of the module, and parts of them, that hold None, a truth value, an int, a float or a
  /// text which is known when the program is read.
  std::vector<std::pair<std::string, Returned>> known;
  /// Those that hold anything else which is no result: its line, and what it is.
  std::map<std::string, std::pair<int, std::string>> no_results;
  /// Results that are selections of which something is made.
  std::set<std::string> read_again;
  /// What the program changes of an object of its caller's.
  struct ChangedObject {
    struct Attribute {
      std::string name;
      std::optional<Returned> value{};  ///< nothing: it is deleted
      bool in_place = false;            ///< the list or dictionary stays the same one
    };
    std::int64_t number = 0;  ///< 0: the module
    std::vector<Attribute> attributes{};
    /// The lists and dictionaries that it had and has: the attribute, and which one that is.
    std::vector<std::pair<std::string, std::uint64_t>> lists{};
  };
  /// Objects that the program makes, by number: their class, and the names of their attributes and
  /// their values by turns.
  std::map<std::int64_t, Returned> new_objects;
  std::vector<ChangedObject> objects;  ///< the module, if it is changed; then ReadOptions::objects
  /// Inputs that the function changes, as its caller sees: the results with their names.
  std::set<std::string> written_inputs;
  std::map<int, std::string> left_out;  ///< what of a line computes nothing here, by its number
  std::set<int> decided;     ///< lines that decide by values: ReadOptions::decides_by_values
  bool knows_draws = false;  ///< statements depend on the random numbers of its seeds
  std::set<std::string> values_used;  ///< names whose numbers came from outside

  /// The type that NumPy has of a result; a float of what is none.
  [[nodiscard]] DType type_of(std::string_view result) const {
    DType dtype = DType::Float;
    for (const auto& [name, node] : results)
      if (name == result && node != nullptr) dtype = returned_type(*node);
    return dtype;
  }
};

}  // namespace rewriter
