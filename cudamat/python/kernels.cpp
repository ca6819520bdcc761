// SourceModule, ElementwiseKernel, ReductionKernel, and what marks their arguments.
#include "cudamat/python/kernels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "cudamat/kernels/interrupt.hpp"
#include "cudamat/kernels/signature.hpp"

namespace cudamat::python {

using nb::literals::operator""_a;

namespace {

/// Whether Ctrl-C raises KeyboardInterrupt here: in the main thread, with Python's own handler.
bool may_interrupt() {
  const nb::module_ threading = nb::module_::import_("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  const nb::module_ signal = nb::module_::import_("signal");
  return signal.attr("getsignal")(signal.attr("SIGINT")).is(signal.attr("default_int_handler"));
}

/// f(), while other threads of Python run. What Ctrl-C has ended, a kernel or a compiler, ends
/// with KeyboardInterrupt, whose text is the report of where the kernel was. may: what
/// may_interrupt() said.
template <class F>
decltype(auto) interruptible(bool may, const F& f) {
  try {
    const nb::gil_scoped_release other_threads_run;
    std::optional<kernels::InterruptScope> scope;
    if (may) scope.emplace();
    return f();
  } catch (const kernels::KernelInterrupted& interrupted) {
    if (PyErr_CheckSignals() != 0) PyErr_Clear();
    PyErr_SetString(PyExc_KeyboardInterrupt, interrupted.what());
    throw nb::python_error();
  } catch (const CUDAMatException&) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    throw;
  }
}

template <class F>
decltype(auto) interruptible(const F& f) {
  return interruptible(may_interrupt(), f);
}

/// f(), which launches kernels with these arguments.
template <class F>
void launch(KernelArguments& arguments, const F& f) {
  const bool may = may_interrupt();
  Reached reached;  // from here on Python does not run before them
  interruptible(may, [&] {
    const kernels::ReachableScope scope(reached.memories());
    f();
  });
  arguments.finish(reached);
}

Index whole(const std::string& kernel, const char* what, nb::handle object, nb::handle item) {
  const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
  Index value = 0;
  if (index.is_valid() && nb::try_cast(index, value)) return value;
  PyErr_Clear();
  throw nb::type_error(fmt::format("[{}] {} must be one to three integers; got {}", kernel, what,
                                   nb::cast<std::string>(nb::repr(object)))
                           .c_str());
}

/// Of (x, y, z), (x, y), (x,), or x.
Extent3 extent(const std::string& kernel, const char* what, nb::handle object) {
  if (object.is_none())
    throw nb::type_error(
        fmt::format("[{}] {}=(x, y, z) must be given: how many {}", kernel, what,
                    std::string_view(what) == "block" ? "threads a block has" : "blocks there are")
            .c_str());
  if (PySequence_Check(object.ptr()) == 0) return {whole(kernel, what, object, object)};
  Extent3 extent;
  Index* const extents[] = {&extent.x, &extent.y, &extent.z};
  const nb::object items = nb::steal(PySequence_Fast(object.ptr(), ""));
  if (!items.is_valid()) throw nb::python_error();
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
  if (n < 1 || n > 3) (void)whole(kernel, what, object, object);
  for (Py_ssize_t k = 0; k < n; ++k)
    *extents[k] = whole(kernel, what, object, PySequence_Fast_GET_ITEM(items.ptr(), k));
  return extent;
}

void call(const KernelFunction& function, nb::handle given, nb::handle block, nb::handle grid,
          Index shared) {
  const std::string& name = function.name();
  const Launch extents{extent(name, "block", block), extent(name, "grid", grid), shared};
  KernelArguments arguments(name, function.parameters(), given);
  launch(arguments, [&] { function.run(extents, arguments.all()); });
}

std::string signature(const KernelFunction& function) {
  return kernels::describe(function.name(), function.parameters());
}

nb::tuple memory_info() {
#ifdef CUDAMAT_PYTHON_CUDA
  if (std::string_view(kernels_run_on()) == "the GPU") {
    const std::int64_t free = cuda::free_memory();
    return nb::make_tuple(free, free + cuda::memory_in_use() + cuda::cached_memory());
  }
#endif
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return nb::make_tuple(static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
                        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page);
}

/// Multiprocessors and kilohertz. The CPU runs a block at a time; its kernels' clock counts
/// nanoseconds.
nb::tuple device_speed() {
#ifdef CUDAMAT_PYTHON_CUDA
  if (std::string_view(kernels_run_on()) == "the GPU")
    return nb::make_tuple(cuda::multiprocessors(), cuda::clock_rate());
#endif
  return nb::make_tuple(1, 1000000);
}

template <Direction D>
void def_directed(nb::module_& m, const char* name, const char* doc) {
  using Class = Directed<D>;
  const std::string init = "def __init__(self, array: typing.Any) -> None";
  nb::class_<Class>(m, name, doc)
      .def(
          "__init__", [](Class* place, nb::object array) { new (place) Class{std::move(array)}; },
          "array"_a, nb::sig(init.c_str()))
      .def_ro("array", &Class::array);
}

// ---- reductions ----

using AnyReduction = std::variant<ReductionKernel<float>, ReductionKernel<double>,
                                  ReductionKernel<int>, ReductionKernel<unsigned>,
                                  ReductionKernel<long long>, ReductionKernel<unsigned long long>>;

struct Reduction {
  AnyReduction kernel;
  nb::object dtype;
};

template <class T>
AnyReduction make_reduction(const std::string& neutral, const std::string& reduce,
                            const std::string& map, const std::string& arguments,
                            const std::string& name, bool check, const std::string& preamble) {
  return interruptible([&] {
    return AnyReduction(ReductionKernel<T>(neutral, reduce, map, arguments, name, check, preamble));
  });
}

void construct_reduction(Reduction* place, nb::handle dtype_out, const std::string& neutral,
                         const std::string& reduce, const std::string& map,
                         const std::string& arguments, const std::string& name,
                         const std::string& preamble, bool check) {
  const std::string dtype =
      dtype_name("ReductionKernel", dtype_out, "float32 float64 int32 uint32 int64 uint64");
  const auto make = dtype == "float32"   ? make_reduction<float>
                    : dtype == "float64" ? make_reduction<double>
                    : dtype == "int32"   ? make_reduction<int>
                    : dtype == "uint32"  ? make_reduction<unsigned>
                    : dtype == "int64"   ? make_reduction<long long>
                                         : make_reduction<unsigned long long>;
  AnyReduction kernel = make(neutral, reduce, map, arguments, name, check, preamble);
  new (place) Reduction{std::move(kernel), numpy().attr(dtype.c_str())};
}

nb::object reduce(const Reduction& self, nb::args given) {
  return std::visit(
      [&](const auto& kernel) {
        KernelArguments arguments(kernel.name(), kernel.parameters(), given);
        decltype(kernel.run(arguments.all())) result{};
        launch(arguments, [&] { result = kernel.run(arguments.all()); });
        return self.dtype(result);
      },
      self.kernel);
}

// ---- the classes ----

void def_modules(nb::module_& m) {
  nb::class_<KernelFunction>(
      m, "KernelFunction",
      "A kernel of a SourceModule. Call it with its arguments, and block=, grid= and "
      "shared=.")
      .def(
          "__call__",
          [](const KernelFunction& self, nb::args arguments, nb::handle block, nb::handle grid,
             Index shared) { call(self, arguments, block, grid, shared); },
          "args"_a, "block"_a = nb::none(), "grid"_a = nb::make_tuple(1), "shared"_a = 0,
          nb::sig("def __call__(self, *args: typing.Any, block: int | collections.abc.Sequence[int]"
                  ", grid: int | collections.abc.Sequence[int] = (1,), shared: int = 0) -> None"),
          "Runs the kernel. The argument for a pointer is a CUDAMatrix, column by column, a "
          "garray, In(array),\n"
          "Out(array) or InOut(array). The argument for a number is a Python or NumPy "
          "number that the parameter's type\n"
          "can represent; real numbers are rounded. block is the size of a block in "
          "threads, grid the size of the grid\n"
          "in blocks, shared the bytes of `extern __shared__` arrays.\n"
          "Raises CUDAMatException or TypeError for misuse, before it runs, and KernelFault "
          "for a fault while it runs on\n"
          "the CPU; arrays are then unchanged.")
      .def_prop_ro("name", [](const KernelFunction& self) { return self.name(); })
      .def_prop_ro("signature", &signature, "\"multiply_them(float* dest, float* a, float* b)\"")
      .def("__repr__",
           [](const KernelFunction& self) { return fmt::format("<kernel {}>", signature(self)); });
  nb::class_<SourceModule>(
      m, "SourceModule",
      "Compiles CUDA C++ source: for a GPU by NVRTC; without a GPU, or with check=True, "
      "for the CPU by the system's\n"
      "compiler. On the CPU kernels run thread by thread, and every memory access is "
      "checked. options are \"-DNAME\"\n"
      "and \"-DNAME=VALUE\"; name is the name of the source in messages.\n"
      "Raises CUDAMatException with the compiler's messages if the source does not "
      "compile.")
      .def(
          "__init__",
          [](SourceModule* place, const std::string& source, bool check,
             const std::vector<std::string>& options, const std::string& name) {
            SourceModule module = interruptible([&] {
              return SourceModule(source, {.check = check, .flags = options, .name = name});
            });
            new (place) SourceModule(std::move(module));
          },
          "source"_a, nb::kw_only(), "check"_a = false, "options"_a = std::vector<std::string>(),
          "name"_a = "kernel.cu",
          nb::sig("def __init__(self, source: str, *, check: bool = False, options: "
                  "collections.abc.Sequence[str] = (), name: str = ...) -> None"))
      .def("get_function", &SourceModule::get_function, "name"_a,
           "The kernel with this name in the source; \"scale<float>\" for an instance of a "
           "template.")
      .def_prop_ro("functions", &SourceModule::functions, "The names of its kernels.");
  m.def(
      "kernels_run_on", [] { return kernels_run_on(); },
      "\"the GPU\" or \"the CPU\": where kernels without matrices run.");
  m.def("_memory_info", &memory_info, "Free bytes and all, of the device that kernels run on.");
  m.def("_device_speed", &device_speed, "Its multiprocessors, and its clock's kilohertz.");
}

void def_expressions(nb::module_& m) {
  nb::class_<ElementwiseKernel>(
      m, "ElementwiseKernel",
      "ElementwiseKernel(\"float a, float *x, float *y, float *z\", \"z[i] = a*x[i] + "
      "y[i]\"): one pass over arrays with the\n"
      "same number of elements n. operation is one or several C++ statements for the "
      "index i; preamble is source that\n"
      "precedes the kernel. Call it with its arguments, like a KernelFunction.")
      .def(
          "__init__",
          [](ElementwiseKernel* place, const std::string& arguments, const std::string& operation,
             const std::string& name, const std::string& preamble, bool check) {
            ElementwiseKernel kernel = interruptible(
                [&] { return ElementwiseKernel(arguments, operation, name, check, preamble); });
            new (place) ElementwiseKernel(std::move(kernel));
          },
          "arguments"_a, "operation"_a, "name"_a = "kernel", nb::kw_only(), "preamble"_a = "",
          "check"_a = false)
      .def(
          "__call__",
          [](const ElementwiseKernel& self, nb::args given) {
            KernelArguments arguments(self.name(), self.parameters(), given);
            launch(arguments, [&] { self.run(arguments.all()); });
          },
          "args"_a, nb::sig("def __call__(self, *args: typing.Any) -> None"));
  nb::class_<Reduction>(
      m, "ReductionKernel",
      "ReductionKernel(np.float32, \"0\", \"a+b\", \"x[i]*y[i]\", \"float *x, float "
      "*y\"): reduces arrays with the same number\n"
      "of elements to a NumPy number. map_expr is computed for every index i; "
      "reduce_expr combines two values a and b;\n"
      "neutral is the initial value. Every run gives the same bits. dtype_out is "
      "float32, float64, int32, uint32, int64\n"
      "or uint64.")
      .def("__init__", &construct_reduction, "dtype_out"_a, "neutral"_a, "reduce_expr"_a,
           "map_expr"_a, "arguments"_a, "name"_a = "reduce_kernel", nb::kw_only(),
           "preamble"_a = "", "check"_a = false,
           nb::sig("def __init__(self, dtype_out: numpy.typing.DTypeLike, neutral: str, "
                   "reduce_expr: str, map_expr: str, arguments: str, name: str = "
                   "'reduce_kernel', *, preamble: str = '', check: bool = False) -> None"))
      .def("__call__", &reduce, "args"_a,
           nb::sig("def __call__(self, *args: typing.Any) -> typing.Any"));
}

}  // namespace

void def_kernels(nb::module_& m) {
  def_directed<Direction::In>(m, "In", "An array of the host that a kernel reads.");
  def_directed<Direction::Out>(
      m, "Out",
      "An array of the host that a kernel writes; reading elements that it has not "
      "written is a fault. Elements that it\n"
      "does not write keep their values on the CPU, and are unspecified on a GPU.");
  def_directed<Direction::InOut>(m, "InOut",
                                 "An array of the host that a kernel reads and writes.");
  def_modules(m);
  def_expressions(m);
  def_kernel_memory(m);
}

}  // namespace cudamat::python
