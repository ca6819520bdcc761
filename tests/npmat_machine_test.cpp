// What the environment says of the processor.
#include <cstdlib>
#include <gmock/gmock.h>
#include <string>

#include "cudamat/error.hpp"
#include "npmat/machine.hpp"

namespace {

using npmat::Machine;
using npmat::Vectors;
using testing::HasSubstr;

/// The variables as they were come back, since tests are run with them.
class MachineOfEnvironment : public testing::Test {
 protected:
  MachineOfEnvironment() {
    for (const char* const name : {kVectors, kPrefetch}) unsetenv(name);
  }
  ~MachineOfEnvironment() override {
    set(kVectors, vectors_);
    set(kPrefetch, prefetch_);
  }
  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  static std::string refusal() {
    try {
      (void)npmat::machine_of_environment();
    } catch (const cudamat::CUDAMatException& error) {
      return error.what();
    }
    return "";
  }

  static constexpr const char* kVectors = "CUDAMAT_CPU_VECTORS";
  static constexpr const char* kPrefetch = "CUDAMAT_CPU_PREFETCH";

 private:
  static std::string value_of(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  }
  const std::string vectors_ = value_of(kVectors), prefetch_ = value_of(kPrefetch);
};

TEST_F(MachineOfEnvironment, IsWhatTheVariablesSay) {
  set(kVectors, "baseline");
  set(kPrefetch, "yes");
  EXPECT_EQ(npmat::machine_of_environment().vectors, Vectors::Baseline);
  EXPECT_TRUE(npmat::machine_of_environment().prefetches);
  set(kPrefetch, "no");
  EXPECT_FALSE(npmat::machine_of_environment().prefetches);
}

TEST_F(MachineOfEnvironment, IsTheProcessorWhereTheySayNothing) {
  const Machine found = npmat::machine_of_environment();
  set(kVectors, "auto");
  set(kPrefetch, "auto");
  EXPECT_EQ(npmat::machine_of_environment().vectors, found.vectors);
  EXPECT_EQ(npmat::machine_of_environment().prefetches, found.prefetches);
}

TEST_F(MachineOfEnvironment, RejectsInstructionsThatTheProcessorLacks) {
  const Vectors best = npmat::machine_of_environment().vectors;
  set(kVectors, "avx512");
  if (best == Vectors::Avx512)
    EXPECT_EQ(refusal(), "");
  else
    EXPECT_THAT(refusal(), HasSubstr("[CUDAMAT_CPU_VECTORS] this processor has no avx512"));
}

TEST_F(MachineOfEnvironment, RejectsOtherValues) {
  set(kVectors, "neon");
  EXPECT_EQ(refusal(), "[CUDAMAT_CPU_VECTORS] must be auto, baseline, avx2 or avx512; got 'neon'");
  set(kVectors, "");
  set(kPrefetch, "off");
  EXPECT_EQ(refusal(), "[CUDAMAT_CPU_PREFETCH] must be auto, yes or no; got 'off'");
}

}  // namespace
