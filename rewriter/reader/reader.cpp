#include "rewriter/reader/reader.hpp"

#include <algorithm>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/python/parser.hpp"
#include "rewriter/reader/interpreter.hpp"

namespace rewriter {

using cudamat::misuse;

Interpreter::Interpreter(const Source& source, const ReadOptions& options)
    : tree_(ast::parse(source)), options_(options) {
  result_.source = source;
  const bool as_main = options.function.empty();
  module().names["__name__"] = {std::string(as_main ? "__main__" : "program")};
}

Program Interpreter::run() {
  if (options_.function.empty()) {
    execute_block(0, static_cast<std::uint32_t>(tree_.statements.size()));
    collect_results();
  } else {
    run_module();
    run_function();
  }
  for (const Program::Named& result : result_.results) result_.skipped.erase(result.name);
  return std::move(result_);
}

/// What the names stand for at the end. A view of an array that was written since is read again,
/// for the statement that made the view.
void Interpreter::collect_results() {
  note_written_inputs();  // functions write to theirs under other names
  for (const std::string& name : assigned_) {
    const auto* object = module().names[name].as<ObjectPtr>();
    if (object == nullptr || (*object)->is_outdated()) continue;
    const At at(last_[name].place);
    const NodePtr node = (*object)->read().node();
    if (node != last_[name].node) result_.assignments.push_back({name, node});
    result_.results.push_back({name, node});
  }
}

// ---- one function ----

/// The module's statements, but for those that only call a function of the program.
void Interpreter::run_module() {
  const auto calls = [this](const ast::Statement& statement) {
    if (statement.kind != ast::StatementKind::Expression) return false;
    const ast::Expr& call = tree_[statement.value];
    if (call.kind != ast::ExprKind::Call) return false;
    const ast::Expr& callee = tree_[tree_.child(statement.value, 0)];
    if (callee.kind != ast::ExprKind::Name) return false;
    const auto found = module().names.find(tree_.string(callee));
    return found != module().names.end() && found->second.as<UserFunction>() != nullptr;
  };
  for (std::uint32_t i = 0; i < tree_.statements.size();) {
    const ast::Statement& statement = tree_.statements[i];
    if (!calls(statement)) execute(i);
    const bool compound = statement.kind >= ast::StatementKind::For;
    i = !compound                                  ? i + 1
        : statement.kind == ast::StatementKind::If ? statement.else_end
                                                   : statement.end;
  }
}

void Interpreter::run_function() {
  const auto found = module().names.find(options_.function);
  const auto* function = found == module().names.end() ? nullptr : found->second.as<UserFunction>();
  if (function == nullptr)
    misuse("program", "the program defines no function '{}'", options_.function);
  const UserFunction called = *function;
  Scope& call = scopes_.emplace_back();
  call.function = called.statement;
  bind_inputs(called);
  execute_block(called.statement + 1, tree_.statements[called.statement].end);
  return_results(call);
  return_written_inputs(tree_.statements[called.statement].span);
}

/// What the caller of the function finds in the arrays that it gave, as far as that changed.
void Interpreter::return_written_inputs(Span def) {
  for (const Program::Named& input : result_.inputs) {
    const NodePtr node = inputs_.at(input.name)->read().node();
    if (node == input.node) continue;
    const auto returned =
        std::find_if(result_.results.begin(), result_.results.end(),
                     [&](const Program::Named& result) { return result.name == input.name; });
    if (returned == result_.results.end())
      result_.results.push_back({input.name, node});
    else if (returned->node != node)
      fail(def, fmt::format("the function writes into its parameter {0} and returns another array "
                            "that is called {0}; return it under another name",
                            input.name));
  }
}

/// `return a, b`: a and b are the results, under their names.
void Interpreter::return_results(const Scope& call) {
  if (!call.returned) return;
  const ast::ExprId expr = call.returned_expr;
  const auto add = [this](ast::ExprId id, const Value& value, const std::string& other) {
    if (value.as<ObjectPtr>() == nullptr && !value.is_number() && !value.as<NumberList>()) return;
    const bool named = tree_[id].kind == ast::ExprKind::Name;
    const At at(place(tree_[id].span));
    std::string name = named ? tree_.string(id) : other;
    for (const Program::Named& result : result_.results)
      if (result.name == name) return;
    const NodePtr node = to_array(value, "a result").node();
    result_.assignments.push_back({name, node});
    result_.results.push_back({std::move(name), node});
  };
  const auto* tuple = call.returned->as<Sequence>();
  if (tuple == nullptr || tree_[expr].kind != ast::ExprKind::Tuple)
    return add(expr, *call.returned, "result");
  for (std::size_t i = 0; i < tuple->items.size(); ++i)
    add(tree_.child(expr, i), tuple->items[i], fmt::format("result_{}", i + 1));
}

// ---- errors and places ----

std::string Interpreter::plain(const cudamat::CUDAMatException& error) {
  const std::string_view operation = error.operation();
  return std::string(operation == "program" || operation == "call" ? error.message()
                                                                   : error.what());
}

SourceLocation Interpreter::place(Span span) const {
  const int line = tree_.source.line_of(span.begin);
  constexpr std::size_t kLongLine = 4096;  // columns are counted from the line's start
  if (tree_.source.line(line).size() > kLongLine) return {line, 1};
  return tree_.source.location(span.begin);
}

// ---- statements ----

bool Interpreter::execute_block(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end;) {
    const ast::Statement& statement = tree_.statements[i];
    if (!execute(i)) return false;
    if (statement.kind < ast::StatementKind::For)
      ++i;
    else
      i = statement.kind == ast::StatementKind::If ? statement.else_end : statement.end;
  }
  return true;
}

bool Interpreter::execute(std::uint32_t index) {
  const ast::Statement& statement = tree_.statements[index];
  const SourceLocation caller = std::exchange(statement_place_, place(statement.span));
  const At at(statement_place_);
  bool goes_on = true;
  switch (statement.kind) {
    case ast::StatementKind::For:
      run_loop(statement, index);
      break;
    case ast::StatementKind::If:
      goes_on = choose(statement, index);
      break;
    case ast::StatementKind::Def:
      define(statement, index);
      break;
    default:
      located(statement.span, [&] { goes_on = execute_simple(statement); });
  }
  statement_place_ = caller;
  return goes_on;
}

bool Interpreter::execute_simple(const ast::Statement& statement) {
  switch (statement.kind) {
    case ast::StatementKind::Assign: {
      const Value value = evaluate(statement.value);
      for (const ast::ExprId target : tree_.targets(statement)) assign(target, value);
      break;
    }
    case ast::StatementKind::AugAssign:
      augment(statement);
      break;
    case ast::StatementKind::Annotation:
      annotate(statement);
      break;
    case ast::StatementKind::Import:
      for (const ast::ImportedName& imported : tree_.imported(statement)) import(imported);
      break;
    case ast::StatementKind::Expression:
      if (!append(statement.value)) step(evaluate(statement.value));
      break;
    case ast::StatementKind::Return:
      if (in_module()) misuse("program", "'return' outside of a function");
      if (!scope().loops.empty())
        misuse("program", "a return inside a loop is outside of this notation");
      scope().returned = statement.value == ast::kNoExpr ? Value{} : evaluate(statement.value);
      scope().returned_expr = statement.value;
      return false;
    default:
      break;
  }
  return true;
}

bool Interpreter::choose(const ast::Statement& statement, std::uint32_t index) {
  std::optional<bool> truth;
  Value condition;
  located(statement.span, [&] {
    condition = evaluate(statement.value);
    truth = truth_of(condition);
  });
  if (!truth)
    fail(tree_[statement.value].span,
         "what an if chooses must be known when the program is read, and the same in every "
         "iteration; this differs between iterations or is known only when it runs. "
         "np.where(condition, a, b) and `a if condition else b` choose between values");
  const std::pair taken{*truth ? index + 1 : statement.end,
                        *truth ? statement.end : statement.else_end};
  *truth ? note_skipped(statement.end, statement.else_end) : note_skipped(index + 1, statement.end);
  return execute_block(taken.first, taken.second);
}

void Interpreter::note_skipped(std::uint32_t begin, std::uint32_t end) {
  if (!in_module() && (options_.function.empty() || scopes_.size() > 2)) return;
  for (std::uint32_t i = begin; i < end; ++i)
    for (const auto& [name, binds] : ast::target_names(tree_, tree_.statements[i]))
      result_.skipped.emplace(name, tree_.statements[i].line);
}

/// The value of a statement is computed even if nothing reads it.
void Interpreter::step(const Value& value) {
  if (const auto* object = value.as<ObjectPtr>()) result_.steps.push_back((*object)->read().node());
}

void Interpreter::assign(ast::ExprId target, const Value& value) {
  const ast::Expr& expr = tree_[target];
  located(expr.span, [&] {
    switch (expr.kind) {
      case ast::ExprKind::Name:
        return bind(tree_.string(expr), value);
      case ast::ExprKind::Subscript:
        return store(target, value);
      default:
        return unpack(target, value);
    }
  });
}

void Interpreter::bind(const std::string& name, const Value& value) {
  scope().names[name] = value;
  for (LoopFrame* frame : scope().loops)
    if (frame->rebound.insert(name).second) frame->rebound_order.push_back(name);
  note(name);
  step(value);
}

/// The name now stands for an array that the program made.
void Interpreter::note(const std::string& name) {
  const auto* object = scope().names[name].as<ObjectPtr>();
  if (object == nullptr) return;
  const NodePtr node = (*object)->read().node();
  if (node->kind != Kind::Input || node->text != name) result_.assignments.push_back({name, node});
  if (!in_module()) return;
  if (known_.insert(name).second) assigned_.push_back(name);
  last_[name] = {statement_place_, node};
}

void Interpreter::unpack(ast::ExprId target, const Value& value) {
  const auto targets = tree_.children(target);
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr)
    misuse("program", "only a tuple can be unpacked; got {}", value.description());
  if (sequence->items.size() != targets.size())
    misuse("program", "{} names for {} values", targets.size(), sequence->items.size());
  for (std::size_t i = 0; i < targets.size(); ++i) assign(targets[i], sequence->items[i]);
}

/// x[index] = value
void Interpreter::store(ast::ExprId target, const Value& value) {
  const auto [object, index] = evaluate_subscript(target);
  assign_subscript(object, index, value);
  written(object);
}

void Interpreter::augment(const ast::Statement& statement) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const ast::Expr& expr = tree_[target];
  if (expr.kind == ast::ExprKind::Subscript) {
    const auto [object, index] = evaluate_subscript(target);
    const Value part = subscript(object, index);
    const Value result = combine(statement, part, evaluate(statement.value));
    if (const auto* view = part.as<ObjectPtr>(); view != nullptr && !(*view)->is_scalar())
      detail::check_in_place(ast::spelling(statement.op), (*view)->read(),
                             to_array(result, "what is assigned"));
    assign_subscript(object, index, result);
    return written(object);
  }
  const std::string& name = tree_.string(expr);
  const Value old = lookup(expr);
  const auto* sequence = old.as<Sequence>();
  if ((sequence != nullptr && sequence->list) || old.as<NumberList>() != nullptr)
    misuse("program",
           "lists change in place only by {0}.append(number) here; make it an array with "
           "np.array({0})",
           name);
  const Value right = evaluate(statement.value);
  const Value result = combine(statement, old, right);
  const auto* object = old.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar()) return bind(name, result);
  const Array made = in_place(to_array(result, name));
  if (made.shape() != (*object)->shape())
    misuse("program",
           "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
           to_string((*object)->shape()), to_string(made.shape()));
  (*object)->write(made);
  note(name);
  written(old);
}

Value Interpreter::binary(ast::Operator op, const Value& left, const Value& right) const {
  if (unsure_ == 0) refuse_python_errors(op, left, right);
  return binary_operator(op, left, right);
}

Value Interpreter::combine(const ast::Statement& statement, const Value& left, const Value& right) {
  Value result;
  located(statement.span, [&] { result = binary(statement.op, left, right); });
  return result;
}

/// After an array was written in place: the statement computed what it holds now. The names of an
/// input that was overwritten become outputs.
void Interpreter::written(const Value& value) {
  step(value);
  note_written_inputs();
}

/// An input that was written in place is a result, as if it had been assigned.
void Interpreter::note_written_inputs() {
  for (const Program::Named& named : result_.inputs) {
    const auto found = scope().names.find(named.name);
    if (found == scope().names.end()) continue;
    const auto* object = found->second.as<ObjectPtr>();
    if (object != nullptr && !known_.contains(named.name) && (*object)->read().node() != named.node)
      note(named.name);
  }
}

Program read(const Source& source, const ReadOptions& options) {
  return Interpreter(source, options).run();
}

}  // namespace rewriter
