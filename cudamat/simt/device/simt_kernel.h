// A kernel with its arguments, as the execution on the CPU sees it.
#pragma once

#include <cstddef>
#include <vector>

namespace simt {

struct Argument {
  const void* data;
  std::size_t bytes;
  bool is_pointer;
  bool is_const;  ///< it points to const
};

/// A kernel with its arguments, which were copied at the launch.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run_thread() const = 0;
  virtual std::vector<Argument> arguments() const = 0;
};

}  // namespace simt
