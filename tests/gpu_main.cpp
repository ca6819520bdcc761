// The main of tests that need a GPU: without one they are skipped, and say why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cudamat/cuda/device.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  fmt::print("{}\n", cudamat::cuda::describe_device());
  if (cudamat::cuda::device_count() == 0) {
    fmt::print("skipped: these tests need a GPU\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
