// The reader: imports, and the modules that are files beside the program.
#include <algorithm>

#include "rewriter/reader/modules/modules.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/entered.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/library.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/outside.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

// ---- modules of the notation ----

/// Modules that compute nothing of a program's arrays: times, pictures, files, types.
static bool is_left_out(std::string_view root) {
  constexpr std::string_view kLeftOut[] = {
      "time",     "timeit",      "sys",     "os",        "matplotlib", "typing",   "numba",
      "warnings", "logging",     "pathlib", "seaborn",   "tqdm",       "datetime", "argparse",
      "copy",     "dataclasses", "pprint",  "gc",        "json",       "pickle",   "csv",
      "shutil",   "platform",    "glob",    "traceback", "textwrap",   "pylab",    "abc",
      "enum",     "contextlib",  "types",   "__main__"};
  return std::find(std::begin(kLeftOut), std::end(kLeftOut), root) != std::end(kLeftOut);
}

/// What a name of such a module refers to.
Value Interpreter::left_out_member(const std::string& name) const {
  if (name == "typing.TYPE_CHECKING") return {false};
  if (name == "sys.argv") return new_sequence(true, {Value{result_.source->name()}});
  return {Ignored{name}};
}

/// Raises an error for the use of a module; an import alone does not.
void Interpreter::refuse_module(const std::string& name) const {
  if (name.starts_with("an object of "))  // which convert has no text for
    misuse(
        "program",
        "{} is not supported: arguments, attributes and globals are arrays, numbers, texts, None, "
        "functions, objects of the program's classes, and tuples, lists and dictionaries of these",
        name);
  std::string where;
  for (const std::string& folder : options_.folders)
    where += (where.empty() ? "" : ", ") + (folder.empty() ? "." : folder);
  misuse("program",
         "the supported modules are numpy, gnumpy, math, itertools, heapq, and parts of scipy, "
         "functools, collections and others of Python's{}; got {}",
         where.empty() ? "" : fmt::format(", and files of the program in {}", where), name);
}

/// Whether the module is one of Python's, or one whose calls are supported in part: in a `try` the
/// others are missing, since what they compute is not supported.
static bool is_known_module(std::string_view root) {
  return has_word(
      " numpy scipy gnumpy math cmath itertools heapq functools collections operator random bisect "
      "statistics string re json datetime decimal fractions copy enum typing dataclasses abc io os "
      "sys time types warnings contextlib logging argparse pathlib pickle csv builtins numbers "
      "textwrap threading queue multiprocessing concurrent unittest inspect traceback hashlib uuid "
      "struct array zlib gzip shutil glob tempfile subprocess platform calendar secrets pprint "
      "weakref gc atexit signal locale ast dis keyword token tokenize importlib pkgutil cProfile "
      "profile pstats timeit tqdm ",
      root);
}

namespace {

/// "numpy.AxisError" is one until NumPy 2.
bool is_error_of_numpy(std::string_view name) {
  return has_word(" numpy.linalg.LinAlgError numpy.exceptions.AxisError ", name) ||
         (name == "numpy.AxisError" && numpy_version() < 2);
}

}  // namespace

void Interpreter::import(const ast::ImportedName& imported) {
  if (imported.module == kUndefined) {
    undefined_.insert(imported.alias);
    return;
  }
  if (imported.module == kPythonObjects) {
    scope().names[imported.alias] = imported_object(imported.name);
    return;
  }
  if (import_file(imported)) return;
  const std::string_view root =
      std::string_view(imported.module).substr(0, imported.module.find('.'));
  if (root == "__future__") return;
  if (is_error_of_numpy(imported.module + "." + imported.name)) {
    scope().names[imported.alias] = {objects_.exception_class(imported.name)};
    return;
  }
  if (imported.module == "numpy.typing") {
    scope().names[imported.alias] = {Ignored{"typing.Any"}};
    return;
  }
  const bool of_scipy = root == "scipy" && !module_prefix(imported.module).empty();
  if (is_left_out(root)) {
    const std::string from =
        imported.name.empty() ? imported.module : imported.module + "." + imported.name;
    if (imported.name == "*")
      fail(imported.span, fmt::format("import * from {}, a module whose calls are ignored, is not "
                                      "supported; import its names one by one",
                                      imported.module));
    const bool to_root = imported.name.empty() && imported.alias == root;
    scope().names[imported.alias] = left_out_member(to_root ? std::string(root) : from);
    return;
  }
  auto& names = scope().names;
  if (is_library_ && root.starts_with('_')) {
    names[imported.alias] = imported_from_library(root, imported.name);
    return;
  }
  const bool is_whole = root == "numpy" || root == "gnumpy" || root == "math" || of_scipy;
  const bool is_here = !module_prefix(imported.module).empty() &&
                       is_function(fmt::format("{}.{}", imported.module, imported.name));
  if (!is_whole && imported.name == "*") refuse_module(imported.module);
  if (!is_whole && !is_here && tried_ > 0 && !is_known_module(root))
    throw PythonError("ModuleNotFoundError", "program", fmt::format("No module named '{}'", root));
  if (!is_whole && !imported.name.empty() && !is_here) {
    names[imported.alias] = {Module{imported.module + "." + imported.name}};
    return;
  }
  if (imported.name == "*") {
    import_all(imported);
  } else if (imported.name.empty()) {
    const bool bound_to_root = imported.alias == root;
    names[imported.alias] = {Module{bound_to_root ? std::string(root) : imported.module}};
  } else {
    const std::string full = imported.module + "." + imported.name;
    names[imported.alias] =
        known_member({imported.module}, imported.name).value_or(Value{Module{full}});
  }
}

/// `from numpy import *` would rebind names that have a value already.
void Interpreter::import_all(const ast::ImportedName& imported) {
  const std::string prefix(module_prefix(imported.module));
  for (const auto& [name, value] : scope().names) {
    if (value.as<Module>() != nullptr || value.as<Function>() != nullptr) continue;
    if (module_constant(prefix + name) || is_function(prefix + name))
      fail(imported.span,
           fmt::format("this import rebinds the name {}; move it to the top of the program", name));
  }
  star_prefixes_[scope().file].push_back(prefix);
}

std::optional<Value> Interpreter::known_member(const Module& module, const std::string& name) {
  const std::string full = module.name + "." + name;
  if (!module_prefix(full).empty()) return Value{Module{full}};
  if (module_prefix(module.name).empty()) return {};
  const std::string key = std::string(module_prefix(module.name)) + name;
  if (const auto constant = module_constant(key)) return constant;
  if (is_function(key)) return Value{Function{key, nullptr}};
  return {};
}

Value Interpreter::member(const Module& module, const std::string& name) {
  if (const auto file = modules_.find(module.name); file != modules_.end())
    return member_of_file(file->second, name);
  refuse_interleaved(module, result_.steps);
  if (is_library_ && module.name == "numpy" && name == "__version__")
    return {std::string(numpy_version() < 2 ? "1" : "2")};
  if (auto known = known_member(module, name)) return *std::move(known);
  const std::string full = module.name + "." + name;
  if (Objects::is_known_import(full)) return {Module{full}};
  if (is_error_of_numpy(full)) return {objects_.exception_class(name)};
  if (full == "numpy.exceptions") return {Module{full}};
  refuse_use({full});
}

void Interpreter::refuse_use(const Module& module) const {
  const std::size_t dot = module.name.rfind('.');
  const std::string_view outer = std::string_view(module.name).substr(0, dot);
  if (dot == std::string::npos || module_prefix(outer).empty()) refuse_module(module.name);
  refuse_function("call", std::string(module_prefix(outer)) + module.name.substr(dot + 1));
}

// ---- modules that are files ----

namespace {

std::string last_part(const std::string& module) {
  return module.substr(module.rfind('.') + 1);
}

[[noreturn]] void raise_import_error(const std::string& message, bool is_missing = false) {
  throw PythonError(is_missing ? "ModuleNotFoundError" : "ImportError", "program", message);
}

}  // namespace

/// Whether the statement imports a file, which then it has done.
bool Interpreter::import_file(const ast::ImportedName& imported) {
  const bool is_relative = imported.module.starts_with('.');
  const std::string package =
      scope().file == 0
          ? std::string()
          : package_of(files_[scope().file - 1]->name, files_[scope().file - 1]->file->is_package);
  if (is_relative && package.empty())
    raise_import_error("attempted relative import with no known parent package");
  const std::string module = absolute_module(imported.module, package);
  if (module.empty()) raise_import_error("attempted relative import beyond top-level package");
  if (!modules_.contains(module.substr(0, module.find('.')))) return false;
  for (std::size_t dot = module.find('.'); dot != module.npos; dot = module.find('.', dot + 1))
    (void)run_file(module.substr(0, dot));
  FileModule& file = run_file(module);
  if (imported.name == "*") {
    import_all_of(file);
  } else if (imported.name.empty()) {
    const std::string root = module.substr(0, module.find('.'));
    bind(imported.alias, {Module{imported.alias == root && !imported.is_renamed ? root : module}});
  } else {
    bind(imported.alias, imported_from(file, imported.name));
  }
  return true;
}

/// What a module of Python's has that its file in rewriter/library/python lacks.
Value Interpreter::rest_of_pythons(const std::string& module, const std::string& name) {
  const std::string full = module + "." + name;
  if (auto known = known_member({module}, name)) return *known;
  return module_prefix(module).empty() ? Value{Ignored{full}} : Value{Module{full}};
}

/// What `from module import name` gives.
Value Interpreter::imported_from(FileModule& file, const std::string& name) {
  if (const Value* value = global_of(file, name)) return *value;
  if (modules_.contains(file.name + "." + name))
    return {Module{run_file(file.name + "." + name).name}};
  if (file.file->is_pythons) return rest_of_pythons(file.name, name);
  raise_import_error(
      fmt::format("cannot import name '{}' from {}'{}'{} ({})", name,
                  file.running != nullptr ? "partially initialized module " : "", file.name,
                  file.running != nullptr ? " (most likely due to a circular import)" : "",
                  file.file->statement == 0 ? "unknown location" : file.file->path));
}

void Interpreter::import_all_of(FileModule& file) {
  if (const Value* all = global_of(file, "__all__")) {
    for (const Value& each : elements_of(Value(*all))) {
      const auto* name = each.as<std::string>();
      if (name == nullptr) misuse("program", "items of {}.__all__ must be strings", file.name);
      const bool is_there =
          global_of(file, *name) != nullptr || modules_.contains(file.name + "." + *name);
      if (!is_there)
        throw PythonError("AttributeError", "program",
                          fmt::format("module '{}' has no attribute '{}'", file.name, *name));
      bind(*name, imported_from(file, *name));
    }
    return;
  }
  std::vector<std::pair<std::string, Value>> found;
  for (const std::string& name : file.bound)
    if (!name.starts_with('_'))
      if (const Value* value = global_of(file, name)) found.emplace_back(name, *value);
  for (const auto& [name, value] : found) bind(name, value);
  for (const std::string& prefix : star_prefixes_[file.number])
    star_prefixes_[scope().file].push_back(prefix);
}

/// The module, which has run or, where it imports itself in a circle, is running.
FileModule& Interpreter::run_file(const std::string& name) {
  const auto found = modules_.find(name);
  if (found == modules_.end()) raise_import_error(fmt::format("No module named '{}'", name), true);
  FileModule& module = found->second;
  if (module.file->error) std::rethrow_exception(module.file->error);
  if (module.names != nullptr) return module;
  if (in_loop() || unsure_ > 0)
    misuse("program",
           "the module {} is first imported in a loop or under a run-time condition; import it "
           "before that, at the top of the file",
           name);
  module.names = objects_.new_namespace(last_part(name));
  imported_.push_back(&module);
  try {
    if (module.file->statement > 0) execute_file(module);
  } catch (...) {  // the next import tries again
    module.running = nullptr;
    module.names = nullptr;
    imported_.pop_back();
    throw;
  }
  if (const auto parent = modules_.find(package_of(name, false)); parent != modules_.end())
    set_global(parent->second, last_part(name), {Module{name}});
  return module;
}

void Interpreter::execute_file(FileModule& module) {
  const std::uint32_t statement = module.file->statement;
  const SourceLocation imported_at = statement_place_;
  const Entered entered(*this, statement);
  Scope& own = scope();
  own.is_file = true;
  own.names["__name__"] = {module.name};
  own.names["__file__"] = {module.file->path};
  own.names["__package__"] = {package_of(module.name, module.file->is_package)};
  module.running = &own;
  const Exchanged place(statement_place_, statement_place_);
  try {
    execute_block(statement + 1, tree_.statements[statement].end);
  } catch (ProgramError& error) {
    error.add_note(fmt::format("in {}, imported at {}", module.name,
                               tree_.source.named_line(imported_at.line)));
    throw;
  }
  module.running = nullptr;
  module.bound = {};
  std::vector<std::string> names;
  for (const auto& [name, value] : own.names)
    if (!name.starts_with('<')) names.push_back(name);
  for (const std::string& name : names) {
    module.bound.push_back(name);
    objects_.adopt(module.names, name, own.names.extract(name).mapped());
  }
}

/// What a name of the file refers to, if it has a value; it counts as read.
const Value* Interpreter::global_of(FileModule& module, const std::string& name) {
  if (module.running != nullptr) {
    if (const auto found = module.running->names.find(name); found != module.running->names.end()) {
      for (LoopFrame* frame : module.running->loops)
        if (!frame->rebound.contains(name)) frame->read.insert(name);
      return &found->second;
    }
  }
  return objects_.read(*module.names, name);
}

/// module.name = value
void Interpreter::set_global(FileModule& module, const std::string& name, const Value& value) {
  if (std::find(module.bound.begin(), module.bound.end(), name) == module.bound.end())
    module.bound.push_back(name);
  if (module.running != nullptr && !in_loop()) {
    module.running->names[name] = value;
    return;
  }
  if (value.as<Module>() != nullptr)
    module.names->members[name] = value;
  else
    objects_.set({module.names}, name, value);
}

Value Interpreter::member_of_file(FileModule& module, const std::string& name) {
  if (const Value* value = global_of(module, name)) return *value;
  if (const auto inner = modules_.find(module.name + "." + name);
      inner != modules_.end() && inner->second.names != nullptr)
    return {Module{inner->first}};
  if (module.file->is_pythons) return rest_of_pythons(module.name, name);
  throw PythonError(
      "AttributeError", "program",
      fmt::format("{}module '{}' has no attribute '{}'{}",
                  module.running != nullptr ? "partially initialized " : "", module.name, name,
                  module.running != nullptr ? " (most likely due to a circular import)" : ""));
}

}  // namespace rewriter
