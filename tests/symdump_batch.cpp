// Runs programs in NumPy notation that tests/differential/batch.py sends, one after the other, and
// sends back what they give.
//
// A request is
//   program PRECISION SEED BYTES       followed by the text
//   input NAME KIND BYTES DIM...       followed by the elements in C order, of the precision's
//   type;
//                                      KIND is NumPy's: b, i or f; n: narrow integers
//   path FOLDER                        modules that the program imports are there
//   function NAME                      the program is this function of it
//   numpy VERSION                      the rules of NumPy 1 or 2
//   value NAME NUMBER                  as --set
//   run HOW NAMES                      HOW: passes as --passes has them; PASSES@PASS: stopped after
//                                      that one; tree: evaluated directly; text:PASSES: the list
//                                      printed and read again; list:PASSES: printed, not run.
//                                      NAMES: the outputs, with commas; - for all
//   end
//
// and the reply a line for the program, `ok`, and for each run `ran COUNT SECONDS PEAK BYTES`: its
// outputs, the time that the statements took, the most bytes that matrices held, and the length of
// the text that follows, which is what was printed; then for each output `NAME KIND DIM...` and its
// elements. Where something fails, there stands `refused BYTES` or `internal BYTES` and the
// message; if the program itself is refused, nothing follows.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cudamat/error.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/plan/memory_plan.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/run/run.hpp"

namespace {

using cudamat::InternalError;
using rewriter::DType;
using rewriter::Program;
using rewriter::StatementList;

struct Input {
  std::string name;
  char kind = 'f';
  rewriter::Dims dims;
  std::string bytes;
};

struct Request {
  int precision = 64;
  std::uint64_t seed = 0;
  std::string text;
  std::vector<Input> inputs;
  std::vector<std::string> folders;
  std::string function;
  int numpy = 0;
  std::map<std::string, std::variant<std::int64_t, double>> values;
  std::vector<std::pair<std::string, std::string>> runs;
};

std::string read_bytes(std::istream& in, std::size_t count) {
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

/// False at the end of the input.
bool read_request(std::istream& in, Request& request) {
  request = {};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::size_t bytes = 0;
    words >> word;
    if (word == "end") return true;
    if (word == "program") {
      words >> request.precision >> request.seed >> bytes;
      request.text = read_bytes(in, bytes);
    } else if (word == "input") {
      Input input;
      words >> input.name >> input.kind >> bytes;
      for (rewriter::Index extent = 0; words >> extent;) input.dims.push_back(extent);
      input.bytes = read_bytes(in, bytes);
      request.inputs.push_back(std::move(input));
    } else if (word == "numpy") {
      words >> request.numpy;
    } else if (word == "path") {
      request.folders.push_back(line.substr(5));
    } else if (word == "function") {
      words >> request.function;
    } else if (word == "value") {
      std::string name, number;
      words >> name >> number;
      if (number.find_first_not_of("-0123456789") == std::string::npos)
        request.values[name] = std::int64_t{std::stoll(number)};
      else
        request.values[name] = std::stod(number);
    } else if (word == "run") {
      std::string how, names;
      words >> how >> names;
      request.runs.emplace_back(how, names);
    } else {
      throw std::runtime_error("not understood: " + line);
    }
  }
  return false;
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> result;
  std::istringstream words(names);
  for (std::string name; names != "-" && std::getline(words, name, ',');) result.push_back(name);
  return result;
}

/// What comes after the prefix, if it has that.
std::optional<std::string> after(std::string_view prefix, const std::string& text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

/// The reply to what `work` replies, or to what it throws.
template <class F>
bool guarded(std::string& reply, F&& work) {
  const auto fail = [&](const char* kind, const std::string& what) {
    reply += fmt::format("{} {}\n{}", kind, what.size(), what);
    return false;
  };
  const std::size_t before = reply.size();
  try {
    work();
    return true;
  } catch (const rewriter::ProgramError& error) {
    reply.resize(before);
    return fail("refused", error.what());
  } catch (const cudamat::CUDAMatException& error) {
    reply.resize(before);
    return fail("refused", error.what());
  } catch (const rewriter::Raised& error) {
    reply.resize(before);
    return fail("refused", error.what());
  } catch (const std::exception& error) {
    reply.resize(before);
    return fail("internal", error.what());
  }
}

template <class T>
class Batch {
 public:
  struct Ran {
    std::map<std::string, npmat::Array<T>> arrays;
    double seconds = 0;
    std::int64_t peak = 0;
    std::string text;
  };

  explicit Batch(const Request& request) : request_(request) {
    for (const Input& input : request.inputs) {
      npmat::Array<T> array{input.dims, std::vector<T>(input.bytes.size() / sizeof(T))};
      if (!input.bytes.empty())
        std::memcpy(array.data.data(), input.bytes.data(), input.bytes.size());
      inputs_[input.name] = std::move(array);
    }
  }

  std::string answer() {
    std::string reply;
    if (!guarded(reply, [&] {
          read();
          reply += "ok\n";
        }))
      return reply;
    for (const auto& [how, names] : request_.runs)
      guarded(reply, [&] { add(reply, ran(how, split(names))); });
    return reply;
  }

 private:
  void read() {
    rewriter::ReadOptions options;
    for (const Input& input : request_.inputs) {
      options.shapes[input.name] = input.dims;
      if (input.kind != 'f')  // NumPy's letters, in the order of the types
        options.dtypes[input.name] =
            static_cast<DType>(std::string_view("?bBhHiIlL").find(input.kind));
    }
    options.function = request_.function;
    options.folders = request_.folders;
    options.numpy = request_.numpy;
    options.values = request_.values;
    program_ = rewriter::read(rewriter::Source("prog.py", request_.text), options);
  }

  Ran ran(const std::string& how, const std::vector<std::string>& names) const {
    if (how == "tree") return evaluated();
    Ran list;
    if (const auto passes = after("list:", how)) {
      list.text = rewriter::print_statements(lowered(*passes, names), {});
      return list;
    }
    if (const auto passes = after("text:", how))
      return run(printed_and_read(lowered(*passes, names)));
    return run(lowered(how, names));
  }

  Ran evaluated() const {
    std::vector<rewriter::NodePtr> roots;
    for (const Program::Named& named : program_.results) roots.push_back(named.node);
    roots.insert(roots.end(), program_.steps.begin(), program_.steps.end());
    const auto values = rewriter::evaluate<T>(roots, inputs_, request_.seed);
    Ran result;
    for (std::size_t i = 0; i < program_.results.size(); ++i)
      result.arrays[program_.results[i].name] = values[i];
    return result;
  }

  /// `passes`: perhaps with the one to stop after, behind an @.
  StatementList lowered(const std::string& passes, const std::vector<std::string>& names) const {
    const std::size_t at = passes.find('@');
    auto choice = rewriter::parse_pass_names(passes.substr(0, at));
    if (at != std::string::npos) rewriter::stop_after(choice, passes.substr(at + 1));
    return rewriter::run_passes(rewriter::lower(program_, names), choice).list;
  }

  Ran run(const StatementList& list) const {
    const auto plan = rewriter::memory_plan(list, sizeof(T));
    Ran ran;
    const auto start = std::chrono::steady_clock::now();
    auto result = rewriter::run<npmat::CUDAMatrix<T>>(
        list, inputs_,
        {.seed = request_.seed, .print = [&ran](const std::string& line) { ran.text += line; }});
    ran.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool all_run = std::none_of(list.loops.begin(), list.loops.end(),
                                      [](const auto& loop) { return loop.has_condition(); });
    if (plan.peak < result.peak_bytes || (all_run && plan.peak != result.peak_bytes) ||
        plan.arena.bytes != result.arena_bytes)
      throw InternalError(fmt::format("planned {} bytes in {}, took {} in {}", plan.peak,
                                      plan.arena.bytes, result.peak_bytes, result.arena_bytes));
    if (plan.lower_bound > plan.peak || plan.peak > plan.arena.bytes)
      throw InternalError(fmt::format("planned {} bytes, at least {}, in an arena of {}", plan.peak,
                                      plan.lower_bound, plan.arena.bytes));
    ran.peak = plan.peak;
    ran.arrays = std::move(result.outputs);
    return ran;
  }

  static StatementList printed_and_read(const StatementList& list) {
    const std::string text = rewriter::print_statements(list, {});
    StatementList again;
    try {
      again = rewriter::parse_statements(rewriter::Source("list.txt", text));
    } catch (const cudamat::CUDAMatException& error) {
      throw InternalError(fmt::format("the printed list is refused: {}\n{}", error.what(), text));
    }
    if (rewriter::print_statements(again, {}) != text)
      throw InternalError("the printed list prints otherwise when it is read again\n" + text);
    return again;
  }

  void add(std::string& reply, const Ran& ran) const {
    reply += fmt::format("ran {} {} {} {}\n{}", ran.arrays.size(), ran.seconds, ran.peak,
                         ran.text.size(), ran.text);
    for (const auto& [name, array] : ran.arrays) {
      reply += fmt::format("{} {}", name, kind_of(name));
      for (const auto extent : array.shape) reply += fmt::format(" {}", extent);
      reply += "\n";
      reply.append(reinterpret_cast<const char*>(array.data.data()), array.data.size() * sizeof(T));
    }
  }

  char kind_of(const std::string& name) const {
    for (const Program::Named& named : program_.results)
      if (named.name == name)
        return named.node->dtype == DType::Bool    ? 'b'
               : named.node->dtype == DType::Float ? 'f'
                                                   : 'i';
    throw InternalError("an output that the program does not have");
  }

  const Request& request_;
  std::map<std::string, npmat::Array<T>> inputs_;
  Program program_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string_view("--list-passes")) {
    for (const rewriter::Pass* pass : rewriter::known_passes()) std::cout << pass->name << "\n";
    return 0;
  }
  if (argc > 1 && argv[1] == std::string_view("--list-functions")) {
    std::cout << rewriter::function_list();
    return 0;
  }
  std::ios::sync_with_stdio(false);
  for (Request request; read_request(std::cin, request);) {
    const std::string reply = request.precision == 32   ? Batch<float>(request).answer()
                              : request.precision == 64 ? Batch<double>(request).answer()
                                                        : Batch<long double>(request).answer();
    std::cout << reply << std::flush;
  }
}
