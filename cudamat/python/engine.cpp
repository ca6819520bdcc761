// Which engine and type new matrices have, and what only that engine knows.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cudamat/python/matrix.hpp"
#include "cudamat/use_gpu.hpp"

namespace cudamat::python {

using nb::literals::operator""_a;

namespace {

struct Choice {
  bool chosen = false;
  bool gpu = false;
  bool is_double = false;
};
Choice choice;

bool has_gpu() {
#ifdef CUDAMAT_PYTHON_CUDA
  return cuda::device_count() > 0;
#else
  return false;
#endif
}

void require_gpu([[maybe_unused]] std::string_view who) {
#ifdef CUDAMAT_PYTHON_CUDA
  cuda::require_device();
#else
  misuse(who, "asks for a GPU, but this package was built without the CUDA engine");
#endif
}

const Choice& chosen() {
  if (choice.chosen) return choice;
  const UseGpu use = use_gpu();
  if (use == UseGpu::Yes) require_gpu("GNUMPY_USE_GPU");
  choice.gpu = use != UseGpu::No && has_gpu();
  choice.chosen = true;
  return choice;
}

template <class F>
auto with_engine(bool gpu, bool is_double, const F& f) {
#ifdef CUDAMAT_PYTHON_CUDA
  if (gpu)
    return is_double ? f(std::type_identity<CUDAMatrix<double>>())
                     : f(std::type_identity<CUDAMatrix<float>>());
#else
  (void)gpu;
#endif
  return is_double ? f(std::type_identity<npmat::CUDAMatrix<double>>())
                   : f(std::type_identity<npmat::CUDAMatrix<float>>());
}

const char* engine_name() {
  return with_engine(chosen().gpu, chosen().is_double,
                     [](auto type) { return decltype(type)::type::engine::name(); });
}

/// A line for each thing to know where something does not work.
std::vector<std::string> describe() {
  std::vector<std::string> lines{std::string("engine: ") + engine_name()};
#ifdef CUDAMAT_PYTHON_CUDA
  lines.push_back("GPU: " + cuda::describe_device());
  for (const std::string& library : cuda::describe_libraries()) lines.push_back("CUDA: " + library);
#else
  lines.emplace_back("GPU: not used; this package was built without the CUDA engine");
#endif
  return lines;
}

void use(const std::string& engine, nb::handle dtype) {
  Choice next = choice;
  if (engine == "gpu") {
    require_gpu("use");
    next.gpu = true;
  } else if (engine == "cpu") {
    next.gpu = false;
  } else if (engine == "auto") {
    next.gpu = has_gpu();
  } else {
    misuse("use", "engine must be 'auto', 'cpu' or 'gpu'; got '{}'", engine);
  }
  next.chosen = true;
  if (!dtype.is_none()) next.is_double = dtype_name("use", dtype, "float32 float64") == "float64";
  choice = next;
}

void init_random(std::uint64_t seed) {
  for (const bool is_double : {false, true})
    with_engine(chosen().gpu, is_double,
                [&](auto type) { decltype(type)::type::init_random(seed); });
}

}  // namespace

Any make_empty(std::string_view op, Shape shape, nb::handle dtype) {
  const bool is_double =
      dtype.is_none() ? chosen().is_double : dtype_name(op, dtype, "float32 float64") == "float64";
  return with_engine(chosen().gpu, is_double,
                     [&](auto type) { return Any(decltype(type)::type::empty(shape)); });
}

Any make_nothing(bool is_double) {
  return with_engine(chosen().gpu, is_double,
                     [](auto type) { return Any(decltype(type)::type::empty({})); });
}

const char* default_dtype() {
  return chosen().is_double ? "float64" : "float32";
}

void def_engine(nb::module_& m, nb::class_<PyMatrix>& matrix) {
  matrix.def_static("init_random", &init_random, "seed"_a = 0,
                    "Seeds the stream of random numbers (Philox4x32-10) and restarts it.");
  m.def(
      "use", &use, "engine"_a = "auto", "dtype"_a = nb::none(),
      nb::sig("def use(engine: str = 'auto', dtype: numpy.typing.DTypeLike | None = None) -> None"),
      "Sets the engine of new matrices, 'cpu', 'gpu' or 'auto' (the GPU if there is "
      "one), and their type, float32 or\n"
      "float64. By default GNUMPY_USE_GPU=auto|yes|no selects the engine, and the type "
      "is float32.");
  m.def("_describe", &describe);
  m.def("engine", &engine_name,
        "\"npmat float32\" and the like: the engine and type of matrices made now.");

  constexpr const char* kStart =
      "Does nothing: devices start at their first use. For programs of the original "
      "package.";
  const auto init = [](nb::handle /*max_ones*/) {
#ifdef CUDAMAT_PYTHON_CUDA
    if (chosen().gpu) cuda::cublas_init();
#endif
  };
  const auto shutdown = [] {
#ifdef CUDAMAT_PYTHON_CUDA
    if (chosen().gpu) computing([] { cuda::cublas_shutdown(); });
#endif
  };
  for (const char* name : {"init", "cublas_init"})
    m.def(name, init, "max_ones"_a = nb::none(),
          nb::sig(fmt::format("def {}(max_ones: int | None = None) -> None", name).c_str()),
          kStart);
  for (const char* name : {"shutdown", "cublas_shutdown"})
    m.def(name, shutdown,
          "Waits, and frees the memory of the device's libraries; matrices stay valid.");
  m.def(
      "cuda_set_device",
      []([[maybe_unused]] int device) {
#ifdef CUDAMAT_PYTHON_CUDA
        if (chosen().gpu) cuda::cuda_set_device(device);
#endif
      },
      "device"_a, "From now on the calling thread computes on this GPU; does nothing on a CPU.");
  m.def(
      "cuda_sync_threads",
      [] {
#ifdef CUDAMAT_PYTHON_CUDA
        if (chosen().gpu) computing([] { cuda::cuda_sync_threads(); });
#endif
      },
      "Waits until all queued work is done.");
}

}  // namespace cudamat::python
