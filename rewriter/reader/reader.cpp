#include "rewriter/reader/reader.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/modules/modules.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

namespace rewriter {

// ---- statements ----

/// Rethrows the error of the first reading. Where a later one failed elsewhere, its error, which is
/// the caught one, is told as well: what would help may be either.
[[noreturn]] static void fail_as(const std::exception_ptr& first, const ProgramError& later) {
  try {
    std::rethrow_exception(first);
  } catch (ProgramError& error) {
    if (error.line() != later.line())
      error.add_note(fmt::format("decided by the values of what is static, it fails at {}:{}: {}",
                                 later.file(), later.location().line, later.message()));
    throw;
  }
}

/// The function, of which all statements decide in the same way.
static Program read_function(const LinkedProgram& program, const ReadOptions& options,
                             bool& appends_arrays) {
  std::exception_ptr first;
  for (const Deciding so : {Deciding::AtRun, Deciding::ByValues, Deciding::WithoutLoops}) {
    forget_computed(so == Deciding::AtRun ? 0 : options.draw_bits);
    const DecidingSo decides(so);
    Interpreter reader(program.tree, options, program.modules);
    try {
      return reader.run();
    } catch (const ProgramError& error) {
      appends_arrays = appends_arrays || reader.appends_arrays();
      if (!first) first = std::current_exception();
      const bool is_last = so == Deciding::WithoutLoops || !options.decides_by_values;
      if (is_last || reader.is_too_long()) fail_as(first, error);
    }
  }
  std::rethrow_exception(first);
}

/// The program, with the first way to decide by which it can be read; else the error of the reading
/// with run-time conditions.
static Program read_deciding(const LinkedProgram& program, const ReadOptions& options,
                             bool& appends_arrays) {
  if (!options.function.empty()) return read_function(program, options, appends_arrays);
  Decisions decisions;
  int bits = 0;  // where nothing is decided by values, nothing is drawn
  std::map<std::uint32_t, std::exception_ptr> failures;
  std::exception_ptr original;
  while (true) {
    could_not_decide = false;
    forget_computed(std::exchange(bits, options.draw_bits));
    Interpreter reader(program.tree, options, program.modules, decisions);
    try {
      Program read = reader.run();
      read.knows_draws = knows_draws();
      return read;
    } catch (const ProgramError& error) {
      appends_arrays = appends_arrays || reader.appends_arrays();
      const std::uint32_t failed = reader.of_module();
      const std::exception_ptr& first =
          failures.try_emplace(failed, std::current_exception()).first->second;
      if (original == nullptr) original = first;
      if (!options.decides_by_values || reader.is_too_long() || !decisions.next(failed))
        fail_as(could_not_decide ? original : first, error);
    }
  }
}

Program read(const Source& source, const ReadOptions& options) {
  const FloatBits bits(options.float_bits);
  const NumpyVersion version(options.numpy, options.knows_widths);
  const struct Contents {
    explicit Contents(const ReadOptions& options) {
      know_contents(!options.contents.empty());
      run_lengths_are_read = options.run_lengths;
    }
    ~Contents() {
      know_contents(false);
      run_lengths_are_read = true;
    }
  } contents(options);
  std::vector<std::string> also;
  for (const ReadOptions::Import& each : options.imports) also.push_back(each.module);
  const LinkedProgram program = link(source, options.folders, also);
  bool appends_arrays = false;
  try {
    return read_deciding(program, options, appends_arrays);
  } catch (const ProgramError&) {
    if (!appends_arrays || !options.loops_append_arrays) throw;
  }
  ReadOptions unrolled = options;
  unrolled.loops_append_arrays = false;
  return read_deciding(program, unrolled, appends_arrays);
}

}  // namespace rewriter
