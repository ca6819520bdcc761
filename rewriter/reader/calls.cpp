// The reader: calls, and the program's own functions.
#include <algorithm>

#include "rewriter/reader/interpreter.hpp"

namespace rewriter {

using cudamat::misuse;

constexpr std::size_t kDeepestCall = 100;

class Interpreter::Entered {
 public:
  Entered(Interpreter& reader, std::uint32_t function)
      : reader_(reader), place_(reader.statement_place_) {
    for (const Scope& scope : reader.scopes_)
      if (&scope != &reader.scopes_.front() && scope.function == function)
        misuse("program", "a function that calls itself is outside of this notation");
    if (reader.scopes_.size() > kDeepestCall)
      misuse("program", "calls are nested more than {} deep", kDeepestCall);
    reader.scopes_.emplace_back().function = function;
  }
  ~Entered() {
    reader_.scopes_.pop_back();
    reader_.statement_place_ = place_;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Interpreter& reader_;
  SourceLocation place_;
};

void Interpreter::define(const ast::Statement& statement, std::uint32_t index) {
  if (!in_module() || in_loop())
    fail(statement.span, "a function is defined at the top level of the program in this notation");
  UserFunction function{tree_.string(tree_.targets(statement)[0]), index, {}};
  for (const ast::Parameter& parameter : tree_.parameters_of(statement))
    function.defaults.push_back(parameter.value == ast::kNoExpr ? Value{}
                                                                : evaluate(parameter.value));
  auto& locals = locals_[index];
  for (std::uint32_t i = index + 1; i < statement.end; ++i) {
    const ast::Statement& inner = tree_.statements[i];
    for (const auto& [name, binds] : ast::target_names(tree_, inner))
      if (binds) locals.emplace(name, inner.line);
    for (const ast::ImportedName& imported : tree_.imported(inner))
      locals.emplace(imported.alias, inner.line);
  }
  bind(function.name, {function});
}

Value Interpreter::call(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  const auto children = tree_.children(id);
  const Value callee = values[children[0] - first];
  const auto* function = callee.as<Function>();
  const auto* user = callee.as<UserFunction>();
  if (function == nullptr && user == nullptr)
    misuse("program", "{} cannot be called", callee.description());
  Call made{user != nullptr ? user->name : function->name, {}, {}, result_.steps};
  if (function != nullptr && function->self) made.arguments.push_back({function->self});
  if (function != nullptr && function->selection) made.arguments.push_back({*function->selection});
  for (const ast::ExprId child : children.subspan(1)) {
    Value& value = values[child - first];
    if (tree_[child].kind == ast::ExprKind::Keyword)
      made.keywords.emplace_back(tree_.string(child), std::move(value));
    else
      made.arguments.push_back(std::move(value));
  }
  return user != nullptr ? call_user(*user, made) : call_function(made);
}

constexpr int kMostCalls = 100'000;

/// Python's rules for arguments: positions, then keywords, then defaults.
Value Interpreter::call_user(const UserFunction& function, const Call& call) {
  const ast::Statement& def = tree_.statements[function.statement];
  const auto parameters = tree_.parameters_of(def);
  if (call.arguments.size() > parameters.size())
    misuse(function.name, "takes {} arguments; got {}", parameters.size(), call.arguments.size());
  std::vector<const Value*> bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) bound[i] = &call.arguments[i];
  for (const auto& [keyword, value] : call.keywords) {
    const auto same = [&](const ast::Parameter& p) { return p.name == keyword; };
    const auto found = std::find_if(parameters.begin(), parameters.end(), same);
    if (found == parameters.end())
      misuse(function.name, "got an unexpected keyword argument '{}'", keyword);
    const Value*& slot = bound[static_cast<std::size_t>(found - parameters.begin())];
    if (slot != nullptr) misuse(function.name, "got multiple values for argument '{}'", keyword);
    slot = &value;
  }
  if (++calls_ > kMostCalls)
    misuse(function.name, "more than {} calls of functions: each is written out where it is called",
           kMostCalls);
  const Entered entered(*this, function.statement);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i] == nullptr && parameters[i].value == ast::kNoExpr)
      misuse(function.name, "needs the argument '{}'", parameters[i].name);
    scope().names[parameters[i].name] = bound[i] != nullptr ? *bound[i] : function.defaults[i];
  }
  execute_block(function.statement + 1, def.end);
  return scope().returned.value_or(Value{});
}

/// Whether the module declares an input of this name, and neither assigns nor writes to it.
bool Interpreter::declared_by_module(const std::string& name) {
  const auto input = inputs_.find(name);
  const auto found = module().names.find(name);
  if (input == inputs_.end() || found == module().names.end()) return false;
  const auto* object = found->second.as<ObjectPtr>();
  return object != nullptr && *object == input->second &&
         (*object)->read().node()->kind == Kind::Input;
}

/// The parameters of the function that is the program.
void Interpreter::bind_inputs(const UserFunction& function) {
  const ast::Statement& def = tree_.statements[function.statement];
  std::size_t i = 0;
  for (const ast::Parameter& parameter : tree_.parameters_of(def)) {
    const Value& standard = function.defaults[i++];
    statement_place_ = place(parameter.span);
    const At at(statement_place_);
    located(parameter.span, [&] {
      const auto shape = options_.shapes.find(parameter.name);
      const bool annotated = parameter.annotation != ast::kNoExpr &&
                             tree_[parameter.annotation].kind == ast::ExprKind::Tuple;
      const auto number = options_.values.find(parameter.name);
      if (number != options_.values.end()) {
        result_.values_used.insert(parameter.name);
        scope().names[parameter.name] =
            std::visit([](auto value) { return Value{value}; }, number->second);
      } else if (annotated)
        declare(parameter.name, declared_dims(parameter.name, parameter.annotation));
      else if (shape != options_.shapes.end())
        declare(parameter.name, shape->second);
      else if (parameter.value != ast::kNoExpr)
        scope().names[parameter.name] = standard;
      else if (declared_by_module(parameter.name))
        scope().names[parameter.name] = {inputs_.at(parameter.name)};
      else
        misuse("program",
               "the parameter {0} of {1} is an array or a number: give its shape, --shape "
               "{0}=RxC or an annotation {0}: (rows, cols), or its value, --set {0}=NUMBER",
               parameter.name, function.name);
    });
  }
}

}  // namespace rewriter
