// The kernel of the tutorial, with arrays that are long enough and with arrays that are too short.
#include <cstdio>
#include <vector>

#include "cudamat/kernels.hpp"

int main() {
  const cudamat::SourceModule module(
      R"(
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)",
      {.check = true});  // on the CPU, whether there is a GPU or not
  const auto multiply_them = module.get_function("multiply_them");
  for (const std::size_t n : {400, 100}) {
    const std::vector<float> a(n, 2), b(n, 3);
    std::vector<float> dest(n);
    try {
      multiply_them({.block = {400}, .grid = {1}}, cudamat::Out(dest), cudamat::In(a),
                    cudamat::In(b));
      std::printf("%zu elements: the last one is %g\n", n, dest[n - 1]);
    } catch (const cudamat::KernelFault& fault) {
      std::printf("%zu elements: %s\n", n, fault.what());
    }
  }
}
