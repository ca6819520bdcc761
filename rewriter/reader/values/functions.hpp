// The functions and methods of the notation, by name. Internal to the reader.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

struct Row;

struct Call;

/// What runs the program, for functions that call functions which they are given, or that change
/// lists and dictionaries.
class Caller {
 public:
  virtual Value call_value(const Value& callee, Call& made) = 0;
  /// An operator, which objects may define.
  virtual Value binary(ast::Operator op, const Value& left, const Value& right) = 0;
  /// The results for each of these arguments.
  virtual std::vector<Value> apply_each(const Value& function,
                                        const std::vector<std::vector<Value>>& arguments) = 0;
  /// Notes what of the program is ignored.
  virtual void leave_out(const std::string& what) = 0;
  /// A print of a number whose type, int or float, is known only at run time; false of other
  /// prints.
  virtual bool print_either(const Call& call) = 0;
  /// Changes what a list or a dictionary holds, wherever it is held. `work` gets the keys (of a
  /// list none) and the values; `fresh` are those that it puts there.
  virtual void change(const Value& list,
                      const std::function<void(std::vector<Value>&, std::vector<Value>&)>& work,
                      std::span<const Value> fresh = {}) = 0;
  virtual void delete_item(const Value& container, const std::vector<Value>& index) = 0;
  /// Counts the elements that an insertion or a removal moves; raises an error for too many.
  virtual void move_elements(std::size_t count) = 0;
  /// What is put into a container is computed, whether it is read or not.
  virtual void step(const Value& value) = 0;
  /// Which list it is is known only at run time: it is not changed any more, nor are those it may
  /// be.
  virtual void freeze(const Value& list) = 0;
  /// Whether it runs a file of the library: what it computes is in no name of the program.
  [[nodiscard]] virtual bool is_library() const = 0;
  /// Raises NumPy's error for a negative power of integers, at run time if need be.
  virtual void check_power(const Value& base, const Value& exponent) = 0;

 protected:
  ~Caller() = default;
};

/// A call in the program; the array of a method is the first argument.
struct Call {
  std::string name;  ///< "np.sum", "gpu.rand", ".sum", "len"
  std::vector<Value> arguments;
  std::vector<std::pair<std::string, Value>> keywords;
  std::vector<NodePtr>&
      steps;  ///< takes draws and seeds, which happen whether their value is used or not
  std::vector<Value>* written = nullptr;  ///< takes the arrays that the call wrote into
  Caller* caller = nullptr;               ///< null of calls that no program makes
  const Row* row = nullptr;               ///< the function's, in its handler

  /// The arguments by the row's parameters, or what these have without one; null where that is
  /// None. Throws Python's errors.
  [[nodiscard]] std::vector<const Value*> bind() const;
  /// The same as values, which may be None.
  [[nodiscard]] std::vector<Value> values() const;
  /// The result of a function of the program.
  [[nodiscard]] Value apply(const Value& function, std::vector<Value> given) const;
  /// Whether None is given for the parameter.
  [[nodiscard]] bool is_none(std::string_view parameter) const;
  /// The keyword; null if it is absent or None.
  [[nodiscard]] const Value* keyword(std::string_view wanted) const;
  /// The caller, which the function cannot do without.
  [[nodiscard]] Caller& reader() const;
  /// The arguments by parameter name, null if one is absent (or None); the first `required` must be
  /// present. Throws Python's errors otherwise.
  [[nodiscard]] std::vector<const Value*> bind(const std::vector<std::string_view>& parameters,
                                               std::size_t required) const;
};

/// "np." for numpy, "np.random." for numpy.random, "gpu." for gnumpy, "scipy.special." for
/// scipy.special; empty for other modules.
std::string_view module_prefix(std::string_view module);

/// Whether programs may call it: attributes are none.
bool is_function(std::string_view name);

/// All of them, sorted.
std::vector<std::string> function_names();

/// What to use instead of a function that is not supported; empty for others.
std::string_view advice(std::string_view name);

/// Whether Python or NumPy has a function or an attribute of that name that is not supported:
/// "hash", "np.lcm", "np.linalg.eig", ".strides".
bool is_known_elsewhere(std::string_view name);

/// "np.dto is not supported; did you mean np.dot?" Without the question if the name is one of
/// NumPy's, or no name is similar.
std::string unknown_function(std::string_view name);

/// Throws that error: where NumPy has no such function or attribute either, its AttributeError.
[[noreturn]] void refuse_function(std::string_view operation, std::string_view name);

/// Whether the word is in this list, which is separated by spaces.
bool has_word(std::string_view words, std::string_view word);

}  // namespace rewriter
