// The reader: converts the text of a NumPy program to expression trees.
//
// It executes the program symbolically, statement by statement, as Python would. Names refer to
// arrays (shared by `b = a`, and by views: slices, `.T` and reshapes), numbers, containers,
// functions and modules. Arithmetic on static numbers is done at once. After an in-place write (`w
// += u`, `x[1:3] = 0`) every name and view that shares the array has the new value. Nothing is
// computed on arrays: see node.hpp.
//
// for       over a static range(...), or over rows of arrays: the body is read once and stays a
//           loop. Integers are static, or linear in the loop variables; a number that changes from
//           one iteration to the next in another way becomes a 0-d array. First iterations in which
//           carried values have other types are peeled. If the body cannot be read in this way, and
//           for lists and the like, it is read once per iteration with a static variable
//           (unroll.cpp); lowering rolls such iterations back into a loop where possible.
// if, while with static conditions are decided by the reader. With run-time conditions, and so
//           break, continue and return under them, they become statements of the list.
// def       A call, also of a lambda, is replaced by the function's statements.
// lists     and dictionaries are references, as in Python. Their structure is static, but numbers,
//           arrays of one shape and tuples of numbers may be appended under run-time conditions.
// masks     Masked selections and other arrays of data-dependent length: selection.hpp.
// print     of strings and numbers, and of containers of these.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "rewriter/expr/program.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

struct ReadOptions {
  /// Shapes of inputs given from outside; they add to the program's own annotations `X: (128,
  /// 784)`, which they must agree with. Names that the program does not read stay out of its
  /// inputs.
  std::map<std::string, Dims> shapes;
  /// Their types; those that are not here are of floats.
  std::map<std::string, DType> dtypes{};
  /// Those that are complex: they become two inputs of floats, NAME_real and NAME_imag.
  std::set<std::string> complex{};
  /// Numbers for names that the program does not assign, and for parameters of `function`.
  std::map<std::string, std::variant<std::int64_t, double>> values{};
  /// Of inputs of ints and truth values what they hold, in C order: sizes and ranges may follow
  /// from it, and the program holds for these values alone.
  std::map<std::string, std::vector<double>> contents{};
  /// Whether ranges and new arrays may have as many elements as the run computes; else they are
  /// refused, as is done where `contents` may say how many these are.
  bool run_lengths = true;
  /// Python numbers that only the run knows: inputs of shape () of these types.
  std::map<std::string, DType> numbers{};
  /// How wide the arrays of floats are where the program asks for their types: 32, 64 or 128 bits;
  /// 0: not all alike, then such questions are refused. What the run computes in may be another.
  int float_bits = 64;
  /// How wide the floats of each input are; those that are not here are of nothing known.
  std::map<std::string, int> float_widths{};
  /// Imports that come before the program's own.
  struct Import {
    std::string module;
    std::string name;  ///< `from module import name`; empty: `import module`
    std::string alias;
  };
  std::vector<Import> imports{};
  /// Not empty: the program is this function of it, called once. Its parameters are inputs, as
  /// annotations or `shapes` say, or numbers, as `values` or their defaults say; what it returns is
  /// its results, and so are the parameters that it writes to. The module's own statements run
  /// before it, but for calls of its functions.
  std::string function{};
  /// What the function returns of x[mask] is a result: Program::Returned::Kind::Selected.
  bool returns_selections = false;
  /// Where the run decides whether an `assert` or a `raise` raises, the list does; else they are
  /// left out.
  bool raises = false;
};

/// With ReadOptions::raises: the program raises this whatever its inputs hold.
struct ProgramRaises : std::runtime_error {
  ProgramRaises(std::string kind, std::string told, int where)
      : std::runtime_error(kind), type(std::move(kind)), text(std::move(told)), line(where) {}

  std::string type;  ///< as the program names it
  std::string text;  ///< empty: none
  int line;
};

/// Throws ProgramRaises; ProgramError, with place, line and caret, for anything outside the
/// notation, for shapes that do not fit and for names that are not defined.
Program read(const Source& source, const ReadOptions& options = {});

}  // namespace rewriter
