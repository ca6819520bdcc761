#include "cudamat/kernels/run_host.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cudamat/kernels/callbacks.hpp"
#include "cudamat/kernels/heap.hpp"
#include "cudamat/kernels/interrupt.hpp"
#include "cudamat/kernels/output.hpp"
#include "cudamat/kernels/reachable.hpp"
#include "cudamat/kernels/report.hpp"
#include "cudamat/kernels/sandbox.hpp"
#include "cudamat/kernels/signature.hpp"
#include "cudamat/simt/checks.hpp"
#include "cudamat/simt/memory.hpp"

namespace cudamat::kernels {
namespace {

using simt::Memory;

class Call final : public simt::Kernel {
 public:
  Call(void (*run)(void* const*), void* const* arguments) : run_(run), arguments_(arguments) {}
  void run_thread() const override { run_(arguments_); }
  std::vector<simt::Argument> arguments() const override { return {}; }

 private:
  void (*run_)(void* const*);
  void* const* arguments_;
};

// ---- memory ----

std::size_t bytes_of(const Argument& argument) {
  return static_cast<std::size_t>(argument.size) * size_of(argument.type);
}

/// The reachable memory that the argument's lies in.
Reachable* reachable(const Argument& argument) {
  if (argument.kind != Argument::Kind::Matrix || argument.on_gpu) return nullptr;
  const std::span<Reachable> all = ReachableScope::current();
  const auto* const data = static_cast<const std::byte*>(argument.data);
  const auto after = std::ranges::upper_bound(all, data, std::less<>(), &Reachable::data);
  if (after == all.begin()) return nullptr;
  Reachable& memory = *std::prev(after);
  return data < memory.data + memory.bytes ? &memory : nullptr;
}

/// What an argument points to.
bool is_array(const Argument& argument) {
  return argument.kind == Argument::Kind::Matrix || argument.kind == Argument::Kind::HostArray;
}

/// Arguments that share memory, as matrices may; they keep the distances that they have.
struct Group {
  std::byte* begin;
  std::byte* end;
  std::vector<std::size_t> arguments;
  bool is_host;  ///< an array of the host, of which the kernel has a copy of its own
};

std::vector<Group> grouped(std::span<const Argument> arguments) {
  std::vector<Group> groups;
  std::vector<std::size_t> matrices;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_array(arguments[i]) || reachable(arguments[i]) != nullptr) continue;
    auto* const data = static_cast<std::byte*>(arguments[i].data);
    if (arguments[i].kind == Argument::Kind::HostArray)
      groups.push_back({data, data + bytes_of(arguments[i]), {i}, true});
    else
      matrices.push_back(i);
  }
  std::ranges::stable_sort(matrices, std::less<>(), [&](std::size_t i) {
    return static_cast<std::byte*>(arguments[i].data);
  });
  Group* last = nullptr;
  for (const std::size_t i : matrices) {
    auto* const data = static_cast<std::byte*>(arguments[i].data);
    std::byte* const end = data + bytes_of(arguments[i]);
    const bool shares = last != nullptr && data < last->end && !last->is_host;
    if (shares) {
      last->end = std::max(last->end, end);
      last->arguments.push_back(i);
    } else {
      groups.push_back({data, end, {i}, false});
      last = &groups.back();
    }
  }
  return groups;
}

std::string given_to_read(const KernelParameter& parameter) {
  return fmt::format(
      "the kernel has written to {}, which it was given to read; pass the matrix itself{}",
      parameter.name,
      parameter.is_known ? fmt::format(", and declare {}*", name_of(parameter.type)) : "");
}

/// The launch's memory: copies of the arguments' arrays, and the module's own.
class Arrays {
 public:
  Arrays(const HostProgram& program, const std::vector<KernelParameter>& parameters,
         const Launch& launch, std::span<const Argument> arguments, std::size_t slack)
      : arguments_(arguments),
        parameters_(parameters),
        groups_(grouped(arguments)),
        slack_(slack),
        sandbox_(bytes_of_groups(), slack),
        places_(arguments.size()) {
    add_reachable();
    for (std::size_t g = 0; g < groups_.size(); ++g) add_group(g);
    for (const HostLibrary::Variable& variable : program.library.variables())
      add_variable(program.source, variable);
    const std::string& dynamic = program.source.dynamic_shared;
    if (!dynamic.empty()) {
      memories.push_back({program.library.dynamic(), static_cast<std::size_t>(launch.shared_bytes),
                          Memory::Kind::Shared, false});
      names.push_back({dynamic, 0, {}, {}, false, true});
    }
  }

  std::vector<Memory> memories;
  std::vector<MemoryName> names;

  /// Where the argument's array lies for the kernel.
  [[nodiscard]] std::byte* place(std::size_t argument) const { return places_[argument]; }

  /// Raises an error for a kernel that has written to what it was given to read.
  void check_constants(const std::string& name, const simt::Checks& checks) const {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (arguments_[i].kind == Argument::Kind::Matrix && !may_write(i) &&
          !is_written_by_another(i) && is_changed(i, checks))
        throw KernelFault(name, given_to_read(parameters_[i]));
  }

  /// What the kernel has written to copies.
  void copy_back(const simt::Checks& checks) const {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Argument& argument = arguments_[i];
      if (!is_array(argument) || !may_write(i) || is_in_place(i)) continue;
      if (parameters_[i].is_const && !is_changed(i, checks)) continue;  // but for a cast
      if (argument.size != 0 && argument.on_gpu)
        argument.to_device(places_[i], argument.data, argument.size);
      else if (argument.size != 0)
        std::memcpy(argument.data, places_[i], bytes_of(argument));
    }
  }

  /// Reachable memory that the kernel has written to holds values from now on.
  static void mark_written(const simt::Checks& checks) {
    const std::span<Reachable> all = ReachableScope::current();
    for (const std::size_t memory : checks.written_to())
      if (memory < all.size()) all[memory].written = true;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> bytes_of_groups() const {
    std::vector<std::size_t> bytes;
    for (const Group& group : groups_)
      bytes.push_back(static_cast<std::size_t>(group.end - group.begin));
    return bytes;
  }

  void add_group(std::size_t g) {
    const Group& group = groups_[g];
    bool written = false;
    std::string name;
    for (const std::size_t i : group.arguments) {
      const Argument& argument = arguments_[i];
      places_[i] = sandbox_[g] + (static_cast<std::byte*>(argument.data) - group.begin);
      written |= argument.direction != Direction::Out && !argument.fresh;
      if (argument.size != 0 && argument.on_gpu)
        argument.to_host(argument.data, places_[i], argument.size);
      else if (argument.size != 0)
        std::memcpy(places_[i], argument.data, bytes_of(argument));
      name += (name.empty() ? "" : " and ") + parameters_[i].name;
    }
    const Argument& first = arguments_[group.arguments.front()];
    memories.push_back({sandbox_[g], static_cast<std::size_t>(group.end - group.begin),
                        Memory::Kind::Array, written, false, slack_});
    names.push_back({name,
                     size_of(first.type),
                     {},
                     first.shape,
                     first.shape.size() != 0 && group.arguments.size() == 1,
                     false});
  }

  /// Of the array with so many bytes: elements are at most 16 bytes large.
  static std::vector<Index> extents_of(const SharedDeclaration& declared, Index bytes) {
    if (declared.others.empty()) return declared.extents;
    std::vector<std::vector<Index>> all = declared.others;
    all.insert(all.begin(), declared.extents);
    for (const std::vector<Index>& extents : all) {
      Index elements = 1;
      for (const Index extent : extents) elements *= extent;
      if (extents.empty() || elements <= 0 || bytes % elements != 0) continue;
      if (const Index size = bytes / elements; size <= 16 && (size & (size - 1)) == 0)
        return extents;
    }
    return {};
  }

  /// First, so that a reachable memory has the same number here.
  void add_reachable() {
    const std::span<Reachable> all = ReachableScope::current();
    names.resize(all.size(), {"", 1, {}, {}, false, false});
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Reachable* const memory = reachable(arguments_[i]);
      if (memory == nullptr) continue;
      places_[i] = static_cast<std::byte*>(arguments_[i].data);
      MemoryName& name = names[static_cast<std::size_t>(memory - all.data())];
      if (name.name.empty() && parameters_[i].is_known) name.element = size_of(parameters_[i].type);
      name.name += (name.name.empty() ? "" : " and ") + parameters_[i].name;
    }
    for (MemoryName& name : names)
      if (name.name.empty()) name.name = "memory of mem_alloc";
    for (const Reachable& memory : all)
      memories.push_back({memory.data, memory.bytes, Memory::Kind::Array, memory.written, true});
  }

  /// Whether the argument says so; a kernel may cast a parameter's const away.
  [[nodiscard]] bool may_write(std::size_t i) const {
    const Argument& argument = arguments_[i];
    const bool is_matrix = argument.kind == Argument::Kind::Matrix;
    return argument.direction != Direction::In &&
           (is_matrix ? argument.writable : !parameters_[i].is_const);
  }

  [[nodiscard]] bool is_in_place(std::size_t i) const {
    return places_[i] == static_cast<std::byte*>(arguments_[i].data);
  }

  /// Whether the kernel was given memory of the matrix to write as well.
  [[nodiscard]] bool is_written_by_another(std::size_t i) const {
    const std::byte* const data = places_[i];
    for (std::size_t j = 0; j < arguments_.size(); ++j) {
      const Argument& other = arguments_[j];
      if (other.kind != Argument::Kind::Matrix || !other.writable) continue;
      if (other.direction != Direction::In && places_[j] < data + bytes_of(arguments_[i]) &&
          data < places_[j] + bytes_of(other))
        return true;
    }
    return false;
  }

  /// Whether the kernel has changed elements of a matrix.
  [[nodiscard]] bool is_changed(std::size_t i, const simt::Checks& checks) const {
    const Argument& argument = arguments_[i];
    const std::size_t bytes = bytes_of(argument);
    if (bytes == 0) return false;
    if (is_in_place(i))
      return std::ranges::any_of(checks.overwritten(), [&](const simt::Overwritten& old) {
        return old.data >= places_[i] && old.data < places_[i] + bytes &&
               std::memcmp(old.data, old.before.data(), old.bytes) != 0;
      });
    if (!argument.on_gpu) return std::memcmp(argument.data, places_[i], bytes) != 0;
    std::vector<std::byte> before(bytes);
    argument.to_host(argument.data, before.data(), argument.size);
    return std::memcmp(before.data(), places_[i], bytes) != 0;
  }

  void add_variable(const Source& source, const HostLibrary::Variable& variable) {
    const auto shared = source.shared.find(variable.name);
    const bool is_shared = shared != source.shared.end();
    if (variable.is_local && !is_shared) return;  // a constant of a function, say
    memories.push_back({variable.data, variable.bytes,
                        is_shared ? Memory::Kind::Shared : Memory::Kind::Variable, !is_shared});
    MemoryName name{variable.name, 0, {}, {}, false, false};
    if (is_shared) name.extents = extents_of(shared->second, Index(variable.bytes));
    Index elements = 1;
    for (const Index extent : name.extents) elements *= extent;
    if (!name.extents.empty() && elements > 0 && Index(variable.bytes) % elements == 0)
      name.element = static_cast<std::size_t>(Index(variable.bytes) / elements);
    else
      name.extents.clear();
    names.push_back(name);
  }

  std::span<const Argument> arguments_;
  const std::vector<KernelParameter>& parameters_;
  std::vector<Group> groups_;
  std::size_t slack_;  ///< of the sandbox
  Sandbox sandbox_;
  std::vector<std::byte*> places_;
};

/// At its end, reachable memory is what it was before the launch, unless the launch was sound.
class Undo {
 public:
  explicit Undo(const simt::Checks& checks) : checks_(checks) {}
  ~Undo() {
    if (is_sound) return;
    for (const simt::Overwritten& old : checks_.overwritten())
      std::memcpy(old.data, old.before.data(), old.bytes);
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  bool is_sound = false;

 private:
  const simt::Checks& checks_;
};

/// What a launch with reported faults may access before and after an array.
constexpr std::size_t kSlack = std::size_t{64} << 20;
constexpr const char* kGoesOn = "\nThe kernel goes on, as on a GPU: CUDAMAT_KERNEL_FAULTS=report\n";

/// What CUDAMAT_KERNEL_FAULTS says: to report them and to go on, or to raise the first.
bool faults_are_reported(const std::string& kernel) {
  const char* const text = std::getenv("CUDAMAT_KERNEL_FAULTS");
  const std::string_view choice = text == nullptr ? "" : text;
  if (choice.empty() || choice == "raise") return false;
  if (choice == "report") return true;
  misuse(kernel, "CUDAMAT_KERNEL_FAULTS must be 'raise' or 'report'; got '{}'", choice);
}

/// Where the thread was about to go on: after a call, whose place it is, or at its beginning.
std::uint32_t place_in(const HostLibrary& library, const HostLibrary::Kernel& kernel,
                       const simt::Failed& failed) {
  if (!library.has_code(failed.instruction)) return 0;
  const bool begins = failed.instruction == reinterpret_cast<const void*>(kernel.run);
  return static_cast<std::uint32_t>(library.place_of(failed.instruction) - (begins ? 0 : 1));
}

dim3 as_dim3(const Extent3& extent) {
  return {static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
          static_cast<unsigned>(extent.z)};
}

void check_threads(const std::string& name, const Launch& launch) {
  const auto blocks = static_cast<long double>(launch.grid.x) *
                      static_cast<long double>(launch.grid.y) *
                      static_cast<long double>(launch.grid.z);
  const Index threads = launch.block.x * launch.block.y * launch.block.z;
  if (blocks * static_cast<long double>(threads) >
      static_cast<long double>(simt::Checks::kMostThreads))
    misuse(Reason::Unsupported, name,
           "the launch has {:.0f} threads: thread by thread on the CPU there are at most {}",
           static_cast<double>(blocks) * static_cast<double>(threads), simt::Checks::kMostThreads);
}

}  // namespace

std::span<Reachable>& ReachableScope::current() {
  thread_local std::span<Reachable> memories;
  return memories;
}

Index static_shared_bytes(const HostProgram& program) {
  Index bytes = 0;
  for (const HostLibrary::Variable& variable : program.library.variables())
    if (program.source.shared.count(variable.name) != 0) bytes += Index(variable.bytes);
  return bytes;
}

void run_on_host(const HostProgram& program, std::size_t kernel, const std::string& name,
                 const std::vector<KernelParameter>& parameters, const Launch& launch,
                 std::span<const Argument> arguments) {
  check_threads(name, launch);
  const bool continues = faults_are_reported(name);
  Arrays arrays(program, parameters, launch, arguments, continues ? kSlack : 0);
  Heap heap;
  Output output(name);
  std::vector<std::uint64_t> words(arguments.size());
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == Argument::Kind::Number)
      words[i] = number_as(parameters[i].type, arguments[i]);
    else
      words[i] = reinterpret_cast<std::uint64_t>(arrays.place(i));
    pointers.push_back(&words[i]);
  }

  const std::lock_guard lock(program.library.running);
  const Index threads = launch.block.x * launch.block.y * launch.block.z;
  std::vector<Memory> memories = heap.memories();
  memories.insert(memories.begin(), arrays.memories.begin(), arrays.memories.end());
  simt::Checks checks(memories, static_cast<std::size_t>(threads), continues);
  Undo undo(checks);
  const Attached attached(program.library, checks, heap, output);
  const Call call(program.library.kernels()[kernel].run, pointers.data());
  simt::watch_faults();
  const auto about = [&] {
    checks.restore();
    return Report{program, name, launch, arrays.names};
  };
  try {
    simt::execute({name.c_str(), as_dim3(launch.grid), as_dim3(launch.block), 0}, call, checks);
  } catch (const simt::Failed& failed) {
    simt::Fault fault = checks.fault();
    if (fault.kind == simt::Fault::Kind::None && Attached::is_interrupted()) {
      fault.kind = simt::Fault::Kind::Interrupted;
      fault.place = place_in(program.library, program.library.kernels()[kernel], failed);
    }
    if (fault.kind == simt::Fault::Kind::None) fault.kind = simt::Fault::Kind::Text;
    if (fault.kind == simt::Fault::Kind::Interrupted)
      throw KernelInterrupted(name, report(about(), fault, failed));
    throw KernelFault(name, report(about(), fault, failed));
  }
  for (const auto& [fault, failed] : checks.noted())
    if (program.library.told.emplace(fault.kind, fault.place, failed.what()).second)
      std::fputs(
          (KernelFault(name, report(about(), fault, failed)).what() + std::string(kGoesOn)).c_str(),
          stderr);
  checks.restore();
  arrays.check_constants(name, checks);
  arrays.copy_back(checks);
  Arrays::mark_written(checks);
  heap.keep(checks);
  undo.is_sound = true;
}

}  // namespace cudamat::kernels
