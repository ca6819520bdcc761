#include "rewriter/reader/modules/modules.hpp"

#include <algorithm>
#include <filesystem>

#include "rewriter/library/files.hpp"
#include "rewriter/python/inlining.hpp"
#include "rewriter/python/parser.hpp"
#include "rewriter/reader/values/functions.hpp"

namespace rewriter {

namespace fs = std::filesystem;

/// Modules that no file of the program replaces: those that Python has in itself, and those
/// that the notation is made of.
static bool is_taken(std::string_view root) {
  return has_word(
      " sys time math itertools builtins gc os abc io types numpy gnumpy scipy __main__ "
      "__future__ ",
      root);
}

std::string absolute_module(std::string_view module, std::string_view package) {
  const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  if (dots == 0) return std::string(module);
  for (std::size_t up = 1; up < dots; ++up) {
    const std::size_t dot = package.rfind('.');
    package = package.substr(0, dot == package.npos ? 0 : dot);
  }
  if (package.empty() || dots == module.size()) return std::string(package);
  return fmt::format("{}.{}", package, module.substr(dots));
}

std::string package_of(const std::string& module, bool is_package) {
  if (is_package) return module;
  const std::size_t dot = module.rfind('.');
  return module.substr(0, dot == module.npos ? 0 : dot);
}

namespace {

class Linker {
 public:
  explicit Linker(const std::vector<std::string>& folders) : folders_(folders) {}

  LinkedProgram link(const Source& program, const std::vector<std::string>& also) {
    ast::Program tree = ast::parse(program);
    add_imports(tree, "");
    for (const std::string& name : also) add(name);
    for (std::size_t next = 0; next < files_.size(); ++next) {
      const std::string name = names_[next];
      add_imports(ast::parse(files_[next]), package_of(name, modules_.at(name).is_package));
    }
    if (!files_.empty()) tree = ast::parse(program.with(files_));
    tree = ast::with_inlined_generators(tree);
    for (std::size_t k = 0; k < files_.size(); ++k)
      modules_.at(names_[k]).statement = tree.modules[k];
    return {std::move(tree), std::move(modules_)};
  }

 private:
  /// All that the file's statements import, wherever they are.
  void add_imports(const ast::Program& tree, const std::string& package) {
    for (const ast::ImportedName& imported : tree.imports) {
      const std::string module = absolute_module(imported.module, package);
      for (std::size_t dot = module.find('.'); dot != module.npos; dot = module.find('.', dot + 1))
        add(module.substr(0, dot));
      add(module);
      if (!imported.name.empty() && imported.name != "*") add(module + "." + imported.name);
    }
  }

  /// The module of that name, if there is one.
  void add(const std::string& name) {
    if (name.empty() || modules_.contains(name) || is_taken(name.substr(0, name.find('.')))) return;
    const std::size_t dot = name.rfind('.');
    const auto parent = modules_.find(name.substr(0, dot == name.npos ? 0 : dot));
    if (dot != name.npos && parent == modules_.end()) return;
    const auto folders = dot == name.npos ? folders_ : parent->second.within;
    const std::string stem = dot == name.npos ? name : name.substr(dot + 1);
    std::vector<std::string> plain_folders;  // without __init__.py
    for (const std::string& folder : folders) {
      const std::string path = folder.empty() || folder == "." ? stem : folder + "/" + stem;
      std::error_code ignored;
      if (fs::is_regular_file(path + "/__init__.py", ignored))
        return read(name, {.is_package = true, .path = path + "/__init__.py", .within = {path}});
      if (fs::is_regular_file(path + ".py", ignored)) return read(name, {.path = path + ".py"});
      if (fs::is_directory(path, ignored)) plain_folders.push_back(path);
    }
    if (dot == name.npos && plain_folders.empty() && read_pythons(name)) return;
    const bool is_of_notation = !module_prefix(name).empty();
    if (!plain_folders.empty() && !is_of_notation)
      modules_[name] = {.is_package = true, .within = std::move(plain_folders)};
  }

  bool read_pythons(const std::string& name) {
    for (const auto& file : library::headers())
      if (file.name == fmt::format("rewriter/library/python/{}.py", name)) {
        files_.emplace_back(fmt::format("<python>/{}.py", name), std::string(file.text));
        names_.push_back(name);
        modules_[name] = {.path = files_.back().name(), .is_pythons = true};
        return true;
      }
    return false;
  }

  void read(const std::string& name, ModuleFile file) {
    try {
      Source source = Source::from_file(file.path);
      (void)ast::parse(source);
      files_.push_back(std::move(source));
      names_.push_back(name);
    } catch (const cudamat::CUDAMatException&) {
      file.error = std::current_exception();
    }
    modules_[name] = std::move(file);
  }

  const std::vector<std::string>& folders_;
  std::map<std::string, ModuleFile> modules_;
  std::vector<Source> files_;
  std::vector<std::string> names_;  ///< of files_
};

}  // namespace

LinkedProgram link(const Source& program, const std::vector<std::string>& folders,
                   const std::vector<std::string>& also) {
  return Linker(folders).link(program, also);
}

}  // namespace rewriter
