#include "rewriter/module/conversion.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <unordered_map>
#include <utility>

#include "cudamat/use_gpu.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/run/prepared.hpp"

#ifdef REWRITER_CUDA
#include "cudamat/cuda/device.hpp"
#include "rewriter/run/run_cuda.hpp"
#endif

namespace rewriter::module {

using cudamat::misuse;
using Returned = Program::Returned;
using Is = Returned::Kind;

namespace {

nb::object numpy(const char* name) {
  static const nb::object& module = *new nb::object(nb::module_::import_("numpy"));
  return module.attr(name);
}

/// NumPy's type, by its letters, of which int64's are not Python's.
nb::handle numpy_type(Code code) {
  static auto& known = *new std::unordered_map<Code, PyObject*>;
  PyObject*& type = known[code];
  if (type == nullptr) {
    const char letters[] = {code == 'q' ? 'l' : code == 'Q' ? 'L' : code, 0};
    type = numpy("dtype")(letters).release().ptr();
  }
  return type;
}

nb::object new_array(nb::handle shape, Code code) {
  static PyObject* const empty = numpy("empty").release().ptr();
  PyObject* arguments[] = {shape.ptr(), numpy_type(code).ptr()};
  PyObject* const array = PyObject_Vectorcall(empty, arguments, 2, nullptr);
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}

bool chooses_gpu(const How& how) {
  if (how.engine != "auto" && how.engine != "npmat" && how.engine != "cudamat")
    misuse("convert", "engine= is auto, npmat or cudamat; got '{}'", how.engine);
  if (how.engine == "npmat") return false;
  const cudamat::UseGpu use = how.engine == "cudamat" ? cudamat::UseGpu::Yes : cudamat::use_gpu();
  if (use == cudamat::UseGpu::No) return false;
#ifdef REWRITER_CUDA
  if (use == cudamat::UseGpu::Auto)
    return how.precision != 128 && cudamat::cuda::device_count() > 0;
  if (how.precision == 128)
    misuse("convert", "a GPU computes in 32 or 64 bits; precision=128 needs engine='npmat'");
  cudamat::cuda::require_device();
  return true;
#else
  if (use == cudamat::UseGpu::Yes)
    misuse("convert", "this build has no CUDA engine; engine='npmat' runs on the CPU");
  return false;
#endif
}

template <class M>
class RunnableOn : public Runnable {
 public:
  using T = typename M::value_type;
  RunnableOn(StatementList list, const std::vector<bool>& overwritten)
      : list_(std::move(list), overwritten) {}

  void run(std::span<const void* const> inputs, std::span<void* const> outputs,
           const RunOptions& options) override {
    from_.clear();
    to_.clear();
    for (const void* const input : inputs) from_.push_back(static_cast<const T*>(input));
    for (void* const output : outputs) to_.push_back(static_cast<T*>(output));
    list_.run(from_, to_, options);
  }

 private:
  PreparedList<M> list_;
  std::vector<const T*> from_;
  std::vector<T*> to_;
};

/// Runs while the interpreter ends. Its lock cannot be had any more then: a thread that still runs,
/// a daemon's, waits for the end of the process.
class Ending {
 public:
  static void park_if_begun() {
    if (!begun_.load()) return;
    ++parked_;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  /// Lets runs notice, or finish. Needs the interpreter's lock.
  static void begin() {
    begun_ = true;
    const nb::gil_scoped_release unlocked;
    for (int i = 0; i < 200 && active_.load() > parked_.load(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// While it lives, this thread runs without the lock.
  class Unlocked {
   public:
    Unlocked() : state_(PyEval_SaveThread()) { ++active_; }
    ~Unlocked() {
      park_if_begun();
      PyEval_RestoreThread(state_);
      --active_;
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

   private:
    PyThreadState* state_;
  };

 private:
  static inline std::atomic<bool> begun_{false};
  static inline std::atomic<int> active_{0};
  static inline std::atomic<int> parked_{0};
};

/// Looks for Ctrl-C every 50 ms, and raises its KeyboardInterrupt. The lock is not held.
class Interrupts {
 public:
  using Clock = std::chrono::steady_clock;

  void look() {
    Ending::park_if_begun();
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(50);
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
};

void print_in_python(const std::string& text) {
  const nb::gil_scoped_acquire lock;
  static const nb::object& sys = *new nb::object(nb::module_::import_("sys"));
  sys.attr("stdout").attr("write")(text);
}

/// Runs that draw take turns: an engine has one stream.
std::mutex& stream() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

int bytes_of_precision(int precision) {
  if (precision != 32 && precision != 64 && precision != 128)
    misuse("convert", "precision= is 32, 64 or 128; got {}", precision);
  return precision == 32 ? sizeof(float) : precision == 64 ? sizeof(double) : sizeof(long double);
}

}  // namespace

Conversion::Conversion(Program program, std::vector<std::string> leaves, const How& how)
    : program_(std::move(program)), leaves_(std::move(leaves)) {
  bytes_ = bytes_of_precision(how.precision);
  floating_ = how.precision == 32 ? 'f' : how.precision == 64 ? 'd' : 'g';
  gpu_ = chooses_gpu(how);
  engine_ =
      fmt::format("{} {}", gpu_ ? "cudamat" : "npmat",
                  how.precision == 128 ? "longdouble" : fmt::format("float{}", how.precision));
  const PassChoice choice = parse_pass_names(how.passes);
  PipelineResult result = run_passes(lower(program_), choice);
  list_ = std::move(result.list);
  passes_ = std::move(result.runs);
  for (const Statement& s : list_.statements) {
    draws_ = draws_ || rewriter::draws(s);
    prints_ = prints_ || s.kind == Statement::Kind::Print;
  }
  bind_inputs();
  bind_outputs();
}

void at_exit() {
  Ending::begin();
}

// ---- what a run takes and gives ----

void Conversion::bind_inputs() {
  for (const Binding& binding : list_.inputs) {
    Input input;
    for (const auto& [ending, part] :
         {std::pair("", 0), std::pair("_real", 0), std::pair("_imag", 1)})
      for (std::size_t i = 0; i < leaves_.size(); ++i)
        if (!leaves_[i].empty() && leaves_[i] + ending == binding.name) {
          inputs_.push_back({i, part});
          goto next;
        }
    throw cudamat::InternalError("no argument for the input " + binding.name);
  next:;
  }
}

std::size_t Conversion::output_of(const std::string& name) const {
  for (std::size_t i = 0; i < list_.outputs.size(); ++i)
    if (list_.outputs[i].name == name) return i;
  throw cudamat::InternalError("no output for the result " + name);
}

void Conversion::bind_outputs() {
  outputs_.resize(list_.outputs.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Dims& dims = list_.outputs[i].dims;
    outputs_[i].size = npmat::element_count(dims);
    nb::list shape;
    for (const Index extent : dims) shape.append(extent);
    outputs_[i].shape = nb::tuple(shape);
  }
  overwritten_.resize(list_.inputs.size());
  for (const std::string& name : program_.written_inputs) {
    Output& output = outputs_[output_of(name)];
    output.wanted = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (list_.inputs[i].name == name) {
        output.leaf = inputs_[i].leaf;
        overwritten_[i] = true;
      }
    if (!output.leaf || leaves_[*output.leaf] != name)
      throw Unreturnable(fmt::format(
          "the function writes to {}, an array of complex numbers: write to a copy, and "
          "return it",
          name.substr(0, name.rfind('_'))));
  }
  if (program_.returned) want(*program_.returned);
}

void Conversion::want(const Returned& returned) {
  for (const Returned& part : returned.parts) want(part);
  switch (returned.kind) {
    case Is::Array:
    case Is::Scalar:
    case Is::Numbers: {
      Output& output = outputs_[output_of(returned.text)];
      output.wanted = true;
      output.code = code_of(returned.dtype, floating_);
      return;
    }
    case Is::Number:
      outputs_[output_of(returned.text)].wanted = true;
      return;
    case Is::Other:
      throw Unreturnable(
          fmt::format("the function returns {}, which has no value outside of the notation; return "
                      "arrays, numbers, and tuples, lists and dictionaries of these",
                      returned.text));
    default:
      return;
  }
}

void Conversion::check_leaves(const std::vector<Leaf>& leaves) const {
  for (const Output& output : outputs_) {
    if (!output.leaf) continue;
    const Leaf& written = leaves[*output.leaf];
    const std::string& name = leaves_[*output.leaf];
    if (!written.is_array) throw cudamat::InternalError("a number was written to");
    if (written.buffer.is_readonly())
      throw nb::value_error(fmt::format("assignment destination is read-only: the function writes "
                                        "to {}",
                                        name)
                                .c_str());
    for (const Leaf& other : leaves)
      if (&other != &written && other.is_array && other.buffer.overlaps(written.buffer))
        throw nb::value_error(
            fmt::format("the function writes to {}, which shares memory with another argument, "
                        "{}: pass a copy of one of them",
                        name, leaves_[static_cast<std::size_t>(&other - leaves.data())])
                .c_str());
  }
}

// ---- runs ----

std::unique_ptr<Runnable> Conversion::idle_or_new() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Runnable> runnable = std::move(idle_.back());
      idle_.pop_back();
      return runnable;
    }
  }
#ifdef REWRITER_CUDA
  if (gpu_ && bytes_ == sizeof(float))
    return std::make_unique<RunnableOn<cudamat::CUDAMatrix<float>>>(list_, overwritten_);
  if (gpu_) return std::make_unique<RunnableOn<cudamat::CUDAMatrix<double>>>(list_, overwritten_);
#endif
  if (floating_ == 'f')
    return std::make_unique<RunnableOn<npmat::CUDAMatrix<float>>>(list_, overwritten_);
  if (floating_ == 'd')
    return std::make_unique<RunnableOn<npmat::CUDAMatrix<double>>>(list_, overwritten_);
  return std::make_unique<RunnableOn<npmat::CUDAMatrix<long double>>>(list_, overwritten_);
}

void Conversion::compute(std::span<const void* const> inputs, std::span<void* const> outputs,
                         const RunOptions& options) {
  const Ending::Unlocked unlocked;
  std::unique_lock<std::mutex> turn;
  if (draws_) turn = std::unique_lock(stream());
  std::unique_ptr<Runnable> runnable = idle_or_new();
  runnable->run(inputs, outputs, options);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runnable));
}

template <class T>
std::vector<const void*> Conversion::read_inputs(std::vector<Leaf>& leaves,
                                                 std::vector<std::vector<T>>& read) {
  std::vector<const void*> from;
  from.reserve(inputs_.size());
  read.reserve(inputs_.size());
  for (const Input& input : inputs_) {
    const Leaf& leaf = leaves[input.leaf];
    if (leaf.is_array && leaf.buffer.code() == floating_ && leaf.buffer.is_c_order()) {
      from.push_back(leaf.buffer.data());
      continue;
    }
    std::vector<T>& numbers = read.emplace_back();
    numbers.resize(leaf.is_array ? static_cast<std::size_t>(leaf.buffer.size()) : 1);
    if (leaf.is_array)
      leaf.buffer.read(numbers.data(), input.part);
    else
      numbers[0] = static_cast<T>(leaf.number);
    from.push_back(numbers.data());
  }
  return from;
}

/// Where the outputs of a run lie.
template <class T>
struct Conversion::Memory {
  std::vector<nb::object> arrays;
  std::vector<Buffer> buffers;
  std::vector<std::vector<T>> numbers;  // that are cast behind the run
  std::vector<void*> places;

  Memory(Conversion& conversion, std::vector<Leaf>& leaves) {
    const std::vector<Output>& outputs = conversion.outputs_;
    arrays.resize(outputs.size());
    buffers.resize(outputs.size());
    numbers.resize(outputs.size());
    places.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Output& output = outputs[i];
      if (!output.wanted) continue;
      if (output.code != 0) {
        arrays[i] = new_array(output.shape, output.code);
        if (!buffers[i].take(arrays[i].ptr())) throw nb::python_error();
      }
      const Buffer* buffer = output.leaf        ? &leaves[*output.leaf].buffer
                             : output.code != 0 ? &buffers[i]
                                                : nullptr;
      const bool both = output.leaf && output.code != 0;
      if (buffer != nullptr && !both && buffer->code() == conversion.floating_ &&
          buffer->is_c_order()) {
        places[i] = buffer->data();
      } else {
        numbers[i].resize(static_cast<std::size_t>(std::max<std::int64_t>(output.size, 1)));
        places[i] = numbers[i].data();
      }
    }
  }

  /// What the run did not write in place.
  void finish(const std::vector<Output>& outputs, std::vector<Leaf>& leaves) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (numbers[i].empty()) continue;
      if (outputs[i].code != 0)
        cast_elements(numbers[i].data(), outputs[i].size, outputs[i].code, buffers[i].data());
      if (outputs[i].leaf) leaves[*outputs[i].leaf].buffer.write(numbers[i].data());
    }
  }
};

template <class T>
nb::object Conversion::run_as(std::vector<Leaf>& leaves, std::uint64_t seed) {
  check_leaves(leaves);
  std::vector<std::vector<T>> read;
  const std::vector<const void*> from = read_inputs<T>(leaves, read);
  Memory<T> memory(*this, leaves);
  Interrupts interrupts;
  RunOptions options{.seed = seed};
  options.before_statement = [&](std::size_t) { interrupts.look(); };
  if (prints_) options.print = print_in_python;
  compute(from, memory.places, options);
  memory.finish(outputs_, leaves);
  if (!program_.returned) return nb::none();
  std::vector<long double> numbers(outputs_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (!memory.numbers[i].empty()) numbers[i] = memory.numbers[i][0];
  return value_of(*program_.returned, memory.arrays, numbers, leaves);
}

nb::object Conversion::run(std::vector<Leaf>& leaves, std::uint64_t seed) {
  if (!bound_.empty()) add_bound(leaves);
  return floating_ == 'f'   ? run_as<float>(leaves, seed)
         : floating_ == 'd' ? run_as<double>(leaves, seed)
                            : run_as<long double>(leaves, seed);
}

// ---- Python's values ----

namespace {

nb::object number_of(DType dtype, long double number) {
  if (dtype == DType::Bool) return nb::bool_(number != 0);
  if (is_integer(dtype)) return nb::int_(static_cast<std::int64_t>(number));
  return nb::float_(static_cast<double>(number));
}

nb::object numpy_number(const nb::object& number, const char* type) {
  return numpy(type)(number);
}

nb::object complex_of(const nb::object& real, const nb::object& imaginary) {
  static const nb::object& make =
      *new nb::object(nb::module_::import_("rewriter._values").attr("complex_of"));
  return make(real, imaginary);
}

}  // namespace

nb::object Conversion::value_of(const Returned& returned, const std::vector<nb::object>& made,
                                const std::vector<long double>& numbers,
                                const std::vector<Leaf>& leaves) {
  const auto part = [&](std::size_t i) {
    return value_of(returned.parts[i], made, numbers, leaves);
  };
  const auto array = [&] { return made[output_of(returned.text)]; };
  const auto list = [&] {
    nb::list items;
    for (std::size_t i = 0; i < returned.parts.size(); ++i) items.append(part(i));
    return items;
  };
  switch (returned.kind) {
    case Is::None:
    case Is::Other:
      return nb::none();
    case Is::Bool:
      return nb::bool_(returned.integer != 0);
    case Is::Int: {
      nb::object number = nb::int_(returned.integer);
      return returned.is_python ? number : numpy_number(number, "int64");
    }
    case Is::Float: {
      nb::object number = nb::float_(returned.number);
      return returned.is_python ? number : numpy_number(number, "float64");
    }
    case Is::Text:
      return nb::str(returned.text.c_str(), returned.text.size());
    case Is::Array:
      return array();
    case Is::Scalar: {
      PyObject* const scalar = PyObject_GetItem(array().ptr(), nb::tuple().ptr());
      if (scalar == nullptr) throw nb::python_error();
      return nb::steal(scalar);
    }
    case Is::Number:
      return number_of(returned.dtype, numbers[output_of(returned.text)]);
    case Is::Numbers:
      return returned.is_python ? nb::object(array().attr("tolist")()) : nb::list(array());
    case Is::Input:
      for (std::size_t i = 0; i < leaves_.size(); ++i)
        if (leaves_[i] == returned.text) return nb::borrow(leaves[i].object);
      throw cudamat::InternalError("no argument for the input " + returned.text);
    case Is::Tuple:
      return nb::tuple(list());
    case Is::List:
      return list();
    case Is::Set: {
      PyObject* const set = PySet_New(list().ptr());
      if (set == nullptr) throw nb::python_error();
      return nb::steal(set);
    }
    case Is::Dict: {
      nb::dict dict;
      for (std::size_t i = 0; i + 1 < returned.parts.size(); i += 2) dict[part(i)] = part(i + 1);
      return dict;
    }
    case Is::Complex:
      return complex_of(part(0), part(1));
    case Is::Perhaps:
      return nb::cast<bool>(nb::bool_(part(0))) ? part(1) : part(2);
  }
  return nb::none();
}

// ---- times and verification ----

std::vector<StatementTime> Conversion::time(std::vector<Leaf>& leaves, std::uint64_t seed,
                                            int repeat) {
  using Clock = std::chrono::steady_clock;
  add_bound(leaves);
  std::vector<StatementTime> times(list_.statements.size());
  std::vector<std::vector<double>> seconds(list_.statements.size());
  const auto run_all = [&]<class T>(T*) {
    std::vector<std::vector<T>> read;
    const std::vector<const void*> from = read_inputs<T>(leaves, read);
    std::vector<void*> nowhere(outputs_.size());  // results are not wanted
    for (int run = 0; run < repeat; ++run) {
      Interrupts interrupts;
      std::vector<double> spent(list_.statements.size());
      Clock::time_point begun;
      RunOptions options{.seed = seed};
      options.print = [](const std::string&) {};
      options.before_statement = [&](std::size_t) {
        interrupts.look();
        begun = Clock::now();
      };
      options.after_statement = [&](std::size_t at, const LoopVariables& variables) {
#ifdef REWRITER_CUDA
        if (gpu_) cudamat::cuda_sync_threads();
#endif
        spent[at] += std::chrono::duration<double>(Clock::now() - begun).count();
        if (run > 0) return;
        ++times[at].times;
        const auto work = work_of(list_, list_.statements[at], variables, bytes_);
        if (!work) return;
        times[at].bytes += work->bytes;
        times[at].flops += work->flops.value_or(0);
      };
      compute(from, nowhere, options);
      for (std::size_t i = 0; i < spent.size(); ++i) seconds[i].push_back(spent[i]);
    }
  };
  floating_ == 'f'   ? run_all(static_cast<float*>(nullptr))
  : floating_ == 'd' ? run_all(static_cast<double*>(nullptr))
                     : run_all(static_cast<long double*>(nullptr));
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::vector<double>& each = seconds[i];
    if (each.empty()) continue;
    const auto middle = each.begin() + std::ssize(each) / 2;
    std::nth_element(each.begin(), middle, each.end());
    times[i].seconds = *middle;
  }
  return times;
}

void Conversion::add_bound(std::vector<Leaf>& leaves) const {
  for (const nb::object& array : bound_) {
    Leaf& leaf = leaves.emplace_back();
    leaf.object = array.ptr();
    leaf.is_array = true;
    if (!leaf.buffer.take(array.ptr())) throw cudamat::InternalError("an array without memory");
  }
}

template <class T>
std::map<std::string, npmat::Array<T>> Conversion::values_of_inputs(
    const std::vector<Leaf>& leaves) const {
  std::map<std::string, npmat::Array<T>> values;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Leaf& leaf = leaves[inputs_[i].leaf];
    npmat::Array<T> array{list_.inputs[i].dims, {}};
    array.data.resize(static_cast<std::size_t>(npmat::element_count(array.shape)),
                      static_cast<T>(leaf.number));
    if (leaf.is_array) leaf.buffer.read(array.data.data(), inputs_[i].part);
    values.emplace(list_.inputs[i].name, std::move(array));
  }
  return values;
}

std::vector<NodePtr> Conversion::roots() const {
  std::vector<NodePtr> roots;
  for (const Binding& output : list_.outputs)
    for (const Program::Named& result : program_.results)
      if (result.name == output.name) roots.push_back(result.node);
  roots.insert(roots.end(), program_.steps.begin(), program_.steps.end());
  return roots;
}

template <class T>
nb::dict Conversion::tree_values_as(std::uint64_t seed) {
  std::vector<Leaf> leaves;
  add_bound(leaves);
  const auto values = values_of_inputs<T>(leaves);
  std::vector<npmat::Array<T>> made;
  {
    const Ending::Unlocked unlocked;
    const std::lock_guard turn(stream());
    made = rewriter::evaluate<T>(roots(), values, seed);
  }
  nb::dict result;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Code code = outputs_[i].code != 0 ? outputs_[i].code : floating_;
    nb::object array = new_array(outputs_[i].shape, code);
    Buffer buffer;
    if (!buffer.take(array.ptr())) throw nb::python_error();
    cast_elements(made[i].data.data(), outputs_[i].size, code, buffer.data());
    result[list_.outputs[i].name.c_str()] = array;
  }
  return result;
}

nb::dict Conversion::tree_values(std::uint64_t seed) {
  return floating_ == 'f'   ? tree_values_as<float>(seed)
         : floating_ == 'd' ? tree_values_as<double>(seed)
                            : tree_values_as<long double>(seed);
}

template <class T>
nb::dict Conversion::evaluate_as(std::vector<Leaf>& leaves, std::uint64_t seed) {
  const auto values = values_of_inputs<T>(leaves);
  std::vector<npmat::Array<T>> wanted;
  std::vector<npmat::Array<T>> got;
  {
    std::vector<const void*> from;
    std::vector<void*> to;
    for (const Binding& input : list_.inputs) from.push_back(values.at(input.name).data.data());
    for (const Output& output : outputs_) {
      got.push_back({{output.size}, std::vector<T>(static_cast<std::size_t>(output.size))});
      to.push_back(got.back().data.data());
    }
    compute(from, to, {.seed = seed, .print = [](const std::string&) {}});
    const Ending::Unlocked unlocked;
    const std::lock_guard turn(stream());
    wanted = rewriter::evaluate<T>(roots(), values, seed);
  }
  nb::dict differences;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    long double largest = 0;
    for (std::size_t k = 0; k < got[i].data.size(); ++k) {
      const T a = got[i].data[k];
      const T b = wanted[i].data[k];
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      const long double difference = std::fabs(static_cast<long double>(a) - b);
      largest = std::isnan(difference) ? HUGE_VALL : std::max(largest, difference);
    }
    differences[list_.outputs[i].name.c_str()] = static_cast<double>(largest);
  }
  return differences;
}

nb::dict Conversion::evaluate(std::vector<Leaf>& leaves, std::uint64_t seed) {
  add_bound(leaves);
  return floating_ == 'f'   ? evaluate_as<float>(leaves, seed)
         : floating_ == 'd' ? evaluate_as<double>(leaves, seed)
                            : evaluate_as<long double>(leaves, seed);
}

}  // namespace rewriter::module
