#include "tools/symdump_compute.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <unistd.h>

#include "cudamat/say.hpp"
#include "npmat/npy.hpp"
#include "npmat/random.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/run/region_report.hpp"
#include "rewriter/run/run.hpp"
#include "tools/engine_choice.hpp"
#include "tools/interrupt.hpp"
#include "tools/memory.hpp"
#include "tools/symdump_integers.hpp"
#include "tools/symdump_show.hpp"
#include "tools/symdump_time.hpp"
#include "tools/symdump_verify.hpp"

#ifdef TOOLS_CUDA
#include "rewriter/run/run_cuda.hpp"
#endif

namespace symdump {

using rewriter::Dims;
using rewriter::Program;
using rewriter::StatementList;
template <class T>
using Arrays = std::map<std::string, npmat::Array<T>>;

namespace {

/// A line on a terminal that says how far a long run is.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shows_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (shown_) cudamat::say("\r{:<50}\r", "");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  using Clock = std::chrono::steady_clock;

  void at(std::size_t statement, Clock::time_point now = Clock::now()) {
    tools::stop_if_interrupted();
    if (!shows_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    shown_ = true;
    cudamat::say("\rstatement {} of {}", statement, total_);
  }

 private:
  std::size_t total_;
  bool shows_;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

// ---- inputs ----

struct Input {
  std::string name;
  Dims dims;
};

const Input* find_input(const std::vector<Input>& inputs, const std::string& name) {
  for (const Input& input : inputs)
    if (input.name == name) return &input;
  return nullptr;
}

/// Those of the program, then those of the list that it has not.
std::vector<Input> inputs_of(const Program* program, const StatementList& list) {
  std::vector<Input> inputs;
  if (program != nullptr)
    for (const Program::Named& named : program->inputs)
      inputs.push_back({named.name, named.node->dims});
  for (const rewriter::Binding& binding : list.inputs) {
    const Input* const known = find_input(inputs, binding.name);
    if (known == nullptr)
      inputs.push_back({binding.name, binding.dims});
    else if (known->dims != binding.dims)
      cudamat::misuse("symdump", "input {} has the shape {} in the program, {} in the list",
                      binding.name, rewriter::to_string(known->dims),
                      rewriter::to_string(binding.dims));
  }
  return inputs;
}

/// Data from --input; the other inputs get uniform numbers, and the report says so.
template <class T>
Arrays<T> load_inputs(const std::vector<Input>& inputs, const Options& options,
                      std::string& report) {
  Arrays<T> arrays;
  for (const auto& [name, file] : options.inputs) {
    const bool complex = npmat::read_npy_header(file).kind() == 'c';
    if (find_input(inputs, complex ? name + "_real" : name) == nullptr)
      cudamat::misuse("symdump", "--input {}: the {} has no input of that name", name,
                      options.from.empty() ? "program" : "list");
    if (!complex) {
      arrays[name] = npmat::load_npy<T>(file);
      continue;
    }
    npmat::ComplexArray<T> array = npmat::load_npy_complex<T>(file);
    arrays[name + "_real"] = std::move(array.real);
    arrays[name + "_imag"] = std::move(array.imag);
  }
  std::uint64_t stream = options.seed;
  std::string drawn;
  for (const Input& input : inputs) {
    ++stream;
    if (arrays.contains(input.name)) continue;
    tools::require_memory(
        fmt::format("input {} of shape {}", input.name, rewriter::to_string(input.dims)),
        static_cast<double>(npmat::element_count(input.dims)) * sizeof(T));
    npmat::Array<T> array{input.dims, {}};
    array.data.resize(static_cast<std::size_t>(npmat::element_count(array.shape)));
    npmat::Generator(stream).uniform(array.data.data(), array.size());
    arrays[input.name] = std::move(array);
    drawn += (drawn.empty() ? "" : ", ") + input.name;
  }
  if (!drawn.empty())
    report += fmt::format("# without data: {}; filled with uniform random numbers (seed {})\n",
                          drawn, options.seed);
  return arrays;
}

// ---- verification ----

/// The engine's own stream of random numbers, from its start.
template <class M>
DrawSource draws_of() {
  DrawSource source;
  source.seed = [](std::uint64_t seed) { M::init_random(seed); };
  source.draw = [](rewriter::Op op, cudamat::Shape shape) {
    using T = typename M::value_type;
    M drawn = M::empty(shape);
    if (op == rewriter::Op::fill_with_rand)
      drawn.fill_with_rand();
    else
      drawn.fill_with_randn();
    const auto& host = drawn.asarray();
    std::vector<T> numbers;
    numbers.reserve(static_cast<std::size_t>(shape.size()));
    for (rewriter::Index j = 0; j < shape.cols; ++j)
      for (rewriter::Index i = 0; i < shape.rows; ++i) numbers.push_back(host(i, j));
    const auto bytes = std::as_bytes(std::span(numbers));
    const auto* const begin = reinterpret_cast<const char*>(bytes.data());
    return std::vector<char>(begin, begin + bytes.size());
  };
  return source;
}

std::vector<std::string> output_names(const StatementList& list) {
  std::vector<std::string> names;
  for (const rewriter::Binding& output : list.outputs) names.push_back(output.name);
  return names;
}

// ---- results ----

/// What a list without its program says of lengths: r_length is how many elements of r there are.
rewriter::Program with_lengths_of(const StatementList& list) {
  rewriter::Program program;
  for (const rewriter::Binding& output : list.outputs)
    for (const rewriter::Binding& length : list.outputs) {
      if (length.name != output.name + "_length" || !length.dims.empty() || output.dims.empty())
        continue;
      if (output.dims.size() > 1)
        cudamat::misuse("symdump",
                        "--from: along which axis {} has {} elements is known to its program; give "
                        "that, too",
                        output.name, length.name);
      program.lengths[output.name] = {length.name, 0};
    }
  return program;
}

/// In the types that NumPy has of them; without a program, as floats.
template <class T>
void save_results(const Program* program, const Arrays<T>& results, const Options& options,
                  std::string& report) {
  std::vector<npmat::NpyFile<T>> files;
  std::string told;
  const auto save = [&](const std::filesystem::path& path, const std::string& name) {
    files.push_back({path, &results.at(name),
                     std::string(program != nullptr ? file_type(program->type_of(name)) : "")});
    told += fmt::format("{} -> {}\n", name, path.string());
  };
  if (!options.save_all.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.save_all, error);
    if (error)
      cudamat::misuse("symdump", "--save-all: cannot create {}: {}", options.save_all,
                      error.message());
    for (const auto& [name, array] : results)
      save(std::filesystem::path(options.save_all) / (name + ".npy"), name);
  }
  for (const auto& [name, file] : options.saves) save(file, name);
  npmat::save_npys<T>(files);
  report += told;
}

// ---- times ----

/// Without --repeat no run begins after this; a long one is not to last three times as long.
constexpr std::chrono::seconds kEnough{1};
constexpr std::int64_t kRunsByDefault = 3;

/// Until the engine has done what it was given.
template <class M>
void wait_for() {
#ifdef TOOLS_CUDA
  if constexpr (!std::is_same_v<M, npmat::CUDAMatrix<typename M::value_type>>)
    cudamat::cuda_sync_threads();
#endif
}

/// What a run on the host compiles of the list.
std::string print_regions(const StatementList& list, int precision) {
  const std::string text = rewriter::region_report(list, precision);
  return text.empty() ? "" : "# compiled as a whole:\n" + text;
}

/// Runs the list as often as --repeat says, with the same inputs and random numbers, adds the times
/// to the report, and gives the result of the first run, which alone prints. If it was interrupted
/// the report has what was measured until then, and there may be no result.
template <class M>
std::optional<rewriter::RunResult<typename M::value_type>> run_timed(
    const StatementList& list, const Arrays<typename M::value_type>& inputs, const Options& options,
    rewriter::RunOptions run_options, Report& report) {
  using T = typename M::value_type;
  constexpr bool kOnCpu = std::is_same_v<M, npmat::CUDAMatrix<T>>;
  StatementTimes times(list, sizeof(T));
  Limits limits;
  limits.measure(!kOnCpu, options.precision, times.has_products());
  tools::stop_if_interrupted();
  const std::int64_t runs = options.repeat == 0 ? kRunsByDefault : options.repeat;
  TimeReport time_report{.engine = M::engine::name(), .waits = !kOnCpu};
  std::optional<rewriter::RunResult<T>> result;
  std::int64_t run = 0;
  std::size_t reached = 0;
  Progress progress(list.statements.size());
  run_options.before_statement = [&](std::size_t at) {
    reached = at;
    progress.at(at, times.last());
    if (at == 0) wait_for<M>();  // the inputs are not the first statement's
    times.begin(at);
  };
  run_options.after_statement = [&](std::size_t at, const rewriter::LoopVariables& variables) {
    wait_for<M>();
    times.end(at, variables);
  };
  const auto begun = Progress::Clock::now();
  try {
    for (; run < runs; ++run) {
      if (options.repeat == 0 && run > 0 && Progress::Clock::now() - begun > kEnough) break;
      times.start_run();
      rewriter::RunResult<T> one = rewriter::run<M>(list, inputs, run_options);
      if (!result) result = std::move(one);
      run_options.print = [](const std::string&) {};
    }
  } catch (const tools::Interrupted&) {
    time_report.interrupted =
        fmt::format("in run {} of {}, at statement {} of {}", run + 1, runs,
                    std::min(reached + 1, list.statements.size()), list.statements.size());
    report.interrupted = time_report.interrupted;
  }
  limits.measure(!kOnCpu, options.precision, times.has_products());
  report.text += print_times(times, limits, time_report);
  if (kOnCpu) report.text += print_regions(list, options.precision);
  return result;
}

/// A line for each remark, as passes have them.
std::string print_replay(const StatementList& list,
                         const std::vector<rewriter::ReplayRemark>& remarks) {
  std::string text = remarks.empty() ? "" : "# replay:\n";
  for (const rewriter::ReplayRemark& remark : remarks)
    text +=
        fmt::format("#   {}: {}{}\n",
                    rewriter::print::line_label(list, list.statements[remark.statement].where.line),
                    remark.refused ? "not done: " : "", remark.text);
  return text;
}

std::vector<int> lines_of(const std::map<int, std::string>& left_out) {
  std::vector<int> lines;
  for (const auto& [line, why] : left_out) lines.push_back(line);
  return lines;
}

/// Says on standard error which prints the list does not have.
void say_missing_prints(const Program& program) {
  for (const auto& [line, why] : program.left_out)
    if (why.starts_with("print"))
      cudamat::say("symdump: warning: {}: prints nothing: {}\n",
                   program.source ? program.source->named_line(line) : "", why);
}

template <class M>
Report compute_in(const Program* program, const StatementList& list, const Options& options) {
  using T = typename M::value_type;
  constexpr bool kOnCpu = std::is_same_v<M, npmat::CUDAMatrix<T>>;
  Report report;
  const Arrays<T> inputs = load_inputs<T>(inputs_of(program, list), options, report.text);
  const tools::InterruptHandler handler;
  tools::EndsSoon ends_soon("symdump");
  std::optional<NumpyRun> numpy;  // works beside the run
  if (options.verify == Verify::Numpy)
    numpy.emplace(NumpyTask<T>{*program->source, inputs, output_names(list),
                               lines_of(program->left_out), program->known, options});
  rewriter::RunResult<T> result;
  rewriter::RunOptions run_options{.seed = options.seed,
                                   .memory_limit = kOnCpu ? tools::memory_available() : 0,
                                   .replay = options.replay};
  std::string times, printed;
  if (options.time) {
    Report timed;
    auto first = run_timed<M>(list, inputs, options, std::move(run_options), timed);
    if (!timed.interrupted.empty()) return timed;
    times = std::move(timed.text);
    result = std::move(*first);
  } else {
    Progress progress(list.statements.size());
    int line = 0;
    run_options.before_statement = [&](std::size_t at) {
      progress.at(at);
      if (at < list.statements.size()) line = list.statements[at].where.line;
    };
    if (numpy)
      run_options.print = [&](const std::string& text) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
        if (!program->left_out.contains(line)) printed += text;
      };
    result = rewriter::run<M>(list, inputs, run_options);
  }
  cut_to_lengths(program != nullptr ? *program : with_lengths_of(list), result.outputs);
  if (program != nullptr) say_missing_prints(*program);
  if (program != nullptr)
    report.text += rounded_integers<T>(*program, inputs, result.outputs, options.seed);
  if (options.run) {
    report.text += fmt::format("# ran {} statements on {}{}, peak {} bytes in an arena of {}\n",
                               list.statements.size(), M::engine::name(),
                               options.engine == "auto" ? " (chosen by auto)" : "",
                               result.peak_bytes, result.arena_bytes);
    if (options.remarks) report.text += print_replay(list, result.replay);
    if (options.remarks && kOnCpu) report.text += print_regions(list, options.precision);
    for (const rewriter::Binding& output : list.outputs)
      report.text += show(output.name, result.outputs.at(output.name));
  }
  if (options.verify != Verify::No) {
    const Run<T> run{*program,          list,   options, inputs, result.outputs,
                     M::engine::name(), kOnCpu, printed};
    report.verified = numpy ? verify_by_numpy(run, *numpy, draws_of<M>(), report.text)
                            : verify_by_evaluation(run, report.text);
  }
  ends_soon.hold();
  tools::stop_if_interrupted();
  save_results(program, result.outputs, options, report.text);
  if (!times.empty()) report.text += (report.text.empty() ? "" : "\n") + times;
  return report;
}

}  // namespace

int bytes_per_element(int precision) {
  return precision == 32 ? sizeof(float) : precision == 64 ? sizeof(double) : sizeof(long double);
}

static rewriter::DType dtype_of(const npmat::NpyHeader& header) {
  const char kind = header.kind();
  if (kind == 'b') return rewriter::DType::Bool;
  if (kind != 'i' && kind != 'u') return rewriter::DType::Float;
  using enum rewriter::DType;
  const bool is_signed = kind == 'i';
  switch (header.dtype.back()) {
    case '1':
      return is_signed ? Int8 : Uint8;
    case '2':
      return is_signed ? Int16 : Uint16;
    case '4':
      return is_signed ? Int32 : Uint32;
    default:
      return is_signed ? Int : Uint64;
  }
}

std::map<std::string, InputHead> input_heads(const Options& options) {
  std::map<std::string, InputHead> heads;
  for (const auto& [name, file] : options.inputs) {
    const npmat::NpyHeader header = npmat::read_npy_header(file);
    heads[name] = {Dims(header.shape.begin(), header.shape.end()), dtype_of(header),
                   header.kind() == 'c'};
  }
  return heads;
}

namespace {

namespace fs = std::filesystem;

/// The file that opening the path reaches, also where it does not exist yet.
fs::path reached(fs::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  const fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : canonical;
}

/// Of files that keep what is written: not of /dev/null.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  return fs::equivalent(a, b, error) || reached(a) == reached(b);
}

/// What is read or written under which option.
struct Use {
  std::string option;
  fs::path path;
};

void check_files(const StatementList& list, const Options& options) {
  std::vector<Use> uses;
  for (const auto& [option, path] : {Use{"PROGRAM", options.program}, Use{"--from", options.from}})
    if (!path.empty() && path != "-") uses.push_back({option, path});
  for (const auto& [name, file] : options.inputs) uses.push_back({"--input " + name, file});
  const auto add = [&](Use save) {
    for (const Use& use : uses)
      if (same_file(save.path, use.path))
        cudamat::misuse("symdump", "{} would write over {}, which is also the file of {}",
                        save.option, save.path.string(), use.option);
    uses.push_back(std::move(save));
  };
  for (const auto& [name, file] : options.saves) add({"--save " + name, file});
  if (options.save_all.empty()) return;
  for (const std::string& name : output_names(list))
    add({"--save-all", fs::path(options.save_all) / (name + ".npy")});
}

}  // namespace

void check_saves(const StatementList& list, const Options& options) {
  const std::vector<std::string> names = output_names(list);
  for (const auto& [name, file] : options.saves)
    if (std::find(names.begin(), names.end(), name) == names.end())
      cudamat::misuse("symdump", "--save {}: no output has that name; outputs: {}", name,
                      fmt::join(names, ", "));
  check_files(list, options);
}

static Report compute_on_engine(const Program* program, const StatementList& list,
                                const Options& options) {
  const bool gpu = tools::choose_gpu({.tool = "symdump",
                                      .option = "--run=",
                                      .engine = options.engine,
                                      .precision = options.precision});
#ifdef TOOLS_CUDA
  if (gpu)
    return options.precision == 32
               ? compute_in<cudamat::CUDAMatrix<float>>(program, list, options)
               : compute_in<cudamat::CUDAMatrix<double>>(program, list, options);
#endif
  (void)gpu;
  switch (options.precision) {
    case 32:
      return compute_in<npmat::CUDAMatrix<float>>(program, list, options);
    case 64:
      return compute_in<npmat::CUDAMatrix<double>>(program, list, options);
    default:
      return compute_in<npmat::CUDAMatrix<long double>>(program, list, options);
  }
}

Report compute(const Program* program, const StatementList& list, const Options& options) try {
  return compute_on_engine(program, list, options);
} catch (const rewriter::Raised& raised) {
  if (!list.source) throw;
  throw cudamat::CUDAMatException(fmt::format(
      "{}:{}: {}", list.source->named_line(raised.where.line), raised.where.column, raised.what()));
}

}  // namespace symdump
