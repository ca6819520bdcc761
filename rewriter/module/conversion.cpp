#include "rewriter/module/conversion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "cudamat/use_gpu.hpp"
#include "rewriter/expr/inexact.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/module/life.hpp"
#include "rewriter/module/numpy.hpp"
#include "rewriter/module/run_memory.hpp"
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
  RunnableOn(StatementList list, const std::vector<bool>& overwritten,
             const std::vector<bool>& numbers)
      : list_(std::move(list), overwritten, numbers) {}

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

void print_in_python(const std::string& text) {
  const nb::gil_scoped_acquire lock;
  static const nb::object& sys = *new nb::object(nb::module_::import_("sys"));
  sys.attr("stdout").attr("write")(text);
}

int bytes_of_precision(int precision) {
  if (precision != 32 && precision != 64 && precision != 128)
    misuse("convert", "precision= is 32, 64 or 128; got {}", precision);
  return precision == 32 ? sizeof(float) : precision == 64 ? sizeof(double) : sizeof(long double);
}

/// Whether its elements are 0, 1, 2, ..., as the program says.
bool counts(const Node& node) {
  if (node.kind == Kind::Reshape || node.kind == Kind::Copy) return counts(*node.args[0]);
  const auto is_count = [](const auto& array) {
    for (std::size_t i = 0; i < array.data.size(); ++i)
      if (array.data[i] != static_cast<std::int64_t>(i)) return false;
    return true;
  };
  return node.kind == Kind::Constant && std::visit(is_count, *node.data);
}

}  // namespace

void check(const How& how) {
  (void)parse_pass_names(how.passes);
  (void)bytes_of_precision(how.precision);
  (void)chooses_gpu(how);
}

Conversion::Conversion(Program program, std::vector<std::string> leaves, const How& how,
                       CallNumbers numbers)
    : program_(std::move(program)), numbers_(std::move(numbers)), leaves_(std::move(leaves)) {
  bytes_ = bytes_of_precision(how.precision);
  floating_ = how.precision == 32 ? 'f' : how.precision == 64 ? 'd' : 'g';
  keeps_types_ = how.keeps_types;
  gpu_ = chooses_gpu(how);
  engine_ =
      fmt::format("{} {}", gpu_ ? "cudamat" : "npmat",
                  how.precision == 128 ? "longdouble" : fmt::format("float{}", how.precision));
  PassChoice choice = parse_pass_names(how.passes);
  const auto runs = [&choice](std::string_view name) {
    return std::any_of(choice.passes.begin(), choice.passes.end(),
                       [&](const Pass* pass) { return pass->name == name; });
  };
  std::string passes = how.passes;
  const bool chooses_layout = passes.starts_with("default") && !runs("layout");
  if (chooses_layout) passes += ",layout";
  if (passes.starts_with("default") && !gpu_ && !runs("fuse")) passes += ",fuse_large";
  choice = parse_pass_names(passes);
  choice.options.bindings_are_in_c_order = true;
  choice.options.layout_may_round = chooses_layout;
  choice.options.inputs_stay = !gpu_ && (runs("fuse") || runs("fuse_large"));
  StatementList literal = lower(program_);
  warnings_ = unrolled_warnings(program_, literal);
  if (floating_ == 'f') look_for_integers();
  PipelineResult result = run_passes(std::move(literal), choice);
  list_ = std::move(result.list);
  passes_ = std::move(result.runs);
  for (const Statement& s : list_.statements) {
    draws_ = draws_ || rewriter::draws(s);
    const bool may_raise = rewriter::may_raise(s);
    const bool is_solver = may_raise && cudamat::row(s.op).family == cudamat::Family::Solver;
    const bool raises = s.kind == Statement::Kind::Print && !s.parts.empty() &&
                        s.parts.front().kind == TextPart::Kind::Exception;
    may_raise_ = may_raise_ || raises || is_solver;
    may_miss_ = may_miss_ || may_raise;
    prints_ = prints_ || (s.kind == Statement::Kind::Print && !raises);
  }
  bind_inputs();
  bind_outputs();
  cut_into_strips();
}

std::mutex& engine_stream() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

void at_exit() {
  Ending::begin();
}

// ---- what a run takes and gives ----

Conversion::Input Conversion::input_of(const std::string& name) const {
  if (const std::size_t* const number = numbers_.find(name)) return {.number = *number};
  for (const auto& [ending, part] :
       {std::pair("", 0), std::pair("_real", 0), std::pair("_imag", 1)})
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      if (!leaves_[i].empty() && leaves_[i] + ending == name) return {i, part};
  throw cudamat::InternalError("no argument for the input " + name);
}

void Conversion::bind_inputs() {
  for (const Binding& binding : list_.inputs) inputs_.push_back(input_of(binding.name));
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
    for (const Program::Named& result : program_.results)
      if (result.name == list_.outputs[i].name) {
        if (result.node->kind == Kind::Input && dims.empty())
          outputs_[i].is_input = input_of(result.node->text);
        outputs_[i].counts = dims.size() == 1 && counts(*result.node);
      }
  }
  overwritten_.resize(list_.inputs.size());
  for (const std::string& name : program_.written_inputs) {
    Output& output = outputs_[output_of(name)];
    output.wanted = true;
    output.leaf = input_of(name);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (list_.inputs[i].name == name) overwritten_[i] = true;
  }
  if (program_.returned) want(*program_.returned);
  for (const auto& [number, object] : program_.new_objects) want(object);
  for (const Program::ChangedObject& object : program_.objects)
    for (const auto& attribute : object.attributes)
      if (attribute.value) want(*attribute.value);
}

Code Conversion::floating_code(const Returned& returned) const {
  const bool narrows = keeps_types_ && floating_ == 'd' && returned.float_bits == 32;
  return narrows ? Code('f') : floating_;
}

const Conversion::Joined* Conversion::joined_of(std::size_t real, std::size_t imag) const {
  const auto found = std::find_if(joined_.begin(), joined_.end(), [&](const Joined& joined) {
    return joined.real == real && joined.imag == imag;
  });
  return found == joined_.end() ? nullptr : &*found;
}

/// Of the parts of a complex result: whether they make one array.
bool Conversion::want_joined(const Returned& real, const Returned& imag) {
  for (const Returned& part : {real, imag})
    if (part.kind != Is::Array || part.dtype != DType::Float || part.float_bits != real.float_bits)
      return false;
  const Joined joined{output_of(real.text), output_of(imag.text), complex_of(floating_code(real))};
  const Dims& dims = list_.outputs[joined.real].dims;
  if (dims.empty() || dims != list_.outputs[joined.imag].dims) return false;
  for (const std::size_t part : {joined.real, joined.imag}) outputs_[part].wanted = true;
  wants_doubles_ = wants_doubles_ || (keeps_types_ && floating_ == 'f' && real.float_bits == 64);
  if (joined_of(joined.real, joined.imag) == nullptr) joined_.push_back(joined);
  return true;
}

bool Conversion::is_nonzero(const Returned& selected) const {
  const Returned& whole = selected.parts[0];
  return whole.kind == Is::Array && whole.dtype == DType::Int && selected.integer == 0 &&
         outputs_[output_of(whole.text)].counts;
}

void Conversion::want(const Returned& returned) {
  if (returned.kind == Is::Selected && is_nonzero(returned)) return want(returned.parts[1]);
  if (returned.kind != Is::Complex)
    for (const Returned& part : returned.parts) want(part);
  switch (returned.kind) {
    case Is::Array:
    case Is::Scalar:
    case Is::Numbers: {
      Output& output = outputs_[output_of(returned.text)];
      output.wanted = true;
      output.code = code_of(returned.dtype, floating_code(returned));
      wants_doubles_ =
          wants_doubles_ || (keeps_types_ && floating_ == 'f' && returned.float_bits == 64 &&
                             !(returned.kind == Is::Numbers && returned.is_python));
      return;
    }
    case Is::Number:
      outputs_[output_of(returned.text)].wanted = true;
      return;
    case Is::Complex:
      if (!want_joined(returned.parts[0], returned.parts[1]))
        for (const Returned& part : returned.parts) want(part);
      return;
    case Is::Other:
      throw cudamat::CUDAMatException(
          fmt::format("the function returns {}, which a converted function cannot return; return "
                      "arrays, numbers, and tuples, lists and dictionaries of these",
                      returned.text));
    default:
      return;
  }
}

/// Whether a run in 32 bits may round integers.
void Conversion::look_for_integers() {
  std::vector<NodePtr> roots = program_.steps;
  for (const auto& [name, node] : program_.results) roots.push_back(node);
  const Node* const found = inexact_integer(roots, std::ldexp(1.0, kIntegerBits<float>), true);
  if (found == nullptr) return;
  wants_doubles_ = keeps_types_;
  warnings_.push_back({found->where.line,
                       "integers that are computed here may be beyond 2^24, up to which a run in "
                       "32 bits has them; precision=64 has them up to 2^53"});
}

void Conversion::check_leaves(const std::vector<Leaf>& leaves) const {
  for (const Output& output : outputs_) {
    if (!output.leaf) continue;
    const Leaf& written = leaves[output.leaf->leaf];
    const std::string& name = leaves_[output.leaf->leaf];
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

std::unique_ptr<Runnable> Conversion::new_runnable(
    const StatementList& list, std::span<const std::optional<double>> given) const {
  std::vector<bool> numbers;
  for (const auto& number : given) numbers.push_back(number.has_value());
  const auto on = [&]<class M>(M*) -> std::unique_ptr<Runnable> {
    return std::make_unique<RunnableOn<M>>(list, overwritten_, numbers);
  };
#ifdef REWRITER_CUDA
  if (gpu_ && bytes_ == sizeof(float)) return on(static_cast<cudamat::CUDAMatrix<float>*>(nullptr));
  if (gpu_) return on(static_cast<cudamat::CUDAMatrix<double>*>(nullptr));
#endif
  return in_precision([&]<class T>(T*) { return on(static_cast<npmat::CUDAMatrix<T>*>(nullptr)); });
}

void Conversion::run_idle(const StatementList& list, Idle& idle,
                          std::span<const void* const> inputs, std::span<void* const> outputs,
                          const RunOptions& options) {
  std::unique_ptr<Runnable> runnable;
  if (const std::lock_guard lock(mutex_); !idle.empty()) {
    runnable = std::move(idle.back());
    idle.pop_back();
  }
  if (runnable == nullptr) runnable = new_runnable(list, options.numbers);
  runnable->run(inputs, outputs, options);
  const std::lock_guard lock(mutex_);
  idle.push_back(std::move(runnable));
}

void Conversion::compute(std::span<const void* const> inputs, std::span<void* const> outputs,
                         const RunOptions& options) {
  const Ending::Unlocked unlocked;
  std::unique_lock<std::mutex> turn;
  if (draws_) turn = std::unique_lock(engine_stream());
  run_idle(list_, idle_, inputs, outputs, options);
}

std::vector<double> Conversion::numbers_of(const std::vector<Leaf>& leaves) const {
  if (numbers_.empty()) return {};
  std::map<std::string, double> numbers;
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (!leaves[i].is_array) numbers.emplace(leaves_[i], leaves[i].number);
  return numbers_.values(numbers);
}

std::vector<std::optional<double>> Conversion::input_numbers(
    const std::vector<Leaf>& leaves, const std::vector<double>& made) const {
  std::vector<std::optional<double>> numbers;
  for (const Input& input : inputs_) {
    auto& number = numbers.emplace_back();
    if (input.number)
      number = made[*input.number];
    else if (!leaves[input.leaf].is_array)
      number = leaves[input.leaf].number;
  }
  return numbers;
}

template <class T>
std::vector<const void*> Conversion::read_inputs(std::vector<Leaf>& leaves,
                                                 std::vector<npmat::CUDAMatrix<T>>& read,
                                                 const std::vector<double>& numbers_made,
                                                 bool in_strips) {
  using Matrix = npmat::CUDAMatrix<T>;
  std::vector<const void*> from;
  from.reserve(inputs_.size());
  read.reserve(inputs_.size());
  for (const Input& input : inputs_) {
    if (input.number) {
      auto& number = read.emplace_back(Matrix::empty({1, 1}));
      *number.data() = number_in<T>(numbers_made[*input.number]);
      from.push_back(number.data());
      continue;
    }
    const Leaf& leaf = leaves[input.leaf];
    const Buffer& buffer = leaf.buffer;
    const bool as_it_is = leaf.is_array && buffer.code() == floating_;
    if (as_it_is && buffer.is_c_order()) {
      from.push_back(buffer.data());
      continue;
    }
    if (in_strips && leaf.is_array && buffer.size() > 1) {
      from.push_back(nullptr);
      continue;
    }
    auto& numbers = read.emplace_back(Matrix::empty({1, leaf.is_array ? buffer.size() : 1}));
    if (as_it_is && buffer.ndim() == 2 && buffer.is_f_order()) {
      const cudamat::Shape shape{buffer.shape()[0], buffer.shape()[1]};
      Matrix in_c_order = numbers.view(shape.transposed());
      Matrix::borrow(static_cast<T*>(buffer.data()), shape).transpose(in_c_order);
    } else if (leaf.is_array) {
      buffer.read(numbers.data(), input.part);
    } else {
      *numbers.data() = number_in<T>(leaf.number);
    }
    from.push_back(numbers.data());
  }
  return from;
}

/// The caller's arrays that a run writes in place, as they were before it.
class Conversion::Before {
 public:
  Before(const Conversion& conversion, std::vector<Leaf>& leaves, std::span<void* const> places) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& leaf = conversion.outputs_[i].leaf;
      if (!leaf || leaves[leaf->leaf].buffer.data() != places[i]) continue;
      const std::size_t size =
          static_cast<std::size_t>(conversion.outputs_[i].size * conversion.bytes_);
      bytes += size;
      held_.push_back({static_cast<char*>(places[i]), size, {}});
    }
    // An index out of bounds is an error of the program, and not worth a copy of much.
    constexpr std::size_t kLittle = std::size_t{1} << 18;
    is_kept_ = conversion.may_raise_ ||
               (conversion.may_miss_ && (conversion.catches_ || bytes <= kLittle));
    if (is_kept_)
      for (Held& each : held_) each.content.assign(each.place, each.place + each.size);
  }
  /// False where they have not been kept.
  [[nodiscard]] bool restore() const {
    if (is_kept_)
      for (const Held& each : held_)
        std::copy(each.content.begin(), each.content.end(), each.place);
    return is_kept_ || held_.empty();
  }

 private:
  struct Held {
    char* place;
    std::size_t size;
    std::vector<char> content;
  };
  std::vector<Held> held_;
  bool is_kept_ = false;
};

/// Whether the program prints what the statements do not, which Python would print between their
/// lines where it runs the call again.
bool Conversion::misses_prints() const {
  return std::any_of(program_.left_out.begin(), program_.left_out.end(),
                     [](const auto& each) { return each.second.starts_with("print"); });
}

template <class T>
nb::object Conversion::run_as(std::vector<Leaf>& leaves, std::uint64_t seed,
                              std::span<PyObject* const> objects, bool undoes) {
  check_leaves(leaves);
  std::vector<npmat::CUDAMatrix<T>> read;
  const std::vector<double> made = numbers_of(leaves);
  const bool in_strips = computes_in_strips(leaves);
  const bool totals = computes_totals(leaves);
  std::vector<const void*> from = read_inputs<T>(leaves, read, made, in_strips || totals);
  Memory<T> memory(*this, leaves, in_strips);
  const bool is_made = totals && compute_totals<T>(leaves, memory.places);
  if (totals && !is_made) from = read_inputs<T>(leaves, read, made, false);
  Interrupts interrupts;
  RunOptions options{.seed = seed};
  options.before_statement = [&](std::size_t) { interrupts.look(); };
  std::string printed;
  const bool holds_prints = undoes && misses_prints();
  if (prints_)
    options.print = [&](const std::string& text) {
      printed += text;
      if (!holds_prints) print_in_python(text);
    };
  const auto print_held = [&] {
    if (holds_prints && !printed.empty()) print_in_python(std::exchange(printed, {}));
  };
  const std::vector<std::optional<double>> given = input_numbers(leaves, made);
  std::vector<std::optional<double>> found(outputs_.size());
  options.numbers = given;
  options.results = &found;
  if (in_strips) {
    compute_in_strips<T>(leaves, from, memory, given);
  } else if (is_made) {
    // no run
  } else if (undoes) {
    const Before before(*this, leaves, memory.places);
    const auto undo = [&] {
      if (before.restore()) throw Undone{holds_prints ? "" : printed};
      print_held();
      throw;
    };
    try {
      compute(from, memory.places, options);
    } catch (const cudamat::OutOfMemory&) {
      print_held();
      throw;
    } catch (const Raised&) {
      undo();
    } catch (const cudamat::CUDAMatException&) {
      undo();
    }
    print_held();
  } else {
    compute(from, memory.places, options);
  }
  if (!in_strips) memory.finish(*this, leaves);
  std::vector<Result> numbers(outputs_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto& input = outputs_[i].is_input;
    if (input && input->number)
      numbers[i] = {made[*input->number], 'd'};
    else if (input && !leaves[input->leaf].is_array)
      numbers[i] = {leaves[input->leaf].number, 'd'};
    else if (found[i])
      numbers[i] = {*found[i], 'd'};
    else if (memory.numbers[i])
      numbers[i] = {*memory.numbers[i]->data(), floating_};
  }
  Made values{memory.arrays, numbers, leaves, memory.joined};
  auto next = objects.begin();
  for (const Program::ChangedObject& changed : program_.objects) {
    if (changed.number == 0) continue;
    const nb::object& object = values.objects[changed.number] = nb::borrow(*next++);
    for (const auto& [name, list] : changed.lists) values.lists[list] = object.attr(name.c_str());
  }
  const nb::object result = program_.returned ? value_of(*program_.returned, values) : nb::none();
  write_objects(values);
  return result;
}

nb::object Conversion::run(std::vector<Leaf>& leaves, std::uint64_t seed,
                           std::span<PyObject* const> objects, bool undoes) {
  if (!bound_.empty()) add_bound(leaves);
  return raising([&] {
    return in_precision([&]<class T>(T*) { return run_as<T>(leaves, seed, objects, undoes); });
  });
}

// ---- times ----

std::vector<StatementTime> Conversion::time(std::vector<Leaf>& leaves, std::uint64_t seed,
                                            int repeat) {
  using Clock = std::chrono::steady_clock;
  add_bound(leaves);
  std::vector<StatementTime> times(list_.statements.size());
  std::vector<std::vector<double>> seconds(list_.statements.size());
  const auto run_all = [&]<class T>(T*) {
    std::vector<npmat::CUDAMatrix<T>> read;
    const std::vector<double> made = numbers_of(leaves);
    const std::vector<const void*> from = read_inputs<T>(leaves, read, made, false);
    const std::vector<std::optional<double>> given = input_numbers(leaves, made);
    std::vector<void*> nowhere(outputs_.size());  // results are not wanted
    for (int run = 0; run < repeat; ++run) {
      Interrupts interrupts;
      std::vector<double> spent(list_.statements.size());
      Clock::time_point begun;
      RunOptions options{.seed = seed};
      options.numbers = given;
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
  raising([&] { in_precision(run_all); });
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

}  // namespace rewriter::module
