// symdump: a program in NumPy notation as explicit Cudamat statements; prints, runs and verifies
// them.
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cudamat/say.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/listing/diff.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/plan/memory_plan.hpp"
#include "rewriter/reader/reader.hpp"
#include "tools/command_line.hpp"
#include "tools/interrupt.hpp"
#include "tools/symdump_compute.hpp"
#include "tools/symdump_numpy.hpp"
#include "tools/symdump_options.hpp"
#include "tools/symdump_passes.hpp"

namespace {

using namespace symdump;
using tools::write_out;

rewriter::Source read_source(const std::string& path) {
  if (path != "-") return rewriter::Source::from_file(path);
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  if (text.empty()) cudamat::misuse("symdump", "standard input is empty");
  return {"<stdin>", std::move(text)};
}

std::string print(const rewriter::Program* program, const rewriter::StatementList& list,
                  const Options& options) {
  const bool of_list = !options.from.empty();  // a program beside it is there to verify it
  return rewriter::print_form(
      options.emit, list, of_list ? nullptr : program,
      {.bytes_per_element = bytes_per_element(options.precision), .colour = options.colour});
}

/// A name given from outside that the program does not read is probably misspelt.
void check_used(const rewriter::Program& program, const rewriter::ReadOptions& given) {
  for (const auto& [name, dims] : given.shapes) {
    std::string known;
    bool used = false;
    for (const rewriter::Program::Named& input : program.inputs) {
      used = used || input.name == name ||
             (given.complex.contains(name) && input.name == name + "_real");
      known += (known.empty() ? "" : ", ") + input.name;
    }
    if (!used)
      cudamat::misuse("symdump", "the program has no input '{}' to take a shape or data; {}", name,
                      known.empty() ? "it has none" : "its inputs: " + known);
  }
}

/// A number for a name that takes none is misspelt, too.
void check_values(const rewriter::Program& program, const Options& options) {
  for (const auto& [name, value] : options.values)
    if (!program.values_used.contains(name))
      cudamat::misuse("symdump", "--set {}: {} reads no number of that name", name,
                      options.function.empty() ? "the program" : options.function);
}

/// An output that is assigned where the program does not come by has no value.
void check_outputs(const rewriter::Program& program, const Options& options) {
  for (const std::string& name : options.outputs)
    if (const auto skipped = program.skipped.find(name); skipped != program.skipped.end())
      cudamat::misuse("symdump",
                      "--outputs {}: line {}, which assigns it, is not run: it is in a loop "
                      "without iterations or in a branch that is not taken",
                      name, skipped->second);
}

/// The list after the passes. What they did is told where it does not mix with what a program or
/// another program is to read.
rewriter::StatementList rewritten(rewriter::StatementList list, const Options& options) {
  Rewritten result = rewrite(std::move(list), options);
  if (options.emit.empty() || options.emit == "statements")
    write_out(result.story);
  else
    cudamat::say("{}", result.story);
  if (options.time_passes) cudamat::say("{}", result.times);
  return std::move(result.list);
}

std::string memory_plan(const rewriter::StatementList& list, const Options& options) {
  return rewriter::print_memory_plan(
      list, rewriter::memory_plan(list, bytes_per_element(options.precision)));
}

/// Where Python looks for what the program imports.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "" : slash == 0 ? "/" : path.substr(0, slash);
}

rewriter::Program read_program(const std::string& path, const Options& options) {
  rewriter::ReadOptions read_options;
  for (const auto& [name, dims] : options.shapes) read_options.shapes[name] = dims;
  for (const auto& [name, value] : options.values) read_options.values[name] = value;
  read_options.function = options.function;
  read_options.decides_by_values = true;
  read_options.draw_bits = options.precision == 32 ? 32 : 64;
  read_options.numpy =
      options.numpy == 0 && options.verify == Verify::Numpy ? found_numpy() : options.numpy;
  for (const auto& [name, head] : input_heads(options)) {
    const auto [given, fresh] = read_options.shapes.emplace(name, head.dims);
    if (!fresh && given->second != head.dims)
      cudamat::misuse("symdump", "--shape says that {} is {}, its --input file holds {}", name,
                      rewriter::to_string(given->second), rewriter::to_string(head.dims));
    read_options.dtypes[name] = head.dtype;
    if (head.is_complex) read_options.complex.insert(name);
  }
  if (path != "-") read_options.folders.push_back(folder_of(path));
  read_options.folders.insert(read_options.folders.end(), options.folders.begin(),
                              options.folders.end());
  rewriter::Program program = rewriter::read(read_source(path), read_options);
  check_used(program, read_options);
  check_values(program, options);
  check_outputs(program, options);
  return program;
}

rewriter::StatementList list_of(const std::string& path, const Options& options) {
  if (is_program(path)) return rewriter::lower(read_program(path, options), options.outputs);
  return rewriter::parse_statements(read_source(path));
}

/// The terminal's columns; where there is none, room for 60 on each side.
int width() {
  winsize size = {};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 2 * 60 + 3;
}

std::string diff(const Options& options) {
  const std::string& a = options.diff[0];
  const std::string& b = options.diff[1];
  if (a == "-" && b == "-") cudamat::misuse("symdump", "--diff: both sides are standard input");
  const rewriter::StatementList list_a = list_of(a, options);
  const rewriter::StatementList list_b = list_of(b, options);
  return rewriter::print_diff(
      list_a, a, list_b, b,
      {.bytes_per_element = bytes_per_element(options.precision), .width = width()});
}

int symdump_main(Options options) {
  if (options.list_passes) {
    write_out(pass_list());
    return 0;
  }
  if (options.list_functions) {
    write_out(rewriter::function_list());
    return 0;
  }
  if (!options.diff.empty()) {
    write_out(diff(options));
    return 0;
  }
  std::optional<rewriter::Program> program;
  if (!options.program.empty()) program = read_program(options.program, options);
  std::optional<rewriter::StatementList> given;
  if (!options.from.empty()) given = rewriter::parse_statements(read_source(options.from));
  const auto literal = [&](const Options& chosen) {
    return given ? *given : rewriter::lower(*program, surviving(*program, chosen));
  };
  rewriter::StatementList written = literal(options);
  if (program && !given)
    for (const auto& [line, text] : rewriter::unrolled_warnings(*program, written))
      cudamat::say("symdump: warning: {}: {}\n", program->source->named_line(line), text);
  if (program && !program->decided.empty())
    cudamat::say(
        "symdump: warning: {}: conditions on values that the program computes or draws are "
        "evaluated when it is read, in this line and {} others; the list is valid for these values "
        "only\n",
        program->source->named_line(*program->decided.begin()), program->decided.size() - 1);
  if (options.computes()) check_saves(written, options);
  const rewriter::StatementList list = rewritten(std::move(written), options);
  const rewriter::Program* const known = program ? &*program : nullptr;
  if (options.memory) write_out(memory_plan(list, options));
  check_limit(list, options, literal);

  if (options.emit.empty() && !options.computes() && !options.memory) options.emit = "statements";
  if (!options.emit.empty()) write_out(print(known, list, options));
  if (!options.computes()) return 0;
  const Report report = compute(known, list, options);
  write_out(report.text);
  if (!report.interrupted.empty()) throw tools::Interrupted(report.interrupted);
  return report.verified ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  tools::prepare_streams();
  auto [options, status] = parse_options(argc, argv);
  if (!options) return status;
  try {
    return symdump_main(std::move(*options));
  } catch (const tools::Interrupted& interrupted) {
    cudamat::say("symdump: {}; nothing further was written\n", interrupted.what());
    return tools::interrupted_status();
  } catch (const rewriter::ProgramError& error) {
    cudamat::say("{}\n", error.what());
  } catch (const std::bad_alloc&) {
    cudamat::say("symdump: out of memory\n");
  } catch (const std::exception& error) {
    cudamat::say("symdump: {}\n", error.what());
  }
  return 2;
}
