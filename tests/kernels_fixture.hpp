// What the tests of users' kernels share.
#pragma once

#include <gmock/gmock.h>
#include <numeric>
#include <string>
#include <vector>

#include "cudamat/kernels.hpp"

namespace kernels_test {

using cudamat::In;
using cudamat::InOut;
using cudamat::KernelFault;
using cudamat::KernelFunction;
using cudamat::Out;
using cudamat::SourceModule;

/// The first kernel of the source.
inline KernelFunction kernel_of(const std::string& source,
                                const std::vector<std::string>& flags = {}) {
  const SourceModule module(source, {.check = false, .flags = flags, .name = "kernel.cu"});
  return module.get_function(module.functions().front());
}

/// 1, 2, 3, ...
template <class T = float>
std::vector<T> counting(std::size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T(1));
  return values;
}

/// The text of the exception that the call must end with.
template <class E, class F>
std::string refusal(const F& call) {
  try {
    call();
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}
template <class F>
std::string fault(const F& call) {
  return refusal<KernelFault>(call);
}

}  // namespace kernels_test
