// Writes what print_cudamat_cpp() makes of the sample lists, one header each, into the folder that
// is its argument; rewriter_print_cpp_test.cpp includes them.
#include <filesystem>
#include <fstream>

#include "rewriter/emit/print.hpp"
#include "tests/loop_sample.hpp"
#include "tests/print_samples_calls.hpp"

int main(int /*argc*/, char** argv) {
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto write = [&folder](const char* name, const rewriter::StatementList& list) {
    std::ofstream(folder / name) << rewriter::print_cudamat_cpp(list);
  };
  write("gradient.hpp", samples::gradient(5, 7, 3));
  write("calls.hpp", samples::calls(true).list);
  write("awkward.hpp", samples::awkward());
  write("loops.hpp", samples::loops());
  write("transposed.hpp", samples::transposed());
  write("empty.hpp", {});
}
