// A library that compile_for_host() made, loaded: its kernels, and what its program holds in
// memory.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cudamat/code/loaded_object.hpp"
#include "cudamat/simt/checks.hpp"

namespace simt {
struct Host;
}

namespace cudamat::kernels {

class HostLibrary {
 public:
  struct Kernel {
    void (*run)(void* const* arguments);
    std::string type;  ///< "void (float*, float const*)"
  };
  /// A variable of the program.
  struct Variable {
    std::string name;  ///< as in the source
    bool is_local;     ///< of a function
    std::byte* data;
    std::size_t bytes;
  };

  /// With so many entries. Throws CUDAMatException if it cannot be loaded.
  HostLibrary(const std::string& code, std::size_t kernels);

  [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  /// Where `extern __shared__` arrays lie.
  [[nodiscard]] std::byte* dynamic() const { return dynamic_; }
  /// The file and line of an address in the code, given from the library's beginning; {"", 0}
  /// where it is not known. Of functions that were put in, the one in a file of this name.
  [[nodiscard]] int line_of(std::size_t offset, const std::string& file) const;
  [[nodiscard]] const std::byte* base() const { return base_; }
  /// What line_of() takes for it.
  [[nodiscard]] std::size_t place_of(const void* instruction) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(instruction) - base_);
  }
  /// Whether the instruction is one of the kernels' own, and none of what the compiler has put in.
  [[nodiscard]] bool has_code(const void* instruction) const {
    return instruction >= code_.data() && instruction < code_.data() + code_.size();
  }
  /// From now on what has_code() runs no more: to come there is an access to where there is none,
  /// by that instruction. For handlers of signals.
  void close_code() const;
  void open_code() const;
  /// What it calls back from now on.
  void attach(const simt::Host& host) const { attach_(&host); }

  std::mutex running;  ///< held while a kernel of it runs: it has one memory
  std::set<std::tuple<simt::Fault::Kind, std::uint32_t, std::string>>
      told;  ///< faults, reported once

 private:
  void read_code(const std::string& code);
  void read_variables(const std::string& code);

  code::LoadedObject object_;
  std::byte* base_ = nullptr;
  std::span<std::byte> code_;  ///< of the kernels; whole pages
  std::byte* dynamic_ = nullptr;
  void (*attach_)(const simt::Host*) = nullptr;
  std::vector<Kernel> kernels_;
  std::vector<Variable> variables_;
};

}  // namespace cudamat::kernels
