// The reader: converts the text of a NumPy program to expression trees.
//
// It executes the program symbolically, statement by statement, as Python would. Names refer to
// arrays (shared by `b = a`, and by views: slices, `.T` and reshapes), numbers, containers,
// functions and modules. Arithmetic on static numbers is done at once. After an in-place write (`w
// += u`, `x[1:3] = 0`) every name and view that shares the array has the new value. Operations on
// arrays become nodes of the tree: node.hpp.
//
// for       over a static range(...), or over rows of arrays: the body is read once and stays a
//           loop. Integers are static, or linear in the loop variables; a number that changes from
//           one iteration to the next in another way becomes a 0-d array. First iterations in which
//           carried values have other types are peeled. If the body cannot be read in this way, and
//           for lists and other containers, it is read once per iteration with a static variable
//           (unroll.cpp); lowering rolls such iterations back into a loop where possible.
// if, while with static conditions are evaluated by the reader. With run-time conditions they
//           become statements of the list, and so do break, continue and return under them.
// def       A call, also of a lambda, is inlined.
// lists     and dictionaries are references, as in Python. Their structure is static, but numbers,
//           arrays of one shape and tuples of numbers may be appended under run-time conditions.
// masks     Masked selections and other arrays of data-dependent length: selection.hpp.
// import    of files in ReadOptions::folders: their statements run where they are first imported,
//           and are statements of the same list. Program::source holds their texts, too.
// print     of strings and numbers, and of containers of these.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "npmat/npmat.hpp"
#include "rewriter/expr/program.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

/// A value that the reader and the Python process that runs it exchange.
struct PythonValue {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Int,
    Float,
    Text,
    Tuple,
    List,
    Set,
    Dict,     ///< parts: keys and values, alternating
    Array,    ///< numbers
    Builtin,  ///< a function or type of Python or NumPy: "len", "np.float64"
    Example,  ///< a run-time value of the type `text`
    Object,   ///< Python's object with the number `integer`; `text` describes it
  } kind = Kind::None;
  bool is_numpy = false;  ///< of a number
  bool truth = true;      ///< of an object
  std::int64_t integer = 0;
  double number = 0;
  std::string text{};
  std::vector<PythonValue> parts{};
  npmat::Array<double> numbers{};
  DType dtype = DType::Float;
};

/// The Python process that converts a program of its own; it calls functions of other modules.
class Python {
 public:
  Python() = default;
  virtual ~Python() = default;
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;
  /// Returns the result of `what`: "call", "attribute", "index", "items", "isinstance", an
  /// operator, or a function of Python. Throws PythonError if Python raises, and CUDAMatException
  /// if the result depends on more than the arguments or the call has side effects.
  virtual PythonValue ask(const std::string& what, const std::vector<PythonValue>& arguments,
                          const std::vector<std::pair<std::string, PythonValue>>& keywords) = 0;
};

/// The module of an Import whose name is the number of one of Python's objects.
inline constexpr const char* kPythonObjects = "<python>";
/// Of an Import: nothing has the name.
inline constexpr const char* kUndefined = "<undefined>";

struct ReadOptions {
  /// Shapes of inputs, in addition to the program's annotations `X: (128, 784)`, with which they
  /// must agree. Names that the program does not read do not become inputs.
  std::map<std::string, Dims> shapes;
  /// The types of inputs; float by default.
  std::map<std::string, DType> dtypes{};
  /// Complex inputs, which become two inputs of floats, NAME_real and NAME_imag.
  std::set<std::string> complex{};
  /// Inputs that are not in C order in NumPy's memory.
  std::set<std::string> scattered{};
  /// Numbers for names that the program does not assign, and for parameters of `function`.
  std::map<std::string, std::variant<std::int64_t, double>> values{};
  /// The contents of integer and boolean inputs, in C order. Sizes and ranges may depend on them,
  /// and the resulting program is valid for these contents only.
  std::map<std::string, std::vector<double>> contents{};
  /// Whether ranges and new arrays may have data-dependent length; otherwise they raise an error,
  /// so that the caller can try again with `contents`.
  bool run_lengths = true;
  /// Python numbers that are known only at run time: inputs of shape () with these types.
  std::map<std::string, DType> numbers{};
  /// Inputs of shape () that are NumPy scalars, and so immutable.
  std::set<std::string> scalars{};
  /// The width of float arrays that the program sees when it asks for types: 32, 64 or 128 bits; 0
  /// if they differ, then such questions raise an error. The run may have another precision.
  int float_bits = 64;
  /// The width of the floats of each input, if known.
  std::map<std::string, int> float_widths{};
  /// Whether the widths of all float inputs are known, so that those of the results follow.
  bool knows_widths = false;
  /// Whether loops that append arrays of one shape to a list stay loops. If such a program cannot
  /// be read, e.g. because it writes to one of the arrays later, it is read again without this.
  bool loops_append_arrays = true;
  /// The version of NumPy whose type promotion applies: 1 or 2; 0: that of set_numpy_version().
  int numpy = 0;
  /// Imports to add before the program's own.
  struct Import {
    std::string module;
    std::string name;  ///< `from module import name`; empty: `import module`
    std::string alias;
  };
  std::vector<Import> imports{};
  /// Computes with Python's own objects; null: there are none.
  Python* python = nullptr;
  /// The folders that are searched for imported modules, in order; none: it is one file.
  std::vector<std::string> folders{};
  /// If not empty, the program is one call of this function. Its parameters are inputs, by
  /// annotations or `shapes`, or numbers, by `values` or their defaults. Its results are what it
  /// returns and the parameters that it writes to. The module's own statements run first, except
  /// for calls of its functions.
  std::string function{};
  /// The caller's objects: names of the module or of `function`. The text creates them with
  /// object.__new__ and object.__setattr__; Program::objects has the attributes that change.
  std::vector<std::string> objects{};
  /// Whether the function may return a masked selection: Program::Returned::Kind::Selected.
  bool returns_selections = false;
  /// Whether an `assert` or a `raise` that depends on run-time values becomes a statement of the
  /// list; otherwise it is ignored.
  bool raises = false;
  /// With `raises`: whether exceptions that a `try` would catch at run time end the run as well,
  /// because the caller then runs the call in Python.
  bool ends_at_exceptions = false;
  /// Whether values that depend only on the program's own numbers are computed while it is read,
  /// for programs that cannot be read otherwise. The program is then unrolled along the branches
  /// that it takes. These values include random numbers if the program sets the seed, as a run of
  /// `draw_bits` draws them; floats have that precision.
  bool decides_by_values = false;
  int draw_bits = 64;
};

/// With ReadOptions::raises: the program raises this exception for all inputs.
struct ProgramRaises : std::runtime_error {
  ProgramRaises(std::string kind, std::string told, int where)
      : std::runtime_error(kind), type(std::move(kind)), text(std::move(told)), line(where) {}

  std::string type;  ///< its name in the program
  std::string text;  ///< empty: none
  int line;
};

/// Sets the version of NumPy, 1 or 2, for programs whose options do not name one; 2 by default.
void set_numpy_version(int version);

/// The supported functions with aliases, parameters and defaults: a line for each, with a heading
/// for each topic.
std::string function_list();

/// Reads a program. Throws ProgramRaises; or ProgramError, with place, line and caret, for code
/// that is not supported, for shapes that do not match and for undefined names.
Program read(const Source& source, const ReadOptions& options = {});

}  // namespace rewriter
