// A converted program: its statements, ready to run on Python objects.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cudamat/python/stable_abi.hpp"
#include "npmat/npmat.hpp"
#include "rewriter/expr/program.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/module/buffer.hpp"
#include "rewriter/module/call_numbers.hpp"
#include "rewriter/module/whole_numbers.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/run/run.hpp"

namespace rewriter::module {

namespace nb = nanobind;

/// An array or a number among the arguments of a call.
struct Leaf {
  PyObject* object = nullptr;  ///< borrowed
  bool is_array = false;
  Buffer buffer{};    ///< of an array
  double number = 0;  ///< else
};

/// A list on an engine, independent of its types.
class Runnable {
 public:
  Runnable() = default;
  virtual ~Runnable() = default;
  Runnable(const Runnable&) = delete;
  Runnable& operator=(const Runnable&) = delete;
  /// PreparedList::run. One thread at a time.
  virtual void run(std::span<const void* const> inputs, std::span<void* const> outputs,
                   const RunOptions& options) = 0;
};

/// The options of a conversion.
struct How {
  std::string passes = "default";
  int precision = 64;           ///< bits
  std::string engine = "auto";  ///< or npmat or cudamat
  bool keeps_types = false;     ///< results have NumPy's types, as far as the precision has them
};

/// Throws for unknown passes, precisions and engines.
void check(const How& how);

/// The times of a run, by statement.
struct StatementTime {
  std::int64_t times = 0;
  double seconds = 0;
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
};

/// Call this before the interpreter ends: code that still runs in other threads then never returns
/// to it.
void at_exit();

/// Locked by runs that draw, which take turns, because an engine has one stream.
std::mutex& engine_stream();

/// A run has ended with an exception, after which the caller's arguments are as they were before.
struct Undone {
  std::string printed;  ///< by the run
};

class Interrupts;

class Conversion {
 public:
  /// `leaves`: the name of the input of each leaf; for a complex array the common part of both
  /// names; empty if the program does not read it. `numbers`: numbers that are computed before the
  /// run. Requires the interpreter lock.
  Conversion(Program program, std::vector<std::string> leaves, const How& how,
             CallNumbers numbers = {});

  /// Runs on the leaves of a call, which must have the shapes and types of the conversion. Releases
  /// the interpreter lock while it computes. `arguments`: returned containers are compared with
  /// these.
  /// `objects`: the caller's, as Program::objects.
  /// `undoes`: throws Undone for an exception of a statement, but for the end of the memory, where
  /// what the run has written can be undone.
  nb::object run(std::vector<Leaf>& leaves, std::uint64_t seed,
                 std::span<PyObject* const> objects = {}, bool undoes = false);
  /// Whether the program may catch exceptions.
  void set_catches(bool catches) { catches_ = catches; }
  /// Runs `repeat` times: the median time of each statement.
  std::vector<StatementTime> time(std::vector<Leaf>& leaves, std::uint64_t seed, int repeat);

  /// The values of the outputs by direct evaluation of the tree, by name. Needs no arguments.
  nb::dict tree_values(std::uint64_t seed);

  /// A weak reference to the object that makes the exceptions of a run: exception(type, text,
  /// line).
  void bind_environment(nb::object reference) { environment_ = std::move(reference); }

  /// Binds the last leaves to these arrays in every call.
  void bind(std::vector<nb::object> arrays) { bound_ = std::move(arrays); }

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const StatementList& list() const { return list_; }
  [[nodiscard]] const std::vector<PassRun>& passes() const { return passes_; }
  [[nodiscard]] int bytes_per_element() const { return bytes_; }
  [[nodiscard]] const std::string& engine() const { return engine_; }
  /// Whether it runs in 32 bits, and returns an array that is float64 in NumPy or may round
  /// integers.
  [[nodiscard]] bool wants_doubles() const { return wants_doubles_; }
  [[nodiscard]] bool draws() const { return draws_; }
  /// Of loops that are unrolled, and integers that may be rounded.
  [[nodiscard]] const std::vector<UnrolledWarning>& warnings() const { return warnings_; }
  [[nodiscard]] const std::vector<std::string>& leaf_names() const { return leaves_; }

 private:
  struct Input {
    std::size_t leaf = 0;
    int part = 0;                         ///< 1: imaginary
    std::optional<std::size_t> number{};  ///< no leaf but this one of CallNumbers
  };
  struct Output {
    bool wanted = false;  ///< for a returned value, or for a caller's array
    Code code = 0;        ///< of the array that holds it
    std::int64_t size = 0;
    std::optional<Input> leaf{};  ///< the caller's array that it is written to
    nb::object shape{};
    std::optional<Input> is_input{};  ///< a number that is computed before the run
    bool counts = false;              ///< it is np.arange(size)
  };
  /// A complex array of two outputs.
  struct Joined {
    std::size_t real = 0, imag = 0;  ///< outputs
    Code code = 0;
  };
  /// A number that the run computed, in its precision or, as Python has it, in double.
  struct Result {
    long double value = 0;
    Code computed_in = 0;
  };
  template <class T>
  struct Memory;
  class Before;

  /// What the body makes of a null pointer to the type of the computation.
  template <class Body>
  auto in_precision(const Body& body) const {
    return floating_ == 'f'   ? body(static_cast<float*>(nullptr))
           : floating_ == 'd' ? body(static_cast<double*>(nullptr))
                              : body(static_cast<long double*>(nullptr));
  }
  template <class T>
  nb::object run_as(std::vector<Leaf>& leaves, std::uint64_t seed,
                    std::span<PyObject* const> objects, bool undoes);
  /// The memory of the list's inputs; null for those that are read `in_strips`.
  template <class T>
  std::vector<const void*> read_inputs(std::vector<Leaf>& leaves,
                                       std::vector<npmat::CUDAMatrix<T>>& read,
                                       const std::vector<double>& numbers, bool in_strips);
  /// What CallNumbers has for these leaves.
  [[nodiscard]] std::vector<double> numbers_of(const std::vector<Leaf>& leaves) const;
  template <class T>
  nb::dict tree_values_as(std::uint64_t seed);
  /// Data of the list's inputs.
  template <class T>
  std::map<std::string, npmat::Array<T>> values_of_inputs(const std::vector<Leaf>& leaves) const;
  /// Of the list's outputs, then the program's steps.
  [[nodiscard]] std::vector<NodePtr> roots() const;
  void add_bound(std::vector<Leaf>& leaves) const;
  /// The argument that has an input's elements.
  [[nodiscard]] Input input_of(const std::string& name) const;
  void bind_inputs();
  void bind_outputs();
  void want(const Program::Returned& returned);
  bool want_joined(const Program::Returned& real, const Program::Returned& imag);
  /// Of a Selected: whether it is the positions where its mask is true.
  [[nodiscard]] bool is_nonzero(const Program::Returned& selected) const;
  [[nodiscard]] const Joined* joined_of(std::size_t real, std::size_t imag) const;
  /// The type of a result of floats: the run's, unless it narrows to NumPy's.
  [[nodiscard]] Code floating_code(const Program::Returned& returned) const;
  [[nodiscard]] std::size_t output_of(const std::string& name) const;
  void look_for_integers();
  void check_leaves(const std::vector<Leaf>& leaves) const;
  /// Of the list's inputs, what the call has as numbers.
  [[nodiscard]] std::vector<std::optional<double>> input_numbers(
      const std::vector<Leaf>& leaves, const std::vector<double>& made) const;
  using Idle = std::vector<std::unique_ptr<Runnable>>;
  /// Runs the list on an idle runnable, or on a new one, which is idle then. `numbers` of the
  /// options: by input, whether each call has it as a number.
  void run_idle(const StatementList& list, Idle& idle, std::span<const void* const> inputs,
                std::span<void* const> outputs, const RunOptions& options);
  std::unique_ptr<Runnable> new_runnable(const StatementList& list,
                                         std::span<const std::optional<double>> numbers) const;
  /// Prepares the list for compute_in_strips(), if it is one for it.
  void cut_into_strips();
  /// Whether these leaves are to be computed in strips: some arrays are not of the run's type.
  [[nodiscard]] bool computes_in_strips(const std::vector<Leaf>& leaves) const;
  /// Runs the list on some elements after others, which are read and written in the arrays' own
  /// types meanwhile: what is in between stays in the cache.
  template <class T>
  void compute_in_strips(const std::vector<Leaf>& leaves, std::span<const void* const> inputs,
                         const Memory<T>& memory, std::span<const std::optional<double>> numbers);
  template <class T>
  class StripRun;
  /// Whether whole numbers make each output of all elements of these leaves.
  [[nodiscard]] bool computes_totals(const std::vector<Leaf>& leaves);
  /// Writes them to the places. False: one may be inexact, and the list is to run.
  template <class T>
  bool compute_totals(const std::vector<Leaf>& leaves, std::span<void* const> places);
  /// The list in integers, if it is one of whole numbers; made at the first run.
  const std::optional<WholeNumbers>& whole_numbers(const std::vector<Leaf>& leaves);
  /// False: a number is beyond the integers of a double.
  bool compute_in_integers(const WholeNumbers& whole, const std::vector<Leaf>& leaves,
                           std::span<void* const> outputs, Interrupts& interrupts) const;
  void compute(std::span<const void* const> inputs, std::span<void* const> outputs,
               const RunOptions& options);
  /// Raises it in Python.
  [[noreturn]] void raise(const Raised& raised) const;
  /// The work; what the program raises in it is Python's exception.
  template <class Work>
  auto raising(const Work& work) const {
    try {
      return work();
    } catch (const Raised& raised) {
      raise(raised);
    }
  }
  /// What a run has made.
  struct Made {
    const std::vector<nb::object>& arrays;
    const std::vector<Result>& numbers;
    const std::vector<Leaf>& leaves;
    const std::vector<nb::object>& joined;         ///< complex arrays
    std::map<std::int64_t, nb::object> objects{};  ///< by number
    std::map<std::uint64_t, nb::object> lists{};   ///< and dictionaries, by number
  };
  nb::object value_of(const Program::Returned& returned, Made& made) const;
  /// Of a list or a dictionary a new one.
  nb::object new_value(const Program::Returned& returned, Made& made) const;
  nb::object object_of(const Program::Returned& returned, Made& made) const;
  nb::object container_of(const Program::Returned& returned, Made& made) const;
  nb::object input_value(const Program::Returned& returned, const Made& made) const;
  nb::object selected_value(const Program::Returned& returned, Made& made) const;
  nb::object complex_value(const Program::Returned& returned, Made& made) const;
  /// Writes the attributes that have changed.
  void write_objects(Made& made) const;

  Program program_;
  CallNumbers numbers_;
  std::vector<std::string> leaves_;
  std::vector<UnrolledWarning> warnings_;
  std::vector<nb::object> bound_;
  nb::object environment_;
  StatementList list_;
  std::vector<PassRun> passes_;
  int bytes_ = 8;
  Code floating_ = 'd';
  bool keeps_types_ = false;
  bool wants_doubles_ = false;
  bool gpu_ = false;
  std::string engine_;
  bool draws_ = false;
  bool prints_ = false;
  [[nodiscard]] bool misses_prints() const;
  bool catches_ = false;
  bool may_raise_ = false;       ///< other than by indices out of bounds
  bool may_miss_ = false;        ///< by these
  std::vector<Input> inputs_;    // by the list's
  std::vector<Output> outputs_;  // by the list's
  std::vector<Joined> joined_;
  std::vector<bool> overwritten_;
  Index totalled_ = 0;  // elements of the arrays of a list that makes a number each of all
  Index elements_ = 0;  // of the arrays of a list that may be computed in strips
  StatementList strip_, rest_;
  std::optional<std::optional<WholeNumbers>> whole_;  // once that is known
  std::mutex mutex_;
  Idle idle_, idle_strips_, idle_rests_;  // of list_, strip_, rest_
};

}  // namespace rewriter::module
