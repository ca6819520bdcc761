// A program as the reader leaves it: trees for the values that its names have at the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rewriter/expr/node.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

struct Program {
  /// A name and the array that it stands for.
  struct Named {
    std::string name;
    NodePtr node;
  };

  std::optional<Source> source;
  std::vector<Named> inputs;  ///< in the order of declaration
  /// What the program computes, in its order: the value of each statement, read later or not.
  std::vector<NodePtr> steps;
  /// Each assignment of an array to a name, in order: the statement list calls the value by that
  /// name.
  std::vector<Named> assignments;
  /// The value of every assigned array name at the end, in the order of first assignment.
  std::vector<Named> results;
  /// Names that only statements which do not run would assign, as in a loop over nothing: in which
  /// line.
  std::map<std::string, int> skipped;
  /// Names of the module that only statements assign which the run may not come by: NaN, or 0,
  /// then.
  std::set<std::string> perhaps;
  /// Results of which the first elements along an axis are an array, how many of them only the run
  /// knows: the result that says it.
  struct Length {
    std::string result;
    int axis = 0;
  };
  std::map<std::string, Length> lengths;
  /// Number nodes whose value the list's user replaces, and what he calls them: numbers from 0 on.
  /// Equal values have one.
  std::map<const Node*, int> parameters;
  /// Loops that are written out iteration by iteration, by their line.
  struct Unrolled {
    Index loops = 0;  ///< how often the line was come by
    Index iterations = 0;
    std::string why{};             ///< it is no loop; may be empty
    std::uint64_t operations = 0;  ///< that were read, about
    int line = 0;                  ///< of what `why` is about
    std::string advice{};          ///< what would let it be one; may be empty
  };
  /// One of them: its variable, as often as it ran, and the nodes before each iteration and before
  /// what follows the last one, by their ids.
  struct Written {
    Loop range;
    int line = 0;
    std::vector<std::uint64_t> nodes{};
  };
  std::vector<Written> written;
  /// The line of the remark in a list: "unrolled, 12 iterations: ...".
  std::map<int, Unrolled> unrolled;
  /// What the function that is the program returned, as Python has it.
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
      List,      ///<
      Set,       ///<
      Dict,      ///< parts: a key and its value by turns
      Complex,   ///< parts: real and imaginary
      Selected,  ///< parts: an array and the mask that selects of its axes from `integer` on
      Some,      ///< a list: parts: Selected, and of what is in an element None, or of a number of
                 ///< it Int or Float, of a truth value Bool; is_python; `text` is "tuple" or "list"
      Perhaps,   ///< parts: a result that is not 0 where it is the next part, and else the last
      Other,     ///< what has no value outside: text describes it
    } kind = Kind::None;
    std::int64_t integer = 0;
    double number = 0;
    std::string text{};
    DType dtype = DType::Float;
    bool is_python = false;
    int float_bits = 0;  ///< of an array or a scalar of floats, as FloatWidths has it
    std::vector<Returned> parts{};
  };
  std::optional<Returned> returned;
  /// Inputs in which the caller of that function finds something new: the results of their names.
  std::set<std::string> written_inputs;
  std::map<int, std::string> left_out;  ///< what of a line computes nothing here, by its number
  std::set<std::string> values_used;    ///< names whose numbers came from outside
};

}  // namespace rewriter
