// The reader: a NumPy program's text to trees.
//
// It runs the program symbolically, statement by statement, as Python would: names are bound to
// arrays (shared by `b = a`, views by slices, `.T` and reshape), to numbers, tuples and modules;
// arithmetic on numbers is done at once. Where NumPy writes in place (`w += u`, `x[1:3] = 0`) every
// name and view that shares the array sees the new value. Nothing is computed on arrays: see
// node.hpp.
//
// for       over range(...), the numbers known, or over rows of arrays: the body is read once and
//           stays a loop. Integers are constants and multiples of the loops' variables; shapes do
//           not depend on them. A number that changes from one iteration to the next in another
//           way becomes a 0-d array. First iterations in which what the loop carries has other
//           types, so that they compute something else, come before it; where types do not settle,
//           all of a short loop do. A body that cannot be read so, and loops over lists and the
//           like, are read once per iteration, the variable known.
// if, while choose while the program is read; break and continue, too.
// def       A call is replaced by the function's statements, and so are lambdas.
// lists     and dictionaries of anything are known when the program is read: references, as in
//           Python.
// append    to a list of numbers; read where its length is the same in every iteration.
// print     of texts and numbers.
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
