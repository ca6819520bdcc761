// A kernel's parameters, from its type as the C++ library names it.
#pragma once

#include <string>
#include <vector>

#include "cudamat/kernels.hpp"

namespace cudamat::kernels {

/// `type` is "void (float*, float const*, int)" or "scale(float*, int)"; `names` are those of the
/// source, as many or none.
std::vector<KernelParameter> parameters_of(const std::string& type,
                                           const std::vector<std::string>& names);

/// "multiply_them(float* dest, float const* a, float const* b)".
std::string describe(const std::string& name, const std::vector<KernelParameter>& parameters);

const char* name_of(Scalar type);
std::size_t size_of(Scalar type);

/// Raises an error for arguments that the parameters do not take, in the kernel's name.
void check_arguments(const std::string& kernel, const std::vector<KernelParameter>& parameters,
                     std::span<const Argument> arguments);

/// Raises an error for what no device takes. `static_bytes` are those of the kernel's own shared
/// arrays.
void check_launch(const std::string& kernel, const Launch& launch, Index static_bytes);

/// A number's bytes as the parameter's type, which check_arguments() has found to take it.
std::uint64_t number_as(Scalar type, const Argument& argument);

}  // namespace cudamat::kernels
