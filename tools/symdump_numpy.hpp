// A program run by NumPy itself, under the python3 that is there: the judge of --verify=numpy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cudamat/shape.hpp"
#include "npmat/array.hpp"
#include "rewriter/expr/node.hpp"
#include "rewriter/expr/program.hpp"
#include "rewriter/text/source.hpp"
#include "tools/child_process.hpp"
#include "tools/symdump_options.hpp"
#include "tools/temporary_folder.hpp"

namespace symdump {

/// What NumPy is to be given.
template <class T>
struct NumpyTask {
  const rewriter::Source& program;
  const std::map<std::string, npmat::Array<T>>& inputs;
  std::vector<std::string> outputs;
  std::vector<int> left_out;  ///< lines of the source whose prints the list does not have
  const std::vector<std::pair<std::string, rewriter::Program::Returned>>& known;
  const Options& options;  ///< function, values, and the files of inputs that are not of floats
};

/// The random numbers of the run that NumPy's are to be equal to.
struct DrawSource {
  /// The numbers of a matrix as they are in memory, column by column.
  std::function<std::vector<char>(rewriter::Op, cudamat::Shape)> draw;
  std::function<void(std::uint64_t)> seed;
};

/// 1 or 2: the NumPy of the first python3 that has one; 0 where none does.
int found_numpy();

/// tools/numpy_check.py at work. Its files lie in a temporary folder, which goes with this object.
class NumpyRun {
 public:
  /// What NumPy holds under an output's name.
  struct Output {
    std::filesystem::path file;  ///< the array; empty: it is none
    std::string instead;         ///< then: what it is
  };

  struct Judgement {
    std::vector<bool> agree;  ///< of each output
    std::string printed;      ///< the first line that differs, in words; empty: none
    /// Known values that are others in NumPy, and these, in words.
    std::vector<std::pair<std::string, std::string>> known;
  };

  /// Starts it: Python loads NumPy and the program while this process does its own part. Python
  /// and its inputs are started with, but no random numbers given, until finish(). Throws
  /// CUDAMatException where there is no python3, or none with NumPy.
  template <class T>
  explicit NumpyRun(const NumpyTask<T>& task);

  /// Gives NumPy its random numbers and waits for its results. Throws CUDAMatException if the
  /// script itself fails (no space for its files, no memory); what the program raises is in
  /// raised().
  void finish(const DrawSource& draws);
  /// After finish(), if nothing was raised: whether outputs that differ by this much, and what was
  /// printed, are only rounded otherwise (tools/numpy_roundings.py). Throws as finish() does.
  [[nodiscard]] Judgement judge(const std::vector<long double>& differences,
                                const std::string& printed);

  /// "prog.py:3: ValueError: ...", where NumPy does not run the program.
  [[nodiscard]] std::string raised() const;
  /// Of the output k of the task.
  [[nodiscard]] Output output(std::size_t k) const;
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  void start();
  [[noreturn]] void fail();
  [[nodiscard]] std::string errors() const;

  tools::TemporaryFolder folder_{"symdump"};
  std::unique_ptr<tools::ChildProcess> python_;
  std::string version_;
};

extern template NumpyRun::NumpyRun(const NumpyTask<float>&);
extern template NumpyRun::NumpyRun(const NumpyTask<double>&);
extern template NumpyRun::NumpyRun(const NumpyTask<long double>&);

}  // namespace symdump
