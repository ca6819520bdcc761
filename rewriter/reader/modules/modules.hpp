// The files that a program imports, found where Python finds them. Internal to the reader.
//
// They are read before the program. Each becomes a file of its source and a Module statement of its
// tree, which runs when it is first imported. A file is read once. Modules of Python's standard
// library that are written in the notation, rewriter/library/python, are found after all others.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/python/ast.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

struct ModuleFile {
  std::uint32_t statement = 0;  ///< its Module; 0: a folder without __init__.py, or `error`
  bool is_package = false;
  std::string path{};                 ///< of the file
  std::vector<std::string> within{};  ///< of a package: the folders that hold its modules
  std::exception_ptr error{};         ///< why the file is not read
  bool is_pythons = false;            ///< of rewriter/library/python, which has a part of Python's
};

struct LinkedProgram {
  ast::Program tree;
  std::map<std::string, ModuleFile> modules{};  ///< by Python's name: "pkg.layers"
};

/// Throws as ast::parse() does for the program itself. What is wrong with a module is for the
/// statement that imports it to say. `also`: modules that the program uses without an import.
LinkedProgram link(const Source& program, const std::vector<std::string>& folders,
                   const std::vector<std::string>& also = {});

/// The module that `from ..a import f` names, in a module of this package; empty beyond the top.
std::string absolute_module(std::string_view module, std::string_view package);

/// The package of a module: of "pkg.layers" "pkg", of a package itself.
std::string package_of(const std::string& module, bool is_package);

}  // namespace rewriter
