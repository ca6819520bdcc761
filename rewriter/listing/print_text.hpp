// What the printers share: names, numbers, columns, and the spelling of a call.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudamat/fused_text.hpp"
#include "rewriter/expr/text_format.hpp"
#include "rewriter/list/names.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter::print {

// ---- numbers ----

/// The shortest decimal that reads back as the same double; -0.0 keeps its sign.
std::string decimal(double value);
/// The same as a Python expression: float('inf') and float('nan') where needed.
std::string python_number(double value);
/// As a C++ expression of type T: T(0.5), std::numeric_limits<T>::infinity().
std::string cpp_number(double value);
/// 401,408
std::string grouped(Index value);
/// "46.0 MiB"; empty below 1 KiB.
std::string binary_size(Index bytes);
/// (128, 784)
std::string pair(cudamat::Shape shape);

// ---- text ----

/// Columns that a terminal takes for it.
int columns(std::string_view text);
/// The text with a question mark for each control and each malformed byte.
std::string safe(std::string_view text);
/// A Python expression on one line: comments go, runs of white space outside of quotes become a
/// space, and what must not reach a terminal a question mark.
std::string one_line(std::string_view expression);
/// The line of the source, trimmed and made safe; empty if there is none.
std::string source_line(const StatementList& list, int line);
/// The line's number, with its file if that is another than the program's: Source::label().
std::string line_label(const StatementList& list, int line);
/// prog.py:3:5: message, and the line with a caret; message alone if there is no such place.
std::string located(const StatementList& list, SourceLocation where, const std::string& message);
/// "text" as a string literal of Python and of C++.
std::string in_quotes(std::string_view text);
/// The names of a list's variables and loops as a printed program has them.
class ListNames {
 public:
  explicit ListNames(const StatementList& list, NamesOf in = NamesOf::Any);
  const std::string& operator[](Var var) const { return variables_[var]; }
  /// The variable of StatementList::loops[loop].
  const std::string& loop(int loop) const { return loops_[loop]; }
  /// The two variables have each other's name.
  void swap(Var a, Var b) { std::swap(variables_[a], variables_[b]); }
  /// Another free name.
  std::string fresh(const std::string& name) { return names_.take(name); }
  [[nodiscard]] bool has(const std::string& name) const { return names_.is_taken(name); }

 private:
  Names names_;
  Table<std::string> variables_;
  Table<std::string> loops_;
};

// ---- statements ----

/// How a language writes a call.
struct Dialect {
  std::string_view module;      ///< "cm."
  std::string_view transposed;  ///< ".T"
  bool keywords;                ///< target=t, and defaults omitted anywhere
  std::string (*number)(double);
};
inline constexpr Dialect kPython{"cm.", ".T", true, python_number};
inline constexpr Dialect kCpp{"cm::", ".T()", false, cpp_number};

/// constant + terms: "128 * batch", "i - 1", "7".
std::string affine_text(Index constant, const std::vector<Statement::Term>& terms,
                        const ListNames& names);

inline std::string affine_text(const ListInteger& integer, const ListNames& names) {
  return affine_text(integer.constant, integer.terms, names);
}
/// (128, 784), (n - i, 1): the shape of a variable.
std::string shape_text(const Variable& variable, const ListNames& names);

/// "range(0, 78)", "range(10, 0, -1)", "range(i + 1, 10)".
std::string range_text(const ListLoop& loop, const ListNames& names);
std::string range_text(const Loop& loop);
/// "for i in range(0, 78)", "for i in range(0, 78) while t1", "while t1", "if t1"
std::string loop_text(LoopForm form, std::string_view name, std::string_view range,
                      std::string_view condition);

/// What a Print writes as a format, `"loss {:.3f}\n"` with its quotes, and the numbers that go into
/// it: integers as they are written, elements by their operand.
struct PrintFormat {
  std::string exception;  ///< that is raised with this text; empty: it is printed
  std::string format;     ///< in quotes
  struct Number {
    std::string integer;  ///< empty for an element
    Var element = kNoVar;
    DType dtype = DType::Float;
    bool cut = false;    ///< to an integer, as %d does
    bool plain = false;  ///< as str() prints it
    std::optional<ArrayFormat> array{};
  };
  std::vector<Number> numbers;
  bool ends_line = false;  ///< the format is given without its line end
};
/// `keep_shapes`: arrays have their formats, which are no formats of Python's.
PrintFormat print_format(const Statement& statement, const ListNames& names, bool keep_line_end,
                         bool keep_shapes = false);

/// How deep in loops each statement stands; of a Loop and an End what is around them.
std::vector<int> depths(const StatementList& list);

/// What a fused statement computes, cudamat/fused_text.hpp.
std::string fused_text(const Statement& s, const ListNames& names);
/// The same, with a place for each variable and its rows (null: all) as `name` says.
using FusedNames = std::function<cudamat::FusedPlace(Var var, const Statement::Rows* rows)>;
std::string fused_text(const Statement& s, const ListNames& names, const FusedNames& name);

/// cm.custom("both", x[0:2].T, y, 0.5, ndim=(2, 1), targets=(s, d))
std::string custom_text(const Statement& s, const ListNames& names);
/// Of a printer whose programs cannot have such a statement: throws CUDAMatException.
[[noreturn]] void refuse_custom(const StatementList& list, const Statement& s,
                                const std::string& printer);

/// The same statement, its operands, numbers, steps and targets in the order of its text: so a list
/// that is read has them.
Statement in_text_order(const Statement& s, const ListNames& names);

/// The statement of kind Call, without an end mark.
std::string call_text(const Dialect& dialect, const Statement& statement, const ListNames& names);

/// Any statement as print_statements() writes it, not indented; of an End nothing.
std::string statement_text(const StatementList& list, const Statement& statement,
                           const ListNames& names);

/// An input or output as print_statements() writes it.
std::string binding_text(const Binding& binding, const ListNames& names, bool is_input);

/// The data of a Constant, its element (i, j) in double precision.
double constant_at(const Statement& statement, cudamat::Shape shape, Index i, Index j);
/// np.array([[1, 2], [3, 4]]), every number of it; np.full and np.eye for what they make. Numbers
/// that are not doubles are in quotes, np.array([['0.1']], dtype=np.longdouble).
std::string python_array(const Statement& statement, cudamat::Shape shape);

/// What a data matrix is made of, if it is simple.
struct Pattern {
  enum class Kind : std::uint8_t { None, Equal, Eye } kind = Kind::None;
  double value = 0;  ///< Equal
  Index k = 0;       ///< Eye: its diagonal
};
Pattern pattern_of(const Statement& statement, cudamat::Shape shape);

/// (128, 784), (5,), ()
std::string dims_text(const Dims& dims);
/// Those of a binding: "(3, 2), transposed".
std::string dims_text(const Binding& binding);

}  // namespace rewriter::print
