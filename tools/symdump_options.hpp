// symdump's command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rewriter/expr/node.hpp"

namespace symdump {

/// NAME=VALUE of a repeatable option, in the order given.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// What the statements are verified against.
enum class Verify : std::uint8_t {
  No,
  Tree,   ///< the program's expressions, evaluated directly
  Numpy,  ///< NumPy, which runs the program's text
};

struct Options {
  std::string program;  ///< a path, or - for standard input; empty with from alone and with diff
  std::string from;     ///< a printed list to be read instead of a program; empty: none
  std::vector<std::string> diff;  ///< two lists or programs to be compared; empty: none
  std::string emit;               ///< empty: not asked for
  std::vector<std::pair<std::string, rewriter::Dims>> shapes;
  NamedValues inputs;
  std::vector<std::string> folders;  ///< of modules, in addition to the program's own
  std::string function;              ///< empty: the program itself
  int numpy = 0;                     ///< whose rules: 1, 2; 0: not asked for
  std::vector<std::pair<std::string, std::variant<std::int64_t, double>>> values;
  bool run = false;
  std::string engine = "auto";
  bool replay = true;  ///< loops on a GPU
  int precision = 32;
  std::uint64_t seed = 0;
  std::vector<std::string> outputs;
  NamedValues saves;
  std::string save_all;
  Verify verify = Verify::No;
  bool time = false;
  std::int64_t repeat = 0;  ///< runs to be timed; 0: not asked for
  bool colour = false;
  std::string passes = "none";
  std::string stop_after;   ///< empty: none
  std::string print_after;  ///< empty: none
  bool remarks = false;
  bool list_passes = false;
  bool list_functions = false;
  bool time_passes = false;
  bool memory = false;
  std::int64_t limit = -1;  ///< bytes; -1: none

  /// Something is to be computed, not only printed.
  [[nodiscard]] bool computes() const {
    return run || time || verify != Verify::No || !saves.empty() || !save_all.empty();
  }
};

/// Whether a file that --diff compares is a program, not a printed list: its name ends in .py.
bool is_program(const std::string& path);

/// The options, or the exit status if the command line already settled it (--help, --version, an
/// error: said on the standard streams).
std::pair<std::optional<Options>, int> parse_options(int argc, char** argv);

}  // namespace symdump
