// The reader: a program from its first statement to its last.
#include "rewriter/reader/walk/interpreter.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/modules/modules.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

Interpreter::Interpreter(const ast::Program& tree, const ReadOptions& options,
                         const std::map<std::string, ModuleFile>& modules, Decisions decisions)
    : tree_(tree),
      options_(options),
      decisions_(std::move(decisions)),
      files_(tree.modules.size()),
      star_prefixes_(tree.source.file_count()) {
  result_.source = tree.source;
  for (const auto& [name, file] : modules) {
    FileModule& module = modules_[name];
    module = {.name = name, .file = &file};
    if (file.statement == 0) continue;
    module.number = tree.source.file_number(tree.statements[file.statement].span.begin);
    files_[module.number - 1] = &module;
  }
  const bool as_main = options.function.empty();
  module().names["__name__"] = {std::string(as_main ? "__main__" : "program")};
  for (const ReadOptions::Import& each : options.imports)
    import({each.module, each.name, each.alias, {}});
}

Interpreter::~Interpreter() {
  // Members of an enum hold its class, which holds them.
  const auto let_go = [](const std::unordered_map<std::string, Value>& names) {
    for (const auto& [name, value] : names)
      if (const auto* type = value.as<ClassPtr>()) (*type)->members.clear();
  };
  for (const Scope& scope : scopes_) let_go(scope.names);
  for (const auto& [name, module] : modules_)
    if (module.names != nullptr) let_go(module.names->members), module.names->members.clear();
  for (const auto& enclosing : enclosings_) let_go(enclosing->kept);
  // Functions hold the names of the calls that they were defined in, which may hold them.
  for (const auto& enclosing : enclosings_) enclosing->kept.clear();
  for (Scope& scope : scopes_) scope.names.clear();
}

Program Interpreter::run() {
  if (options_.function.empty()) {
    try {
      run_program();
    } catch (const Ended&) {
    }
    collect_results();
  } else {
    run_module();
    run_function();
  }
  for (const Program::Named& result : result_.results) result_.skipped.erase(result.name);
  return std::move(result_);
}

void Interpreter::run_program() {
  const std::uint32_t end = tree_.first_file_end();
  for (std::uint32_t i = 0; i < end; i = ast::after(tree_, i)) {
    of_module_ = i;
    const DecidingSo so(decisions_.of(i));
    const Flow flow = execute(i);
    if (flow == Flow::Perhaps) (void)run_rest(ast::after(tree_, i), end);
    if (flow != Flow::Next) return;
  }
}

/// The module's statements, but for those that only call a function of the program.
void Interpreter::run_module() {
  const auto binds = [this](std::uint32_t at, const std::string& name) {
    const ast::Statement& statement = tree_.statements[at];
    if (statement.kind != ast::StatementKind::Class && statement.kind != ast::StatementKind::Def &&
        statement.kind != ast::StatementKind::Assign)
      return false;
    const ast::ExprId target = tree_.targets(statement)[0];
    return tree_[target].kind == ast::ExprKind::Name && tree_.string(target) == name;
  };
  const auto calls = [this](const ast::Statement& statement) {
    if (statement.kind != ast::StatementKind::Expression) return false;
    const ast::Expr& call = tree_[statement.value];
    if (call.kind != ast::ExprKind::Call) return false;
    const ast::Expr& callee = tree_[tree_.child(statement.value, 0)];
    if (callee.kind != ast::ExprKind::Name) return false;
    const auto found = module().names.find(tree_.string(callee));
    return found != module().names.end() && found->second.as<UserFunction>() != nullptr;
  };
  const std::uint32_t all = tree_.first_file_end();
  std::vector<bool> is_done(all);
  // A class after what the class statement evaluates, wherever that is defined.
  const std::function<void(std::uint32_t)> run = [&](std::uint32_t at) {
    if (is_done[at] || calls(tree_.statements[at])) return;
    is_done[at] = true;
    const auto run_names = [&](ast::ExprId begin, ast::ExprId end) {
      for (ast::ExprId id = begin; id < end; ++id)
        for (std::uint32_t i = ast::after(tree_, at);
             tree_[id].kind == ast::ExprKind::Name && i < all; i = ast::after(tree_, i))
          if (binds(i, tree_.string(id))) run(i);
    };
    const auto run_decorators = [&](const ast::Statement& decorated) {
      for (const ast::ExprId id : tree_.decorators_of(decorated))
        run_names(tree_[id].first, id + 1);
    };
    const ast::Statement& statement = tree_.statements[at];
    if (statement.kind == ast::StatementKind::Class) {
      run_names(tree_[statement.value].first, statement.value + 1);
      run_decorators(statement);
      for (std::uint32_t i = at + 1; i < statement.end; i = ast::after(tree_, i))
        if (tree_.statements[i].kind == ast::StatementKind::Def)
          run_decorators(tree_.statements[i]);
        else if (const auto [begin, end] = expressions_of(i, ast::after(tree_, i)); begin < end)
          run_names(begin, end);
    }
    execute(at);
  };
  for (std::uint32_t i = 0; i < all; i = ast::after(tree_, i)) run(i);
}

void Interpreter::run_function() {
  const auto found = module().names.find(options_.function);
  const auto* function = found == module().names.end() ? nullptr : found->second.as<UserFunction>();
  if (function == nullptr)
    misuse("program", "the program defines no function '{}'", options_.function);
  const UserFunction called = *function;
  if (tree_.statements[called.statement].is_generator)
    misuse("program", "{} is a generator; a function that returns its items, list(...), is read",
           called.name);
  Scope& caller = scopes_.emplace_back();  // whose names for the arrays hold what becomes of them
  Scope& call = scopes_.emplace_back();
  call.function = called.statement;
  objects_.move(module().names, call.names);
  bind_inputs(called);
  for (const auto& [name, object] : inputs_) caller.names[name] = {object};
  execute_body(tree_.statements[called.statement], called.statement);
  // What the caller finds in the arrays that it gave, as far as that changed.
  for (const Program::Named& input : result_.inputs)
    if (const NodePtr node = to_array(caller.names.at(input.name), input.name).node();
        node != input.node)
      overwritten_.push_back({input.name, node});
  for (const Program::Named& each : overwritten_) result_.written_inputs.insert(each.name);
  const std::vector<InstancePtr> objects = objects_of_caller();
  return_results(call);
  return_objects(objects);
  for (const Program::Named& each : overwritten_)
    if (std::none_of(result_.results.begin(), result_.results.end(),
                     [&](const Program::Named& result) { return result.name == each.name; }))
      result_.results.push_back(each);
}

std::string Interpreter::plain(const cudamat::CUDAMatException& error) {
  const std::string_view operation = error.operation();
  return std::string(operation == "program" || operation == "call" ? error.message()
                                                                   : error.what());
}

SourceLocation Interpreter::place(Span span) const {
  if (is_library_) return current_place();
  const int line = tree_.source.line_of(span.begin);
  constexpr std::size_t kLongLine = 4096;  // columns are counted from the line's start
  if (tree_.source.line(line).size() > kLongLine) return {line, 1};
  return tree_.source.location(span.begin);
}

}  // namespace rewriter
