// Behind a program that is compiled at run time: how its kernels are called from outside.
#pragma once

#include <cstddef>
#include <typeinfo>
#include <utility>

namespace simt {

template <class... Params>
void run_kernel(void (*kernel)(Params...), void* const* args) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    kernel(*static_cast<const Params*>(args[I])...);
  }
  (std::index_sequence_for<Params...>());
}

/// The sizes of its arguments, then 0.
template <class... Params>
const std::size_t* sizes_of_arguments(void (*)(Params...)) {
  static constexpr std::size_t sizes[] = {sizeof(Params)..., 0};
  return sizes;
}

}  // namespace simt

#define SIMT_EXPORT(kernel)                              \
  extern "C" void simt_run_##kernel(void* const* args) { \
    simt::run_kernel(&kernel, args);                     \
  }                                                      \
  extern "C" const std::size_t* simt_sizes_##kernel() {  \
    return simt::sizes_of_arguments(&kernel);            \
  }                                                      \
  extern "C" const char* simt_type_##kernel() {          \
    return typeid(decltype(kernel)).name();              \
  }
