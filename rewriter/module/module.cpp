// The extension module of the Python package rewriter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <set>
#include <string_view>

#include "cudamat/python/checked.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/module/dispatch.hpp"
#include "rewriter/module/numpy.hpp"
#include "rewriter/module/python.hpp"
#include "rewriter/module/trace.hpp"
#include "rewriter/plan/memory_plan.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/region_report.hpp"
#include "rewriter/text/depth.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rewriter::module {

using cudamat::python::checked;

namespace {

/// What is wrong with a program: ("error", message, line, column, length).
nb::tuple error_of(const ProgramError& error) {
  const SourceLocation at = error.location();
  const Span span = error.span();
  return nb::make_tuple("error", error.message(), at.line, at.column, span.end - span.begin);
}

/// How wide the floats are that an array of this code holds, or its complex numbers' parts; 0 of
/// integers.
int bits_of_floats(char code) {
  const std::string_view codes = "fFdDgG";
  const std::size_t at = codes.find(code);
  return at == codes.npos ? 0 : 32 << at / 2;
}

/// A Conversion, or what is wrong.
nb::object convert(const std::string& name, const std::string& text, const std::string& function,
                   const nb::list& imports, const nb::list& leaves, const std::string& passes,
                   int precision, const std::string& engine, bool keeps_types, bool run_lengths,
                   bool decides, bool ends_at_exceptions, const std::vector<std::string>& objects,
                   const nb::object& outside) {
  ReadOptions options;
  options.run_lengths = run_lengths;
  options.decides_by_values = decides;
  options.draw_bits = precision;
  options.knows_widths = true;
  options.function = function;
  options.returns_selections = true;
  options.raises = true;
  options.ends_at_exceptions = ends_at_exceptions;
  options.objects = objects;
  AskedPython python(outside);
  if (!outside.is_none()) options.python = &python;
  for (const nb::handle each : imports)
    options.imports.push_back({nb::cast<std::string>(each[0]), nb::cast<std::string>(each[1]),
                               nb::cast<std::string>(each[2])});
  std::vector<std::string> names;
  std::set<int> float_bits;
  // (name, kind, value): an array's type and shape, a number that is known or its type.
  for (const nb::handle each : leaves) {
    const auto leaf = nb::cast<std::string>(each[0]);
    const auto kind = nb::cast<std::string>(each[1]);
    names.push_back(leaf);
    if (kind == "scalar") {
      options.scalars.insert(leaf);
      options.scalars.insert({leaf + "_real", leaf + "_imag"});
    }
    if (kind == "scattered") options.scattered.insert({leaf, leaf + "_real", leaf + "_imag"});
    if (kind == "array" || kind == "scattered" || kind == "scalar") {
      const auto code = nb::cast<std::string>(each[2])[0];
      if (const int bits = bits_of_floats(code); bits != 0) {
        float_bits.insert(bits);
        options.float_widths[is_complex(code) ? leaf + "_real" : leaf] = bits;
        options.float_widths[leaf + "_imag"] = bits;
      }
      options.shapes[leaf] = nb::cast<std::vector<Index>>(each[3]);
      if (is_complex(code))
        options.complex.insert(leaf);
      else
        options.dtypes[leaf] = dtype_of(code);
      if (nb::len(each) > 4) options.contents[leaf] = nb::cast<std::vector<double>>(each[4]);
    } else if (kind == "run") {
      options.numbers[leaf] = nb::isinstance<nb::int_>(each[2]) ? DType::Int : DType::Float;
    } else if (nb::isinstance<nb::int_>(each[2])) {
      options.values[leaf] = nb::cast<std::int64_t>(each[2]);
    } else {
      options.values[leaf] = nb::cast<double>(each[2]);
    }
  }
  if (!float_bits.empty()) options.float_bits = float_bits.size() == 1 ? *float_bits.begin() : 0;
  const Source source(name, text);
  const How how{
      .passes = passes, .precision = precision, .engine = engine, .keeps_types = keeps_types};
  check(how);
  try {
    CallNumbers numbers;
    if (!options.numbers.empty()) numbers.reserve();
    Program program = read(source, options);
    std::vector<std::string> by_run;
    for (const auto& [number, type] : options.numbers) by_run.push_back(number);
    if (!by_run.empty()) numbers.take_out_of(program, by_run);
    return nb::cast(std::make_shared<Conversion>(std::move(program), std::move(names), how,
                                                 std::move(numbers)));
  } catch (const ProgramError& error) {
    if (error.is_of_python()) return nb::make_tuple("raises");
    return error_of(error);
  } catch (const ProgramRaises&) {
    return nb::make_tuple("raises");
  } catch (const cudamat::OutOfMemory&) {
    throw;
  } catch (const cudamat::CUDAMatException& error) {  // of the program as a whole
    return nb::make_tuple("error", error.what(), 0, 0, 1);
  }
}

void translate(const std::exception_ptr& error, void*) {
  const auto has = [](const char* text, const char* word) {
    return std::strstr(text, word) != nullptr;
  };
  try {
    std::rethrow_exception(error);
  } catch (const cudamat::OutOfMemory& failure) {
    PyErr_SetString(PyExc_MemoryError, failure.what());
  } catch (const cudamat::CUDAMatException& failure) {
    const char* const text = failure.what();
    if (has(text, "ingular") || has(text, "positive definite") || has(text, "converge")) {
      const nb::object type = nb::module_::import_("numpy").attr("linalg").attr("LinAlgError");
      PyErr_SetString(type.ptr(), text);
    } else {
      PyErr_SetString(has(text, "out of bounds") ? PyExc_IndexError : PyExc_ValueError, text);
    }
  }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Dispatch>(self)->traverse(visit, arg) : 0;
}
int clear(PyObject* self) {
  if (nb::inst_ready(self)) {
    nb::inst_ptr<Dispatch>(self)->let_go();
    nb::inst_ptr<Dispatch>(self)->clear();
  }
  return 0;
}
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

void define_conversion(nb::module_& m) {
  nb::class_<Conversion>(m, "Conversion")
      .def("bind_environment", &Conversion::bind_environment)
      .def("set_catches", &Conversion::set_catches)
      .def("emit",
           [](const Conversion& c, const std::string& form) {
             return print_form(form, c.list(), &c.program(),
                               {.bytes_per_element = c.bytes_per_element()});
           })
      .def("memory",
           [](const Conversion& c) {
             return print_memory_plan(c.list(), memory_plan(c.list(), c.bytes_per_element()));
           })
      .def("memory_fields",
           [](const Conversion& c) {
             const MemoryPlan plan = memory_plan(c.list(), c.bytes_per_element());
             nb::dict fields;
             fields["peak"] = plan.peak;
             fields["inputs"] = plan.inputs;
             fields["lower_bound"] = plan.lower_bound;
             fields["arena"] = plan.arena.bytes;
             fields["formula"] = peak_formula(plan);
             nb::list buffers;
             for (const MemoryPlan::Buffer& buffer : plan.buffers) {
               nb::dict each;
               each["name"] = c.list().variables[buffer.var].name;
               each["bytes"] = buffer.bytes;
               each["offset"] = buffer.offset;
               each["made"] = buffer.made;
               each["freed"] = buffer.freed;
               each["is_input"] = buffer.kind == MemoryPlan::Kind::Input;
               each["is_output"] = buffer.is_output;
               buffers.append(each);
             }
             fields["buffers"] = buffers;
             return fields;
           })
      .def("remarks",
           [](const Conversion& c) {
             nb::list passes;
             for (const PassRun& run : c.passes())
               passes.append(nb::make_tuple(std::string(run.pass->name), run.changed, run.seconds,
                                            print_remarks(run.remarks)));
             return passes;
           })
      .def("regions",
           [](const Conversion& c) {
             return c.engine().starts_with("npmat")
                        ? region_report(c.list(), 8 * c.bytes_per_element())
                        : "";
           })
      .def("_run",
           [](Conversion& c, std::uint64_t seed) {
             std::vector<Leaf> none;
             return c.run(none, seed);
           })
      .def("_tree_values", &Conversion::tree_values)
      .def("left_out", [](const Conversion& c) { return c.program().left_out; })
      .def_prop_ro("engine", [](const Conversion& c) { return c.engine(); })
      .def_prop_ro("warnings",
                   [](const Conversion& c) {
                     nb::list lines;
                     for (const auto& [line, text] : c.warnings())
                       lines.append(nb::make_tuple(line, text));
                     return lines;
                   })
      .def_prop_ro("wants_doubles", [](const Conversion& c) { return c.wants_doubles(); })
      .def_prop_ro("draws", [](const Conversion& c) { return c.draws(); })
      .def_prop_ro("leaf_names", [](const Conversion& c) { return c.leaf_names(); });
}

void define_dispatch(nb::module_& m) {
  m.attr("KNOWN_CODES") = kKnownCodes;
  m.attr("MOST_KNOWN") = kMostKnown;
  m.attr("KNOWN_FLOATS") = kKnownFloats;
  m.attr("MOST_KNOWN_FLOATS") = kMostKnownFloats;
  m.attr("DEEPEST") = kDeepest;
  m.attr("EXACT") = static_cast<std::int64_t>(kExact);
  const auto each_time = [](nb::handle self, int repeat, const nb::args& args,
                            const nb::kwargs& kwargs) {
    std::vector<Leaf> leaves;
    nb::tuple held;
    Dispatch& dispatch = checked<Dispatch>(self);
    const auto conversion = dispatch.find(self, args, kwargs, leaves, held);
    nb::list rows;
    if (conversion == nullptr) return nb::object(nb::none());
    for (const StatementTime& time : conversion->time(leaves, dispatch.seed(), repeat))
      rows.append(nb::make_tuple(time.times, time.seconds, time.bytes, time.flops));
    return nb::object(nb::make_tuple(conversion, rows));
  };
  nb::class_<Dispatch>(m, "Dispatch", nb::type_slots(slots), nb::is_weak_referenceable())
      .def(nb::init<>())
      .def("_set_parameters", &Dispatch::set_parameters)
      .def("_set_signature_in_python", &Dispatch::set_signature_in_python)
      .def("_watch", &Dispatch::watch)
      .def("__call__",
           [](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
             return checked<Dispatch>(self).call(self, args, kwargs);
           })
      .def("_find",
           [](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
             std::vector<Leaf> leaves;
             nb::tuple held;
             return checked<Dispatch>(self).find(self, args, kwargs, leaves, held);
           })
      .def("_times", each_time)
      .def_prop_rw("_seed", &Dispatch::seed, &Dispatch::set_seed)
      .def_prop_ro("_size", &Dispatch::size)
      .def("_clear", &Dispatch::clear);
}

/// The numbers of a matrix from the stream that statements draw from, as they are in memory.
template <class T>
nb::bytes drawn(bool normal, Index rows, Index cols) {
  const std::lock_guard turn(engine_stream());
  auto matrix = npmat::CUDAMatrix<T>::empty({rows, cols});
  if (normal)
    matrix.fill_with_randn();
  else
    matrix.fill_with_rand();
  return nb::bytes(matrix.data(), static_cast<std::size_t>(rows * cols) * sizeof(T));
}

nb::bytes draw(const std::string& type, bool normal, Index rows, Index cols) {
  return type == "float32"   ? drawn<float>(normal, rows, cols)
         : type == "float64" ? drawn<double>(normal, rows, cols)
                             : drawn<long double>(normal, rows, cols);
}

void seed_draws(std::uint64_t seed) {
  const std::lock_guard turn(engine_stream());
  npmat::CUDAMatrix<float>::init_random(seed);
  npmat::CUDAMatrix<double>::init_random(seed);
  npmat::CUDAMatrix<long double>::init_random(seed);
}

}  // namespace
}  // namespace rewriter::module

NB_MODULE(_rewriter, m) {
  using namespace rewriter::module;
  m.doc() = "NumPy programs as Cudamat statements.";
  nb::set_leak_warnings(false);  // a daemon's thread may hold what it runs to the end
  nb::register_exception_translator(translate);
  const auto version = nb::cast<std::string>(numpy("__version__"));
  rewriter::set_numpy_version(version.starts_with("1.") ? 1 : 2);
  define_conversion(m);
  define_dispatch(m);
  define_trace(m);
  m.def("convert", &convert, "name"_a, "text"_a, "function"_a, "imports"_a, "leaves"_a, "passes"_a,
        "precision"_a, "engine"_a, "keeps_types"_a = false, "run_lengths"_a = true,
        "decides"_a = false, "ends_at_exceptions"_a = false,
        "objects"_a = std::vector<std::string>(), "outside"_a = nb::none());
  m.def("_draw", &draw);
  m.def("_seed_draws", &seed_draws);
  m.def("_at_exit", &at_exit);
  nb::module_::import_("atexit").attr("register")(m.attr("_at_exit"));
  m.def("code_of", [](nb::handle array) {
    Buffer buffer;
    return buffer.take(array.ptr()) ? std::string(1, buffer.code()) : std::string();
  });
}
