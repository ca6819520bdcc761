// What is read from a source, and what the compiler for the CPU gets.
#include <gmock/gmock.h>

#include "cudamat/kernels/signature.hpp"
#include "cudamat/kernels/source.hpp"

namespace {

using cudamat::kernels::parameters_of;
using cudamat::kernels::read_source;
using testing::ElementsAre;

std::vector<std::string> names(const cudamat::kernels::Source& source) {
  std::vector<std::string> result;
  for (const auto& kernel : source.kernels) result.push_back(kernel.name);
  return result;
}

TEST(KernelSource, KernelsAndTheirParameters) {
  const auto source = read_source(R"cu(// __global__ void comment(int x)
/* __global__ void another(int x) */
#define TEXT "__global__ void text(int x)"
const char* string = "__global__ void string(int x)";
const char* raw = R"x(__global__ void raw(int x) ")x";
__global__ void __launch_bounds__(256, 2) first(float *dest, const float* __restrict__ a, int, float b[4],
                                                void (*call)(int), unsigned int n = f(1, 2));
extern "C" __global__ void second(void) {}
namespace mine { namespace { __global__ void third(float* x) { if (x) { x[0] = '}'; } } } }
extern "C" {
__global__ __launch_bounds__(32) void fourth(double*) {}
}
template <class T, int N> __global__ void fifth(T* x) {}
template __global__ void fifth<float, 3>(float* x);
__device__ void helper(int x);
)cu");
  EXPECT_THAT(names(source),
              ElementsAre("first", "second", "mine::third", "fourth", "fifth", "fifth<float, 3>"));
  EXPECT_THAT(source.kernels[0].parameters, ElementsAre("dest", "a", "", "b", "", "n"));
  EXPECT_THAT(source.kernels[1].parameters, ElementsAre());
  EXPECT_THAT(source.kernels[2].parameters, ElementsAre("x"));
  EXPECT_THAT(source.kernels[3].parameters, ElementsAre(""));
  EXPECT_TRUE(source.kernels[4].is_template);
  EXPECT_FALSE(source.kernels[5].is_template);
}

TEST(KernelSource, ForTheGpuNamesHaveTypes) {
  EXPECT_EQ(
      read_source("extern \"C\" __global__ void f() {}\nextern \"C\" {\nint g() { return 1; }\n}\n")
          .device,
      "           __global__ void f() {}\n            \nint g() { return 1; }\n \n");
}

TEST(KernelSource, SharedArraysForTheCpu) {
  const auto source = read_source(R"(#define N 16
extern __shared__ float all[];
__global__ void f() {
  static __shared__ int tile[N][N + 1], row[N];
  extern volatile __shared__ __align__(16) double two[][N];
  __shared__ float one;
})");
  EXPECT_EQ(source.host, R"(#define N 16
 typedef float simt_type_of_all[]; auto& all = *reinterpret_cast<simt_type_of_all*>(simt_dynamic);
__global__ void f() {
   __shared__ int tile[N][N + 1], row[N];
   volatile typedef __align__(16) double simt_type_of_two[][N]; auto& two = *reinterpret_cast<simt_type_of_two*>(simt_dynamic);
  __shared__ float one;
})");
  EXPECT_EQ(source.dynamic_shared, "all");
  EXPECT_THAT(source.shared.at("tile").extents, ElementsAre());
  EXPECT_THAT(source.shared.at("row").extents, ElementsAre(16));
  EXPECT_EQ(source.shared.count("one"), 1u);
}

TEST(KernelSource, WhatIsNoCppDoesNoHarm) {
  for (const char* const text : {"", "__global__", "__global__ void f(", "}}}}", "\"", "R\"x(",
                                 "/*", "#define", "extern __shared__", "template <",
                                 "extern \"C\" {", "__shared__ float x[", "namespace", "#\\\n#"})
    EXPECT_EQ(read_source(text).device.size(), std::string(text).size());
}

TEST(KernelSignature, TypesAsTheLibraryNamesThem) {
  const auto parameters = parameters_of(
      "void (float*, float const*, unsigned long, double volatile*, bool, float2*, int (*)(int, "
      "int))",
      {"a", "b", "", "d", "e", "f", "g"});
  ASSERT_EQ(parameters.size(), 7u);
  EXPECT_TRUE(parameters[0].is_pointer && !parameters[0].is_const);
  EXPECT_TRUE(parameters[1].is_pointer && parameters[1].is_const);
  EXPECT_EQ(parameters[2].name, "argument 3");
  EXPECT_EQ(parameters[2].type, cudamat::Scalar::UInt64);
  EXPECT_EQ(parameters[3].type, cudamat::Scalar::Float64);
  EXPECT_EQ(parameters[4].type, cudamat::Scalar::Bool);
  EXPECT_FALSE(parameters[5].is_known);
  EXPECT_EQ(parameters[6].text, "int (*)(int, int)");
  EXPECT_TRUE(parameters_of("void ()", {}).empty());
  EXPECT_TRUE(parameters_of("second(void)", {}).empty());
}

}  // namespace
