// symdump's passes: which names survive, what the passes did, the memory plan and its limit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rewriter/expr/program.hpp"
#include "rewriter/list/statement.hpp"
#include "tools/symdump_options.hpp"

namespace symdump {

/// The names that must survive: --outputs; else, where no pass is asked for or a function is the
/// program, all that it assigns or returns (an empty list); else those that nothing reads after
/// their last assignment, and those to be saved.
std::vector<std::string> surviving(const rewriter::Program& program, const Options& options);

/// What --list-passes prints: a line for each pass, its name and what it does.
std::string pass_list();

struct Rewritten {
  rewriter::StatementList list;
  std::string story;  ///< remarks, and lists where --print-after asks for them
  std::string times;  ///< what --time-passes prints
};

/// The list after the passes that the options name.
Rewritten rewrite(rewriter::StatementList list, const Options& options);

/// Throws CUDAMatException if a run of the list would take more memory than --limit: by how much,
/// at which statement the peak is, and which passes would make it fit. `literal` makes the list
/// before any pass.
void check_limit(const rewriter::StatementList& list, const Options& options,
                 const std::function<rewriter::StatementList(const Options&)>& literal);

}  // namespace symdump
