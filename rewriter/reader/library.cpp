#include "rewriter/reader/library.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "rewriter/library/files.hpp"
#include "rewriter/python/parser.hpp"
#include "rewriter/reader/interpreter.hpp"

namespace rewriter {

namespace {

using cudamat::code::Header;

/// A file's syntax, which all threads share.
const ast::Program& parsed(const Header& file) {
  static std::mutex mutex;
  static std::map<std::string_view, std::unique_ptr<const ast::Program>> all;
  const std::scoped_lock lock(mutex);
  auto& program = all[file.name];
  if (program == nullptr)
    program = std::make_unique<const ast::Program>(ast::parse(Source(file.name, file.text)));
  return *program;
}

/// What runs the functions of a file, in this thread.
Interpreter& interpreter(const Header& file) {
  thread_local std::map<std::string_view, std::unique_ptr<Interpreter>> all;
  auto& known = all[file.name];
  if (known == nullptr) known = Interpreter::of_library(parsed(file));
  return *known;
}

/// Where a function is defined.
struct Definition {
  const Header* file;
  std::string name;    ///< in the file
  std::string same{};  ///< the function of which it is another name; empty: none
};
using Definitions = std::map<std::string, Definition, std::less<>>;

bool is_name(std::string_view text) {
  return !text.empty() && text[0] != '_' && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

/// The text of `NAME = "text"`; nothing of other lines.
std::optional<std::string_view> text_after(std::string_view line, std::string_view start) {
  if (!line.starts_with(start) || !line.ends_with('"')) return std::nullopt;
  return line.substr(start.size(), line.size() - start.size() - 1);
}

/// The file without its folders and `.py`: "statistics", "_shared".
std::string_view stem(const Header& file) {
  std::string_view name = file.name;
  name.remove_prefix(name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

/// Adds what a file defines, as the lines at its margin say.
void scan(const Header& file, Definitions& all) {
  std::string_view module = "numpy", methods;
  std::vector<std::string> names;
  const auto define = [&](std::string_view name, std::string_view same = "") {
    names.emplace_back(name);
    all[std::string(module_prefix(module)) + std::string(name)] = {&file, std::string(name),
                                                                   std::string(same)};
  };
  std::string_view text = file.text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const auto given = text_after(line, "MODULE = \"")) module = *given;
    if (const auto given = text_after(line, "METHODS = \"")) methods = *given;
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("def ") && line[4] != '_') {
      define(line.substr(4, line.find('(') - 4));
    } else if (equals != std::string_view::npos && is_name(line.substr(0, equals))) {
      const std::string_view same = line.substr(equals + 3);
      if (is_name(same)) define(line.substr(0, equals));
      if (same.starts_with("np.")) define(line.substr(0, equals), same);
    }
  }
  for (const std::string& name : names)
    if (has_word(methods, name)) all["." + name] = {&file, name};
}

const Definitions& definitions() {
  static const Definitions instance = [] {
    Definitions all;
    for (const Header& file : library::headers())
      if (!stem(file).starts_with('_')) scan(file, all);
    return all;
  }();
  return instance;
}

}  // namespace

/// What runs the file of this stem.
static Interpreter& interpreter_of(std::string_view file) {
  for (const Header& each : library::headers())
    if (stem(each) == file) return interpreter(each);
  throw cudamat::InternalError(fmt::format("rewriter/library has no {}.py", file));
}

Value imported_from_library(std::string_view file, const std::string& name) {
  if (const auto* function = interpreter_of(file).library_function(name)) return *function;
  throw cudamat::InternalError(fmt::format("rewriter/library/{}.py has no {}", file, name));
}

std::optional<Value> call_library_file(std::string_view file, const std::string& name,
                                       const Call& call) {
  Interpreter& reader = interpreter_of(file);
  const Value* function = reader.library_function(name);
  if (name.starts_with('_') || function == nullptr || function->as<UserFunction>() == nullptr)
    return std::nullopt;
  return reader.call_library(name, call);
}

bool is_of_library(std::string_view name) {
  return definitions().contains(name);
}

void enter_library(Handlers& table) {
  for (const auto& [name, definition] : definitions())
    enter(
        table, name,
        [&definition = definition](const Call& call) {
          if (definition.same.empty())
            return interpreter(*definition.file).call_library(definition.name, call);
          Call same = call;
          same.name = definition.same;
          return call_function(same);
        },
        Takes::AnyForm);
}

}  // namespace rewriter
