// The files of rewriter/library: parsed when one of their functions is first called.
#include "rewriter/reader/walk/library.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "rewriter/library/files.hpp"
#include "rewriter/python/parser.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

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
  std::string name;          ///< in the file
  std::string parameters{};  ///< as the file has them
  std::string same{};        ///< the function of which it is another name; empty: none
  unsigned facts = kAnyForm;
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

/// Of the notation itself; the others are modules of Python, see modules.hpp.
bool is_of_notation(const Header& file) {
  return std::string_view(file.name).find("/python/") == std::string_view::npos;
}

/// The file without its folders and `.py`: "statistics", "_shared".
std::string_view stem(const Header& file) {
  std::string_view name = file.name;
  name.remove_prefix(name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

/// The parameters of the def that the text begins with, on one line.
std::string parameters_in(std::string_view text) {
  const std::size_t open = text.find('(') + 1;
  std::string parameters(text.substr(open, text.find("):\n") - open));
  for (std::size_t at; (at = parameters.find('\n')) != parameters.npos;)
    parameters.replace(at, parameters.find_first_not_of(" \n", at) - at, " ");
  return parameters;
}

/// What lines such as `METHODS = "std var"` say about the functions of a file.
struct Facts {
  std::string_view module = "numpy", methods;
  std::array<std::pair<Fact, std::string_view>, 5> words{
      {{kInOrder, {}}, {kMakesDoubles, {}}, {kOfOneAxis, {}}, {kOwnWidth, {}}, {kOldDoubles, {}}}};

  void read(std::string_view line) {
    if (const auto given = text_after(line, "MODULE = \"")) module = *given;
    if (const auto given = text_after(line, "METHODS = \"")) methods = *given;
    if (const auto given = text_after(line, "IN_ORDER = \"")) words[0].second = *given;
    if (const auto given = text_after(line, "DOUBLES = \"")) words[1].second = *given;
    if (const auto given = text_after(line, "OF_ONE_AXIS = \"")) words[2].second = *given;
    if (const auto given = text_after(line, "OWN_WIDTH = \"")) words[3].second = *given;
    if (const auto given = text_after(line, "OLD_DOUBLES = \"")) words[4].second = *given;
  }
  [[nodiscard]] unsigned of(std::string_view name) const {
    unsigned facts = kAnyForm;
    for (const auto& [fact, names] : words) facts |= has_word(names, name) ? unsigned{fact} : 0;
    return facts;
  }
};

/// Adds what a file defines, as the lines at its margin say.
void scan(const Header& file, Definitions& all) {
  Facts facts;
  const auto define = [&](std::string_view name, std::string parameters, std::string_view same) {
    Definition made{&file, std::string(name), std::move(parameters), std::string(same),
                    facts.of(name)};
    if (has_word(facts.methods, name)) all[fmt::format(".{}", name)] = made;
    all[fmt::format("{}{}", module_prefix(facts.module), name)] = std::move(made);
  };
  std::string_view text = file.text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end), rest = text;
    text.remove_prefix(std::min(end + 1, text.size()));
    facts.read(line);
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("def ") && line[4] != '_') {
      define(line.substr(4, line.find('(') - 4), parameters_in(rest), "");
    } else if (equals != std::string_view::npos && is_name(line.substr(0, equals))) {
      const std::string_view same = line.substr(equals + 3);
      const auto known = all.find(fmt::format("{}{}", module_prefix(facts.module), same));
      if (is_name(same))
        define(line.substr(0, equals), known == all.end() ? "" : known->second.parameters, "");
      if (same.starts_with("np.")) define(line.substr(0, equals), "", same);
    }
  }
}

const Definitions& definitions() {
  static const Definitions instance = [] {
    Definitions all;
    for (const Header& file : library::headers())
      if (is_of_notation(file) && !stem(file).starts_with('_')) scan(file, all);
    return all;
  }();
  return instance;
}

}  // namespace

/// What runs the file of this stem.
static Interpreter& interpreter_of(std::string_view file) {
  for (const Header& each : library::headers())
    if (is_of_notation(each) && stem(each) == file) return interpreter(each);
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

void enter_library(FunctionTable& table) {
  for (const auto& [name, definition] : definitions()) {
    const auto call_it = [&definition = definition](const Call& call) {
      if (definition.same.empty())
        return interpreter(*definition.file).call_library(definition.name, call);
      Call same = call;
      same.name = definition.same;
      return call_function(same);
    };
    const auto same = definitions().find(definition.same);
    const std::string& parameters = definition.same.empty() ? definition.parameters
                                    : same != definitions().end()
                                        ? same->second.parameters
                                        : table.at(definition.same)->parameters;
    enter(table, Topic::Library, {{name, parameters, call_it, definition.facts}});
  }
}

}  // namespace rewriter
