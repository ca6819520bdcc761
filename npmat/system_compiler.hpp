// Machine code at run time, by the system's C++ compiler, where there is one. Internal to npmat.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cudamat/code/cache.hpp"

namespace npmat {

/// A shared object, or why there is none.
struct CompiledObject {
  std::string object;
  std::string failure;  ///< empty where there is one
};

class SystemCompiler {
 public:
  /// `named`, as a shell reads it, or if that is empty the first of c++, g++ and clang++ that PATH
  /// leads to. Takes as long as the compiler takes to say its version; none that takes longer than
  /// `patience` for anything. What was compiled is in the cache.
  explicit SystemCompiler(std::string_view named, cudamat::code::Cache cache = {},
                          std::chrono::milliseconds patience = std::chrono::minutes(1));

  [[nodiscard]] bool is_there() const { return !command_.empty(); }

  /// What was compiled from the source before, if it is in the cache on the disk
  /// (cudamat/code/cache.hpp) still; nothing if it is not.
  [[nodiscard]] std::string find(std::string_view source) const;

  /// Compiles it for this machine's instructions, with contraction off, and puts the object into
  /// the cache. In the background it gives way to other work. What takes longer than `patience` is
  /// stopped, as it is where the process ends. Works in a folder of its own in $TMPDIR,
  /// which is gone afterwards. Throws nothing but std::bad_alloc.
  [[nodiscard]] CompiledObject compile(std::string_view source, bool in_background) const;

 private:
  cudamat::code::Cache cache_;
  std::chrono::milliseconds patience_;
  std::string named_;
  std::string command_;   ///< as a shell reads it; empty if there is none
  std::string identity_;  ///< its path and version
  std::string trouble_;   ///< of looking for it
};

}  // namespace npmat
