#include "tools/symdump_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

#include "cudamat/error.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "tools/command_line.hpp"

namespace symdump {

namespace {

constexpr const char* kDescription =
    "Converts a NumPy program to explicit Cudamat statements, and prints, runs or verifies them.\n";

constexpr const char* kExamples = R"(Examples:
  symdump gradient.py                               print every statement, temporary and byte
  symdump --passes all --print-after all model.py   optimise, and print the list after each pass
  symdump --run model.py                            run on random inputs, and print the results
  symdump --input X=x.npy --save grad_W=g.npy gradient.py
                                                    run on data, and save one result
  symdump --verify=numpy gradient.py                compare the statements with NumPy
  symdump --verify --precision 64 gradient.py       compare the statements with direct evaluation
  symdump --emit numpy gradient.py                  print a Python module for NumPy (cupy, torch)
  symdump --emit cudamat-py gradient.py             print a module for the original Cudamat package
  symdump --emit cpp gradient.py > gradient.cpp     print one self-contained C++ file (cuda: CUDA)
  symdump --shape x=128x784 --emit tree model.py    give the shape of an input; print expressions
  symdump --function train --set epochs=5 rbm.py    convert one function of a program
  symdump --memory --limit 200MB model.py           print the memory plan, and check that it fits
  symdump --time --passes all model.py              time each statement against the machine's limits
  symdump gradient.py > list.txt; $EDITOR list.txt; symdump --from list.txt --verify gradient.py
                                                    edit the statements, and check them

A shape is written 128x784, 5 (1-D) or () (0-d). Inputs without data are filled with uniform random
numbers, and symdump says so. The default precision is GNUMPY_CPU_PRECISION, or 32. GNUMPY_USE_GPU,
auto|yes|no, selects the engine if --run does not.

--from reads a list that symdump has printed, edited or not; an illegal statement is an error. With
--verify it also takes the PROGRAM. --diff compares two lists or programs (names that end in .py) and
exits with 0 whether or not they differ.

--verify=numpy runs the program with the first python3 on PATH that has NumPy, on the same data and
random numbers. Values, types, shapes and printed text must agree.

Exit status: 0 done; 1 a verification failed; 2 a bad program, shape, file or option; 130
interrupted; 143 ended by SIGTERM.)";

std::pair<std::string, std::string> split_named(const std::string& option,
                                                const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CLI::ValidationError(option, fmt::format("expects NAME=VALUE; got '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

NamedValues split_all(const std::string& option, const std::vector<std::string>& texts) {
  NamedValues result;
  for (const std::string& text : texts) result.push_back(split_named(option, text));
  return result;
}

/// 128x784, 5, (128, 784), (5,), ().
rewriter::Dims parse_shape(const std::string& name, std::string_view text) {
  const auto refuse = [&] {
    throw CLI::ValidationError(
        "--shape", fmt::format("{}: '{}' is not a shape; write 128x784, 5 or ()", name, text));
  };
  std::string_view rest = text;
  const bool tuple = rest.size() >= 2 && rest.front() == '(' && rest.back() == ')';
  if (tuple) rest = rest.substr(1, rest.size() - 2);
  rewriter::Dims dims;
  while (!rest.empty()) {
    rewriter::Index extent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc() || extent < 0) refuse();
    dims.push_back(extent);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) break;
    if (rest.front() != (tuple ? ',' : 'x')) refuse();
    rest.remove_prefix(1);
    while (tuple && !rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    if (!tuple && rest.empty()) refuse();
  }
  if (!tuple && dims.empty()) refuse();
  return dims;
}

/// An integer, or another number.
std::variant<std::int64_t, double> parse_number(const std::string& name, const std::string& text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::int64_t integer = 0;
  if (const auto result = std::from_chars(begin, end, integer);
      result.ec == std::errc() && result.ptr == end)
    return integer;
  double real = 0;
  if (const auto result = std::from_chars(begin, end, real);
      result.ec == std::errc() && result.ptr == end)
    return real;
  throw CLI::ValidationError("--set", fmt::format("{}: '{}' is not a number", name, text));
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> result;
  for (const std::string& part : CLI::detail::split(text, ','))
    if (!part.empty()) result.push_back(part);
  return result;
}

void check_diff(const Options& options) {
  if (options.computes() || !options.emit.empty())
    throw CLI::ValidationError("--diff", "prints a comparison and nothing else");
  const bool has_program = std::any_of(options.diff.begin(), options.diff.end(), is_program);
  if (!has_program &&
      !(options.shapes.empty() && options.inputs.empty() && options.outputs.empty()))
    throw CLI::ValidationError(
        "--diff",
        "lists have their own shapes and outputs; --shape, --input and --outputs "
        "belong to programs");
}

/// What excludes what among PROGRAM, --from and --diff.
void check_sources(const Options& options) {
  const bool two = !options.from.empty() + !options.diff.empty() + !options.program.empty() > 1;
  const bool verifies_list = options.verify != Verify::No && !options.from.empty() &&
                             !options.program.empty() && options.diff.empty();
  if (two && !verifies_list)
    throw CLI::ValidationError(
        "PROGRAM, --from and --diff exclude each other, except for --from "
        "LIST --verify PROGRAM");
  if (!options.diff.empty()) return check_diff(options);
  if (options.from.empty() && options.program.empty()) throw CLI::RequiredError("PROGRAM");
  if (options.from.empty()) return;
  if (options.verify != Verify::No && options.program.empty())
    throw CLI::ValidationError("--verify",
                               "expects the program that the list comes from: symdump "
                               "--from LIST --verify PROGRAM");
  if (!options.outputs.empty())
    throw CLI::ValidationError("--outputs", "belongs to a program; a list has its own outputs");
  if (!options.shapes.empty() && options.program.empty())
    throw CLI::ValidationError("--shape", "belongs to a program; a list has its own shapes");
}

/// In lines of the help.
std::string pass_names() {
  constexpr std::size_t kLine = 80;
  std::string names;
  std::size_t start = 0;
  for (const rewriter::Pass* pass : rewriter::known_passes()) {
    names += names.empty() ? "" : ",";
    if (names.size() + pass->name.size() > start + kLine) {
      names += '\n';
      start = names.size();
    }
    names += pass->name;
  }
  return names;
}

/// What --time and --repeat go together with.
void check_time(const Options& options) {
  if (options.repeat != 0 && !options.time)
    throw CLI::ValidationError("--repeat", "says how often --time runs the program; give both");
  if (!options.time) return;
  if (!options.emit.empty() && options.emit != "statements")
    throw CLI::ValidationError(
        "--time",
        fmt::format(
            "prints a table, which is not part of the output of --emit {}; give one of the two",
            options.emit));
  if (options.verify == Verify::Numpy)
    throw CLI::ValidationError("--time",
                               "cannot be combined with --verify=numpy, as NumPy would run at the "
                               "same time; give one of the two");
}

/// Raises an error for what no run of passes can obey.
void check_passes(Options& options) {
  const char* option = "--passes";
  try {
    rewriter::PassChoice choice = rewriter::parse_pass_names(options.passes);
    option = "--stop-after";
    if (!options.stop_after.empty()) rewriter::stop_after(choice, options.stop_after);
    option = "--print-after";
    if (!options.print_after.empty() && options.print_after != "all") {
      rewriter::stop_after(choice, options.print_after);
      options.print_after = rewriter::find_pass(options.print_after).name;
    }
  } catch (const cudamat::CUDAMatException& error) {
    throw CLI::ValidationError(option, error.what());
  }
}

/// 1000, 64KiB, 1.5GB
std::int64_t parse_bytes(const std::string& option, const std::string& text) {
  const auto refuse = [&] {
    throw CLI::ValidationError(
        option, fmt::format("'{}' is not a size; write 1000, 64KiB, 200MB or 1.5GiB", text));
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) refuse();
  const std::string_view unit(end, text.data() + text.size());
  constexpr std::string_view kPrefixes = "KMGT";
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power = kPrefixes.find(unit[0] == 'k' ? 'K' : unit[0]);
    const std::string_view rest = unit.substr(1);
    if (power == std::string_view::npos || (rest != "B" && rest != "iB")) refuse();
    factor = std::pow(rest == "iB" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  if (!(number * factor < 9e18)) refuse();
  return static_cast<std::int64_t>(number * factor);
}

Verify parse_verify(const std::string& text) {
  if (text != "tree" && text != "numpy")
    throw CLI::ValidationError("--verify", fmt::format("expects tree or numpy; got '{}'", text));
  return text == "tree" ? Verify::Tree : Verify::Numpy;
}

}  // namespace

bool is_program(const std::string& path) {
  return path.ends_with(".py");
}

std::pair<std::optional<Options>, int> parse_options(int argc, char** argv) {
  Options options;
  std::vector<std::string> shapes, inputs, saves, values;
  std::string run, verify, outputs, limit;
  std::string colour = "auto";
  std::string replay = "auto";
  std::optional<int> precision;

  CLI::App app(kDescription, "symdump");
  app.footer(kExamples);
  app.set_version_flag("--version", "symdump " CUDAMAT_VERSION);
  app.get_formatter()->column_width(34);
  app.add_option("PROGRAM", options.program,
                 "a Python file that NumPy itself can run; - reads standard input");
  app.add_option("--from", options.from,
                 "read a printed list of statements instead of a program; - reads standard input")
      ->option_text("FILE");
  app.add_option("--diff", options.diff,
                 "print two lists or programs side by side, and the cost of each")
      ->expected(2)
      ->option_text("A B");
  app.add_option("--emit", options.emit,
                 fmt::format("{}\n(default: statements)", fmt::join(rewriter::print_forms(), "|")))
      ->check(CLI::IsMember(rewriter::print_forms()))
      ->option_text("FORM");
  app.add_option("--shape", shapes,
                 "the shape of an input (repeatable); in a program:  X: (128, 784)")
      ->option_text("NAME=RxC")
      ->allow_extra_args(false);
  app.add_option("--input", inputs, "the data, and thereby the shape, of an input (repeatable)")
      ->option_text("NAME=FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--path", options.folders,
                 "search this folder for imported modules, after the program's own (repeatable)")
      ->option_text("DIR")
      ->allow_extra_args(false);
  app.add_option("--function", options.function,
                 "convert this function of the program: its parameters are inputs or numbers, its\n"
                 "results are outputs")
      ->option_text("NAME");
  app.add_option("--numpy", options.numpy,
                 "follow the type promotion of NumPy 1 or 2 (default: 2; with --verify=numpy, the\n"
                 "version that is found)")
      ->check(CLI::IsMember({1, 2}))
      ->option_text("VERSION");
  app.add_option("--set", values, "set a name that has no other value to a number (repeatable)")
      ->option_text("NAME=NUMBER")
      ->allow_extra_args(false);
  app.add_flag("--run{auto}", run, "run the statements on an engine: auto|npmat|cudamat")
      ->option_text("[=ENGINE]");
  app.add_option(
         "--replay", replay,
         "auto (default): on a GPU, launch calls that are the same in every iteration of a\n"
         "loop as one CUDA graph; off: launch each call")
      ->check(CLI::IsMember({"auto", "off"}))
      ->option_text("WHEN");
  app.add_option("--precision", precision, "bits of a floating-point number: 32|64|128")
      ->check(CLI::IsMember({32, 64, 128}))
      ->option_text("BITS");
  app.add_option("--seed", options.seed, "the seed of the random numbers (default: 0)")
      ->check(tools::whole_number)
      ->option_text("N");
  app.add_option("--outputs", outputs,
                 "the names of the outputs (default: all; with passes, those not read again)")
      ->option_text("A,B");
  app.add_option("--save", saves,
                 "write an output, in NumPy's type; with --from as floats (repeatable)")
      ->option_text("NAME=FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--save-all", options.save_all, "write every output to DIR/NAME.npy")
      ->option_text("DIR");
  app.add_flag("--verify{tree}", verify,
               "run the statements and compare the results with direct evaluation of the\n"
               "expressions (tree, the default) or with NumPy (numpy)")
      ->option_text("[=REFERENCE]");
  app.add_flag("--time", options.time,
               "run the statements and print the time of each, compared with the limits of this\n"
               "machine, the sums for each line, and the host's share");
  app.add_option(
         "--repeat", options.repeat,
         "the number of runs for --time, which prints medians (default: 3, if they take no\n"
         "more than about a second)")
      ->check(tools::positive_number)
      ->option_text("N");
  app.add_option(
         "--passes", options.passes,
         "none (default); default: passes that keep every bit; all: also those that change\n"
         "rounding; fast: all,fuse; or some of\n" +
             pass_names())
      ->option_text("WHICH");
  app.add_flag("--list-passes", options.list_passes, "print a line for each pass, and exit");
  app.add_flag("--list-functions", options.list_functions,
               "print the supported functions with their parameters, and exit");
  app.add_option("--stop-after", options.stop_after, "stop after this pass")->option_text("PASS");
  app.add_option("--print-after", options.print_after,
                 "print the remarks of a pass or of all, and the list if it changed")
      ->option_text("PASS|all");
  app.add_flag("--remarks,--receipts", options.remarks,
               "print the rewrites that each pass made and rejected, with the reasons");
  app.add_flag("--time-passes", options.time_passes,
               "print the time of each pass on standard error");
  app.add_flag("--memory", options.memory,
               "print the memory plan: buffers, live ranges, offsets, the peak and its formula,\n"
               "and the arena, the one block that --run allocates");
  app.add_option("--limit", limit,
                 "the maximum size of the arena, such as 200MB or 1.5GiB; a program that needs\n"
                 "more is an error, which lists the passes that would make it fit")
      ->option_text("SIZE");
  app.add_option("--colour,--color", colour, "auto (on a terminal)|always|never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->option_text("WHEN");

  try {
    app.parse(argc, argv);
    options.run = app.count("--run") != 0;
    if (options.run) options.engine = run;
    if (options.engine != "auto" && options.engine != "npmat" && options.engine != "cudamat")
      throw CLI::ValidationError(
          "--run", fmt::format("expects auto, npmat or cudamat; got '{}'", options.engine));
    if (app.count("--verify") != 0) options.verify = parse_verify(verify);
    options.replay = replay != "off";
    options.precision = precision ? *precision : tools::default_precision();
    for (const auto& [name, shape] : split_all("--shape", shapes))
      options.shapes.emplace_back(name, parse_shape(name, shape));
    options.inputs = split_all("--input", inputs);
    for (const auto& [name, value] : split_all("--set", values))
      options.values.emplace_back(name, parse_number(name, value));
    options.saves = split_all("--save", saves);
    options.outputs = split_commas(outputs);
    if (!options.list_passes && !options.list_functions) check_sources(options);
    check_time(options);
    check_passes(options);
    if (!limit.empty()) options.limit = parse_bytes("--limit", limit);
    options.colour = colour == "always" || (colour == "auto" && isatty(STDOUT_FILENO) != 0 &&
                                            std::getenv("NO_COLOR") == nullptr);
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, tools::settle(app, error)};
  }
  return {std::move(options), 0};
}

}  // namespace symdump
