#include "rewriter/run/report.hpp"

#include <algorithm>
#include <new>

#include "cudamat/error.hpp"
#include "rewriter/expr/custom.hpp"
#include "rewriter/list/checks.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {

namespace {

constexpr std::size_t kReported = 5;  // of the largest matrices

std::string bytes_text(std::int64_t bytes) {
  const std::string size = print::binary_size(bytes);
  return print::grouped(bytes) + (bytes == 1 ? " byte" : " bytes") +
         (size.empty() ? "" : " (" + size + ")");
}

const Variable& variable(const StatementList& list, Var var) {
  return list.variables[var];
}

/// "t3 = empty(784x4096)", "[dot] into t3".
std::string name_of(const StatementList& list, std::size_t statement, Var input) {
  if (statement == kNoStatement)
    return fmt::format("input {} {}", variable(list, input).name, variable(list, input).shape);
  const Statement& s = list.statements[statement];
  if (targets_of(s).empty()) return fmt::format("statement {}", statement + 1);
  const Variable& t = variable(list, targets_of(s)[0]);
  switch (s.kind) {
    case Statement::Kind::Empty:
      return fmt::format("{} = empty({})", t.name, t.shape);
    case Statement::Kind::Constant:
      return fmt::format("{} = CUDAMatrix({})", t.name, t.shape);
    case Statement::Kind::Call:
      return fmt::format("{} into {} {}", cudamat::name(s.op), t.name, t.shape);
    case Statement::Kind::Custom:
      return fmt::format("{} into {} {}", s.custom->name, t.name, t.shape);
    default:
      return fmt::format("{} {}", t.name, t.shape);
  }
}

bool allocates(const StatementList& list, std::size_t statement) {
  return statement == kNoStatement || list.statements[statement].kind == Statement::Kind::Empty ||
         list.statements[statement].kind == Statement::Kind::Constant;
}

std::string out_of_memory(const StatementList& list, std::size_t statement, Var input,
                          const LiveMemory& memory, const std::string& reason) {
  std::string text = "out of memory at " + name_of(list, statement, input);
  if (allocates(list, statement))
    text += ", " + bytes_text(memory.bytes(
                       statement == kNoStatement ? input : list.statements[statement].target));
  return text + ": " + reason + "\n" + memory.report();
}

}  // namespace

LiveMemory::LiveMemory(const StatementList& list, int bytes_per_element, std::int64_t limit)
    : list_(list),
      bytes_per_element_(bytes_per_element),
      limit_(limit),
      entries_(list.variables.size()) {}

std::int64_t LiveMemory::bytes(Var var) const {
  return bytes_of(list_, var, bytes_per_element_);
}

void LiveMemory::check(std::int64_t bytes) const {
  if (limit_ > 0 && bytes > limit_)
    throw cudamat::OutOfMemory("the run needs " + bytes_text(bytes) + " in one block");
}

void LiveMemory::add(Var var, SourceLocation where) {
  entries_[var] = {true, where};
  in_use_ = saturating_add(in_use_, bytes(var));
  peak_ = std::max(peak_, in_use_);
}

void LiveMemory::remove(Var var) {
  entries_[var].live = false;
  in_use_ -= bytes(var);
}

std::ptrdiff_t LiveMemory::peak_statement() const {
  return memory_use(list_, bytes_per_element_).peak_statement;
}

std::string LiveMemory::report() const {
  std::vector<Var> largest;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].live) largest.push_back(static_cast<Var>(i));
  const std::size_t count = std::min(kReported, largest.size());
  std::partial_sort(
      largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(count), largest.end(),
      [&](Var a, Var b) { return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b; });
  std::string text = "in use: " + bytes_text(in_use_);
  if (limit_ > 0) text += ", allowed: " + bytes_text(limit_);
  if (count > 0) text += count < largest.size() ? "; the largest matrices:" : "; the matrices:";
  for (std::size_t i = 0; i < count; ++i) {
    const Variable& v = variable(list_, largest[i]);
    const SourceLocation where = entries_[largest[i]].where;
    const std::string line = print::source_line(list_, where.line);
    text += fmt::format("\n    {} {}, {}", v.name, v.shape, bytes_text(bytes(largest[i])));
    if (where.line == 0)
      continue;
    else if (list_.source)
      text += fmt::format(", {}: {}", list_.source->named_line(where.line), line);
    else
      text += fmt::format(", line {}", where.line);
  }
  return text;
}

void rethrow_with_place(const StatementList& list, std::size_t statement, Var input,
                        const LiveMemory& memory) {
  const SourceLocation where =
      statement == kNoStatement ? SourceLocation{0, 0} : list.statements[statement].where;
  const auto placed = [&](const std::string& message) {
    return where.line > 0 && list.source ? print::located(list, where, message) : message;
  };
  const auto short_of_memory = [&](const std::string& reason) {
    throw cudamat::OutOfMemory(
        placed("[run] " + out_of_memory(list, statement, input, memory, reason)));
  };
  try {
    throw;
  } catch (const cudamat::OutOfMemory& error) {
    short_of_memory(error.what());
  } catch (const std::bad_alloc&) {
    short_of_memory("the host's memory is used up");
  } catch (const cudamat::KernelFault& fault) {
    throw cudamat::KernelFault(placed(fault.what()));
  } catch (const cudamat::CUDAMatException& error) {
    const auto checks = failed_checks(list);
    const auto check = checks.find(statement);
    const std::string message(check != checks.end() ? check->second : error.what());
    if (where.line > 0 && list.source) throw cudamat::CUDAMatException(placed(message));
    throw cudamat::CUDAMatException(
        fmt::format("{} (at {})", message, name_of(list, statement, input)));
  }
  throw cudamat::InternalError("rethrow_with_place: nothing is being handled");
}

void rethrow_at_peak(const StatementList& list, LiveMemory memory) {
  if (list.inputs.empty() && list.statements.empty()) throw;
  const std::ptrdiff_t peak = memory.peak_statement();
  for (const Binding& input : list.inputs) {
    if (peak < 0 && &input == &list.inputs.back())
      rethrow_with_place(list, kNoStatement, input.var, memory);
    memory.add(input.var, {0, 0});
  }
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(peak, 0));
  for (std::size_t i = 0; i < at; ++i) {
    const Statement& s = list.statements[i];
    if (s.kind == Statement::Kind::Empty || s.kind == Statement::Kind::Constant)
      memory.add(s.target, s.where);
    if (s.kind == Statement::Kind::Free) memory.remove(s.target);
  }
  rethrow_with_place(list, at, kNoVar, memory);
}

void allocated(const StatementList& list, std::size_t statement) {
  throw cudamat::InternalError(
      fmt::format("run: statement {}, {}, took memory of its own: all memory is planned",
                  statement + 1, name_of(list, statement, kNoVar)));
}

void check_input(const Binding& input, const Dims& shape) {
  if (shape != input.dims)
    cudamat::misuse("run", "input {} must have shape {}; got {}", input.name, to_string(input.dims),
                    to_string(shape));
}

void missing_input(const Binding& input) {
  cudamat::misuse("run", "input {} of shape {} has no value", input.name, to_string(input.dims));
}

}  // namespace rewriter
