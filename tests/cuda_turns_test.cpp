// Where the device has few multiprocessors (SIMT_MULTIPROCESSORS), grids are small: then the tests
// of this program must have let every grid-stride loop of every kernel take a second turn.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <string>
#include <vector>

#include "cudamat/simt/simt.hpp"

namespace {

/// The lines of the kernels' sources that match, "transpose.cu:49".
std::vector<std::string> lines_with(const std::regex& pattern) {
  std::vector<std::string> found;
  const std::filesystem::path sources = std::filesystem::path(CUDAMAT_SOURCE_DIR) / "cudamat/cuda";
  for (const auto& entry : std::filesystem::directory_iterator(sources)) {
    const std::string extension = entry.path().extension();
    if (extension != ".cu" && extension != ".cuh") continue;
    if (entry.path().filename() == "threads.cuh") continue;  // where the steps are defined
    if (entry.path().filename() == "fused.cuh") continue;    // see cuda_fused_test.cpp
    std::ifstream file(entry.path());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
      if (std::regex_search(line, pattern))
        found.push_back(entry.path().filename().string() + ':' + std::to_string(number));
  }
  return found;
}

std::vector<std::string> loops() {
  return lines_with(std::regex(R"(\bstride(_[xy])?\(\))"));
}

TEST(CudaLoops, TakeTheirStepsWhereTurnsAreCounted) {
  EXPECT_THAT(lines_with(std::regex(R"(\bgridDim\b)")), testing::IsEmpty())
      << "use stride(), stride_x() or stride_y() of threads.cuh";
  EXPECT_GT(loops().size(), 10u);
}

class EveryLoopTurns : public testing::Environment {
 public:
  void TearDown() override {
    if (std::getenv("SIMT_MULTIPROCESSORS") == nullptr || testing::GTEST_FLAG(filter) != "*")
      return;
    EXPECT_THAT(loops(), testing::IsSubsetOf(simt::loops_that_turned()))
        << "these loops never took a second turn: they need larger operands in some test";
  }
};

const auto* const environment = testing::AddGlobalTestEnvironment(new EveryLoopTurns);

}  // namespace
