#include "cudamat/kernels/module.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "cudamat/code/digest.hpp"
#include "cudamat/code/recent.hpp"
#include "cudamat/kernels/host_compiler.hpp"
#include "cudamat/kernels/interrupt.hpp"
#include "cudamat/kernels/run_host.hpp"
#include "cudamat/kernels/signature.hpp"
#include "cudamat/use_gpu.hpp"

namespace cudamat::kernels {
namespace {

constexpr std::size_t kMostLibraries = 128;  ///< in memory, besides those that modules hold

struct Loaded {
  std::once_flag once;
  std::shared_ptr<HostLibrary> library;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The program for the execution on the CPU, with an entry for each kernel.
std::string host_program(const Source& source, const std::string& file,
                         const std::vector<std::string>& kernels) {
  std::string text = fmt::format("#include \"simt_user.h\"\n#line 1 \"{}\"\n{}", file, source.host);
  text += "\n#line 1 \"entries\"\n#include \"simt_user_end.h\"\n";
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format("SIMT_ENTRY({}, ::{})\n", i, kernels[i]);
  return text;
}

/// The lines of the compiler's log that are about the user's file.
std::string about(const std::string& file, const std::string& log) {
  std::istringstream lines(log);
  std::string kept;
  bool keep = true;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    const std::string_view rest = colon == std::string::npos || line[0] == ' '
                                      ? ""
                                      : std::string_view(line).substr(colon + 1);
    const bool begins = rest.starts_with(" In ") || rest.starts_with(" At ") ||
                        (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0);
    if (line.starts_with("In file included") || line.find(" from ") == 16)
      keep = false;
    else if (begins)
      keep = line.compare(0, colon, file) == 0;
    if (keep) kept += line + '\n';
  }
  return kept;
}

/// Why the kernel cannot be called.
std::string refused(const std::string& kernel, const std::string& log) {
  for (const char* const sign : {"overloaded", "no matches converting", "ambiguous"})
    if (log.find(sign) != std::string::npos)
      return fmt::format(
          "the kernel '{}' has the name of other functions, of C++ or of CUDA: call it something "
          "else\n",
          kernel);
  return fmt::format(
      "the kernel '{}' cannot be called: it returns void, and takes numbers and pointers\n",
      kernel);
}

/// What is wrong with the source, without what stands around it in host_program().
std::string told(const std::string& log, const std::string& file,
                 const std::vector<std::string>& kernels) {
  std::string kept = about(file, log);
  if (kept.find("error:") != std::string::npos) return kept;
  if (kept.find("to match this") != std::string::npos)
    return "a bracket is not closed before the end\n" + kept;
  constexpr std::string_view kEntries = "\nentries:";
  for (std::size_t at = log.find(kEntries); at != std::string::npos;
       at = log.find(kEntries, at + 1)) {
    const int line = std::atoi(log.c_str() + at + kEntries.size());  // 0: "entries: In function"
    if (line > 1 && static_cast<std::size_t>(line) <= kernels.size() + 1)
      return refused(kernels[static_cast<std::size_t>(line) - 2], log);
  }
  return log;
}

std::shared_ptr<HostLibrary> load(const Source& source, const std::string& user_text,
                                  const SourceModule::Options& options,
                                  const std::vector<std::string>& kernels) {
  // Never destroyed: modules may be gone after it.
  static auto* const libraries = new code::Recent<std::string, Loaded>(kMostLibraries);
  const std::string program = host_program(source, options.name, kernels);
  std::string key = program;
  for (const std::string& flag : options.flags) key += '\n' + flag;
  const std::shared_ptr<Loaded> loaded = libraries->at(std::hash<std::string>()(key), key);
  std::call_once(loaded->once, [&] {
    const HostCompiled compiled = compile_for_host(program, user_text, options.name, options.flags);
    if (compiled.is_interrupted) throw KernelInterrupted("SourceModule", compiled.failure);
    if (!compiled.failure.empty())
      misuse("SourceModule", "{}{}{}", compiled.failure, compiled.log.empty() ? "" : ":\n",
             told(compiled.log, options.name, kernels));
    loaded->library = std::make_shared<HostLibrary>(compiled.code, kernels.size());
  });
  return loaded->library;
}

void check_options(const SourceModule::Options& options) {
  for (const std::string& flag : options.flags)
    if (!flag.starts_with("-D") || flag.size() < 3)
      misuse(Reason::Unsupported, "SourceModule", "flags are -DNAME or -DNAME=VALUE; got '{}'",
             flag);
  if (options.name.empty() || options.name.find_first_of("\"\\\n/") != std::string::npos)
    misuse(Reason::Unsupported, "SourceModule", "'{}' is not a valid name of a source",
           options.name);
}

/// Where kernels run that have no matrices.
bool prefers_gpu() {
  switch (use_gpu()) {
    case UseGpu::No:
      return false;
    case UseGpu::Yes:
      return true;
    default:
      return GpuModule::is_there();
  }
}

}  // namespace

Module::Module(std::string text, SourceModule::Options options)
    : text_(std::move(text)), options_(std::move(options)), source_(read_source(text_)) {
  check_options(options_);
  for (const KernelDeclaration& kernel : source_.kernels)
    if (!kernel.is_template) names_.push_back(kernel.name);
  if (source_.kernels.empty())
    misuse("SourceModule", "the source has no kernel: no function is __global__");
  read_types();
}

/// Compiles for the device at hand; what is compiled names the types.
void Module::read_types() {
  const bool gpu = !options_.check && prefers_gpu();
  for (std::size_t i = 0, k = 0; i < source_.kernels.size(); ++i) {
    if (source_.kernels[i].is_template) continue;
    const std::string& type = gpu ? on_gpu().types()[k] : on_host().kernels()[k].type;
    parameters_.push_back(parameters_of(type, source_.kernels[i].parameters));
    ++k;
  }
}

std::size_t Module::number_of(const std::string& kernel) const {
  const auto found = std::ranges::find(names_, kernel);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  const std::string plain = kernel.substr(0, kernel.find('<'));
  for (const KernelDeclaration& declared : source_.kernels)
    if (declared.is_template && declared.name == plain)
      misuse("SourceModule",
             "'{}' is a template: get_function knows the instances that the source asks for, as "
             "`template __global__ void {}<float>(...);` does",
             plain, plain);
  misuse("SourceModule", "there is no kernel '{}'; the source has {}", kernel,
         names_.empty() ? "templates alone" : joined(names_));
}

HostLibrary& Module::on_host() {
  const std::lock_guard lock(mutex_);
  if (host_ == nullptr) host_ = load(source_, text_, options_, names_);
  return *host_;
}

GpuModule& Module::on_gpu() {
  const std::lock_guard lock(mutex_);
  if (gpu_ == nullptr)
    gpu_ = std::make_unique<GpuModule>(source_.device, options_.name, names_, options_.flags);
  return *gpu_;
}

void Module::run(std::size_t kernel, const Launch& launch, std::span<const Argument> arguments) {
  const std::string& name = names_[kernel];
  check_arguments(name, parameters_[kernel], arguments);
  check_launch(name, launch, 0);
  const Argument *on_gpu_engine = nullptr, *on_cpu_engine = nullptr;
  for (const Argument& argument : arguments)
    if (argument.kind == Argument::Kind::Matrix)
      (argument.on_gpu ? on_gpu_engine : on_cpu_engine) = &argument;
  if (on_gpu_engine != nullptr && on_cpu_engine != nullptr)
    misuse(name, "takes matrices of one engine; got {} and {}", on_gpu_engine->where,
           on_cpu_engine->where);
  const bool gpu =
      !options_.check && on_cpu_engine == nullptr && (on_gpu_engine != nullptr || prefers_gpu());
  if (gpu) return on_gpu().run(kernel, name, parameters_[kernel], launch, arguments);
  const HostProgram program{on_host(), source_, text_, options_.name};
  check_launch(name, launch, launch.shared_bytes == 0 ? 0 : static_shared_bytes(program));
  run_on_host(program, kernel, name, parameters_[kernel], launch, arguments);
}

}  // namespace cudamat::kernels

namespace cudamat {

Argument Argument::host(void* data, Index size, Scalar type, Direction direction) {
  Argument argument;
  argument.kind = Kind::HostArray;
  argument.type = type;
  argument.direction = direction;
  argument.writable = direction != Direction::In;
  argument.data = data;
  argument.size = size;
  argument.where = "the host";
  return argument;
}

void KernelFunction::run(const Launch& launch, std::span<const Argument> arguments) const {
  module_->run(number_, launch, arguments);
}

const std::string& KernelFunction::name() const {
  return module_->names()[number_];
}

const std::vector<KernelParameter>& KernelFunction::parameters() const {
  return module_->parameters(number_);
}

SourceModule::SourceModule(const std::string& source) : SourceModule(source, Options()) {}

SourceModule::SourceModule(const std::string& source, const Options& options)
    : module_(std::make_shared<kernels::Module>(source, options)) {}

KernelFunction SourceModule::get_function(const std::string& name) const {
  return {module_, module_->number_of(name)};
}

std::vector<std::string> SourceModule::functions() const {
  return module_->names();
}

const char* kernels_run_on() {
  return kernels::prefers_gpu() ? "the GPU" : "the CPU";
}

}  // namespace cudamat
