// A converted function, as Python calls it: finds the statements for the shapes and types of the
// arguments.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "rewriter/module/conversion.hpp"

namespace rewriter::module {

/// Types of arrays on whose contents a function may be specialised, and their maximum number of
/// elements.
inline constexpr const char* kKnownCodes = "?bBhHiIlLqQ";
inline constexpr Py_ssize_t kMostKnown = 1 << 16;
/// The same of arrays of floats, which is the last way to convert a function.
inline constexpr const char* kKnownFloats = "fd";
inline constexpr Py_ssize_t kMostKnownFloats = 1 << 12;
/// Ints below 2^53 are exact floating-point numbers.
inline constexpr double kExact = 9007199254740992.0;

/// The base class of rewriter.Converted, whose methods do what is done once:
///
///   _bind(args, kwargs)       the tuple of arguments, of calls that are not plain
///   _refresh()                the function's environment has changed: calls watch()
///   _convert(values, family, may_wait)  what was not seen before: (Conversion or None, flags,
///                             stores, by_contents). The flags say of each number among the
///                             arguments whether the run reads it; without a conversion Python runs
///                             the function: with a fifth item so many times more, if the
///                             conversion may wait
///   _python(args, kwargs)     does that
///   _first_in_python(args, kwargs)  does that as long as a conversion waits
///   _again(conversion, seed, printed, args, kwargs)  does that after a run that has printed this
///                             and ended with an exception
///   _on_garrays(args, kwargs) of calls with gnumpy's arrays, which it makes NumPy's
///   _stored(values, result)   of a conversion with changed containers: the call's result
///
/// A conversion is found by what `describe` makes of the arguments. All methods need the
/// interpreter's lock, which guards what is here.
class Dispatch {
 public:
  /// `parameters` can be given by position or by name, and there are no others; `defaults` are
  /// those of the last parameters.
  void set_parameters(const std::vector<std::string>& parameters, const nb::tuple& defaults);
  /// All calls use _bind.
  void set_signature_in_python() { plain_ = false; }
  /// The outside names of the function: `fixed` are (dict or cell, name, object) that must not
  /// change, or (dict, name) that nothing has yet; `data` (dict or cell, name) are read at each
  /// call, after the arguments.
  void watch(const nb::list& fixed, const nb::list& data, const std::string& environment);

  nb::object call(nb::handle self, const nb::args& args, const nb::kwargs& kwargs);
  /// The conversion for these arguments, made if necessary, and the leaves of the call.
  std::shared_ptr<Conversion> find(nb::handle self, const nb::args& args, const nb::kwargs& kwargs,
                                   std::vector<Leaf>& leaves, nb::tuple& held);

  void set_seed(std::uint64_t seed) { seed_ = seed; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// The number of conversions.
  [[nodiscard]] std::size_t size() const;
  void clear();

  int traverse(visitproc visit, void* arg) const;
  /// Releases the Python objects.
  void let_go();

 private:
  struct Place {
    PyObject* holder = nullptr;    ///< a dict, a cell, or the __dict__ of a class
    PyObject* name = nullptr;      ///< None: `expected` is how many there are
    PyObject* expected = nullptr;  ///< null: data, or of what is fixed a name that is not there
  };
  static constexpr int kForGood = -1;
  struct Entry {
    std::shared_ptr<Conversion> conversion;  ///< null: Python runs it
    bool stores = false;
    std::vector<nb::object> held{};  ///< objects of the key
    int waits = kForGood;            ///< for so many more calls, which Python runs
  };
  /// Calls that differ only in numbers.
  struct Family {
    std::size_t number = 0;
    std::vector<bool> read_by_run{};
    /// What arrays hold tells conversions apart: 1: those of ints, 2: those of floats, too.
    int by_contents = 0;
    std::unordered_map<std::string, Entry> entries{};
  };
  struct Call;

  static PyObject* found(const Place& place);
  nb::object slots_of(PyTypeObject* type);
  bool bind(const nb::args& args, const nb::kwargs& kwargs, std::vector<PyObject*>& values) const;
  void prepare(nb::handle self, const nb::args& args, const nb::kwargs& kwargs, Call& call);
  Entry& entry_for(nb::handle self, Call& call, bool may_wait);
  const Entry* prepared(nb::handle self, const nb::args& args, const nb::kwargs& kwargs, Call& call,
                        bool may_wait);

  std::vector<nb::object> parameters_;
  std::vector<nb::object> defaults_;  ///< by parameter; null: none
  bool plain_ = true;
  std::vector<Place> fixed_;
  std::vector<Place> data_;
  std::string environment_;
  std::unordered_map<std::string, Family> families_;
  std::size_t families_made_ = 0;
  /// What Python has said of types, and these.
  std::unordered_map<PyTypeObject*, std::pair<nb::object, nb::object>> slots_;
  std::uint64_t seed_ = 0;
};

}  // namespace rewriter::module
