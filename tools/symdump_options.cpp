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
    "Turns a program in NumPy notation into explicit Cudamat statements; prints, runs and verifies "
    "them.\n";

constexpr const char* kExamples = R"(Examples:
  symdump gradient.py                               the statements, every temporary, every byte
  symdump --emit cudamat-py gradient.py             a Python module for the original Cudamat package
  symdump --emit numpy gradient.py                  a Python module for NumPy; cupy and torch likewise
  symdump --emit cpp gradient.py > gradient.cpp     a C++ file that stands alone
  symdump --emit cuda gradient.py > gradient.cu     a CUDA file that stands alone
  symdump --shape x=128x784 --emit tree model.py    an input's shape from outside
  symdump --verify --precision 64 gradient.py       statements against direct evaluation
  symdump --verify=numpy gradient.py                statements against NumPy itself
  symdump --passes all --print-after all model.py   what an expert would write, step by step
  symdump --memory --limit 200MB model.py           the memory plan; does it fit?
  symdump --input X=x.npy --save grad_W=g.npy gradient.py
                                                    run on data, keep one result
  symdump gradient.py > list.txt; $EDITOR list.txt; symdump --from list.txt --verify gradient.py
                                                    statements edited by hand, against the program
  symdump --function train --set epochs=5 rbm.py    one function of a program
  symdump --time --passes all model.py              what each statement takes, beside the machine's limits

A shape is written 128x784, 5 (1-D) or () (0-d). Inputs without data are filled with uniform
random numbers from the seed, and symdump says so. The default precision is GNUMPY_CPU_PRECISION,
or 32. The engine is chosen by --run, else by GNUMPY_USE_GPU=auto|yes|no.

--from reads a list as symdump prints it, edited or not, and refuses what is illegal with its line;
--verify then needs the PROGRAM beside it. --diff compares lists (a name that ends in .py is a
program) and exits with 0 whether or not they differ.

--verify=numpy runs the program with the python3 on PATH that has NumPy, on the same data and random
numbers; values, types, shapes and what is printed must agree.

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
                 "the program, a Python file that NumPy itself can run; - reads "
                 "standard input");
  app.add_option("--from", options.from,
                 "a printed list of statements instead of a program; - reads standard input")
      ->option_text("FILE");
  app.add_option("--diff", options.diff,
                 "two lists side by side, each a printed one or a program's, and what they cost")
      ->expected(2)
      ->option_text("A B");
  app.add_option("--emit", options.emit,
                 fmt::format("{}\n(default: statements)", fmt::join(rewriter::print_forms(), "|")))
      ->check(CLI::IsMember(rewriter::print_forms()))
      ->option_text("FORM");
  app.add_option("--shape", shapes,
                 "the shape of an input (repeatable); or in the program:  X: (128, 784)")
      ->option_text("NAME=RxC")
      ->allow_extra_args(false);
  app.add_option("--input", inputs, "data, and so the shape, of an input (repeatable)")
      ->option_text("NAME=FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--path", options.folders,
                 "where modules that the program imports are looked for, after its own folder\n"
                 "(repeatable)")
      ->option_text("DIR")
      ->allow_extra_args(false);
  app.add_option("--function", options.function,
                 "the program is this function: its parameters are inputs or numbers, what it\n"
                 "returns the outputs")
      ->option_text("NAME");
  app.add_option(
         "--numpy", options.numpy,
         "whose types results have: NumPy 1's or 2's (default: 2, with --verify=numpy those\n"
         "of the NumPy that is found)")
      ->check(CLI::IsMember({1, 2}))
      ->option_text("VERSION");
  app.add_option("--set", values, "a number for a name that has no other value (repeatable)")
      ->option_text("NAME=NUMBER")
      ->allow_extra_args(false);
  app.add_flag("--run{auto}", run, "run the statements on an engine: auto|npmat|cudamat")
      ->option_text("[=ENGINE]");
  app.add_option("--replay", replay,
                 "auto (default): on a GPU, calls that are the same in every iteration of a loop\n"
                 "are queued as one graph; off: one by one")
      ->check(CLI::IsMember({"auto", "off"}))
      ->option_text("WHEN");
  app.add_option("--precision", precision, "bits of a number: 32|64|128")
      ->check(CLI::IsMember({32, 64, 128}))
      ->option_text("BITS");
  app.add_option("--seed", options.seed, "seed of the random numbers (default: 0)")
      ->check(tools::whole_number)
      ->option_text("N");
  app.add_option("--outputs", outputs,
                 "the names to output (default: all; with passes, those not read again)")
      ->option_text("A,B");
  app.add_option("--save", saves,
                 "write a result, in NumPy's type; with --from as floats (repeatable)")
      ->option_text("NAME=FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--save-all", options.save_all, "write every output to DIR/NAME.npy")
      ->option_text("DIR");
  app.add_flag("--verify{tree}", verify,
               "run the statements and print how far they are from the expressions evaluated\n"
               "directly (tree, the default), or from what NumPy makes of the program (numpy)")
      ->option_text("[=JUDGE]");
  app.add_flag("--time", options.time,
               "run the statements and print what each takes, how fast that is relative to\n"
               "this machine's memory or product, the sums of each line, and the host's share");
  app.add_option("--repeat", options.repeat,
                 "runs for --time, whose medians it prints (default: 3, if they take no more than\n"
                 "about a second)")
      ->check(tools::positive_number)
      ->option_text("N");
  app.add_option("--passes", options.passes,
                 "none (default); default: what keeps every bit; all: also what changes rounding;\n"
                 "fast: all,fuse; or some of\n" +
                     pass_names())
      ->option_text("WHICH");
  app.add_flag("--list-passes", options.list_passes, "print the passes, a line each, and no more");
  app.add_flag("--list-functions", options.list_functions,
               "print the functions that programs may call, with their parameters, and no more");
  app.add_option("--stop-after", options.stop_after, "stop after this pass")->option_text("PASS");
  app.add_option("--print-after", options.print_after,
                 "remarks, and the list where it changed, after a pass or after all")
      ->option_text("PASS|all");
  app.add_flag("--remarks,--receipts", options.remarks,
               "what each pass did, and what it did not do, with the reason");
  app.add_flag("--time-passes", options.time_passes, "how long each pass took, on standard error");
  app.add_flag("--memory", options.memory,
               "the memory plan: buffers, their lifetimes and offsets, the peak and its formula,\n"
               "and the arena, the one block that --run allocates");
  app.add_option("--limit", limit,
                 "bytes that the arena may have, 200MB or 1.5GiB; what does not fit is\n"
                 "rejected, and the passes that would make it fit are listed")
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
