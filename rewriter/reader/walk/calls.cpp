// The reader: calls, and the program's own functions.
#include <algorithm>
#include <fmt/ranges.h>

#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/attempt.hpp"
#include "rewriter/reader/walk/entered.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

void Interpreter::define(const ast::Statement& statement, std::uint32_t index) {
  UserFunction function{
      tree_.string(tree_.targets(statement)[0]), index, {}, ast::kNoExpr, enclosing(), {}, this};
  std::vector<Value> defaults;
  for (const ast::Parameter& parameter : tree_.parameters_of(statement))
    defaults.push_back(parameter.value == ast::kNoExpr ? Value{} : evaluate(parameter.value));
  function.defaults = std::move(defaults);
  auto& locals = locals_[index];
  const bool known = !locals.empty();
  for (std::uint32_t i = index + 1; i < statement.end && !known;) {
    const ast::Statement& inner = tree_.statements[i];
    for (const auto& [name, binds] : ast::target_names(tree_, inner))
      if (binds) locals.emplace(name, inner.line);
    for (const ast::ImportedName& imported : tree_.imported(inner))
      locals.emplace(imported.alias, inner.line);
    i = ast::has_scope(inner) ? inner.end : i + 1;
  }
  for (std::uint32_t i = index + 1; i < statement.end && !known;) {
    const ast::Statement& inner = tree_.statements[i];
    if (inner.kind == ast::StatementKind::Nonlocal || inner.kind == ast::StatementKind::Global)
      for (const std::string& name : nonlocal_names(inner)) locals.erase(name);
    i = ast::has_scope(inner) ? inner.end : i + 1;
  }
  bind(function.name, objects_.decorated(index, {function}));
}

std::unordered_map<std::string, Value> Interpreter::run_class_body(
    std::uint32_t index, const Class& made, const std::function<void()>& at_end) {
  const std::shared_ptr<Enclosing> outer = enclosing();
  const Entered entered(*this, index);
  scope().outer = outer;
  scope().is_class = true;
  if (made.kind == Class::Kind::Enum) scope().enumerated = &made;
  (void)execute_block(index + 1, tree_.statements[index].end);
  at_end();
  return scope().names;
}

Value Interpreter::call(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  const auto children = tree_.children(id);
  const Value callee = values[children[0] - first];
  std::vector<Value> changed;
  Call made{"", {}, {}, result_.steps, &changed};
  if (const auto* function = callee.as<Function>()) {
    if (function->self) made.arguments.push_back({function->self});
    if (function->selection) made.arguments.push_back({*function->selection});
  }
  for (const ast::ExprId child : children.subspan(1)) {
    Value& value = values[child - first];
    const ast::ExprKind kind = tree_[child].kind;
    if (kind == ast::ExprKind::Keyword) {
      made.keywords.emplace_back(tree_.string(child), std::move(value));
    } else if (kind == ast::ExprKind::Starred) {
      for (Value& item : elements_of(objects_.iterable(value)))
        made.arguments.push_back(std::move(item));
    } else if (kind == ast::ExprKind::DoubleStarred) {
      const Dict dict = dict_of(value);
      for (std::size_t i = 0; i < dict.keys.size(); ++i) {
        const auto* keyword = dict.keys[i].as<std::string>();
        if (keyword == nullptr) misuse(Exception::TypeError, "program", "keywords must be strings");
        made.keywords.emplace_back(*keyword, dict.values[i]);
      }
    } else {
      made.arguments.push_back(std::move(value));
    }
  }
  if (print_perhaps(callee, made)) return {};
  if (const auto* function = callee.as<Function>(); attempt_ != nullptr && function != nullptr)
    attempt_->catch_linalg_error(*this, made, function->name, id);
  const std::size_t before = raises();
  const Value result = call_value(callee, made, id);
  if (callee.as<Function>() != nullptr)  // which may go on after a function that it calls
    refuse_raises(before, tree_[id].span);
  for (const Value& array : changed) written(array);
  return result;
}

Value Interpreter::call_value(const Value& callee, Call& made, ast::ExprId expression) {
  made.caller = this;
  if (auto result = call_outside(callee, made)) return std::move(*result);
  if (auto result = objects_.call(callee, made, expression)) return std::move(*result);
  if (const auto* user = callee.as<UserFunction>()) {
    made.name = user->name;
    return call_user(*user, made);
  }
  if (const auto* bound = callee.as<Method>()) {
    made.name = "." + bound->name.substr(bound->name.rfind('.') + 1);
    return method(*bound, made);
  }
  if (const auto* ignored = callee.as<Ignored>()) return call_ignored(*ignored, made);
  const auto* function = callee.as<Function>();
  if (const auto* module = callee.as<Module>()) refuse_use(*module);
  if (function == nullptr) refuse_call(callee);
  if (function == nullptr) misuse("program", "{} cannot be called", callee.description());
  made.name = function->name;
  if (auto result = objects_.call_builtin(made)) return std::move(*result);
  return call_function(made);
}

std::vector<Value> Interpreter::apply_each(const Value& function,
                                           const std::vector<std::vector<Value>>& arguments) {
  std::vector<Value> results;
  const InUse in_use(*this, results);
  const Call call{"", {}, {}, result_.steps, nullptr, this};
  for (const std::vector<Value>& each : arguments) results.push_back(call.apply(function, each));
  return results;
}

void Interpreter::leave_out(const std::string& what) {
  result_.left_out.emplace(statement_place_.line, what);
}

constexpr int kMostCalls = 100'000;
constexpr int kMostOfItself = 100;  // under conditions at run time: of those, it cannot see the end

/// Python's rules for arguments: positions, then keywords, then defaults.
void Interpreter::bind_arguments(std::span<const ast::Parameter> parameters,
                                 const UserFunction& function, const Call& call) {
  using enum ast::Parameter::Kind;
  auto& names = scope().names;
  std::vector<Value> rest;
  Dict others;
  std::size_t positions = 0;
  bool takes_rest = false;
  bool takes_keywords = false;
  for (const ast::Parameter& parameter : parameters) {
    positions += parameter.kind == Plain;
    takes_rest = takes_rest || parameter.kind == Rest;
    takes_keywords = takes_keywords || parameter.kind == Keywords;
  }
  if (call.arguments.size() > positions && !takes_rest)
    misuse(Exception::TypeError, function.name, "takes {} arguments; got {}", positions,
           call.arguments.size());
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i < positions)
      names[parameters[i].name] = call.arguments[i];
    else
      rest.push_back(call.arguments[i]);
  }
  for (const auto& [keyword, value] : call.keywords) {
    const auto same = [&, &key = keyword](const ast::Parameter& p) {
      return p.name == key && p.kind != Rest && p.kind != Keywords;
    };
    const bool known = std::any_of(parameters.begin(), parameters.end(), same);
    if (!known && !takes_keywords) {
      std::vector<std::string> takes;
      for (const ast::Parameter& parameter : parameters)
        if (parameter.kind == Plain || parameter.kind == KeywordOnly)
          takes.push_back(parameter.name);
      misuse(Exception::TypeError, function.name,
             "got an unexpected keyword argument '{}'; the supported ones are {}", keyword,
             takes.empty() ? "none" : fmt::format("{}", fmt::join(takes, ", ")));
    }
    if (!known) {
      set_key(others, {keyword}, value);
      continue;
    }
    if (names.contains(keyword))
      misuse(Exception::TypeError, function.name, "got multiple values for argument '{}'", keyword);
    names[keyword] = value;
  }
  std::vector<std::string> iterations;
  for (const auto& [name, value] : names)
    if (value.as<Iteration>() != nullptr) iterations.push_back(name);
  for (const std::string& name : iterations) {
    const Value iterator = objects_.new_iterator("iter", {names.at(name)});
    names[name] = iterator;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter& parameter = parameters[i];
    if (parameter.kind == Rest) {
      names[parameter.name] = new_sequence(false, rest);
    } else if (parameter.kind == Keywords) {
      names[parameter.name] = {others};
    } else if (!names.contains(parameter.name)) {
      if (parameter.value == ast::kNoExpr)
        misuse(Exception::TypeError, function.name, "needs the argument '{}'", parameter.name);
      names[parameter.name] = function.defaults[i];
    }
  }
}

std::unique_ptr<Interpreter> Interpreter::of_library(const ast::Program& tree) {
  static const ReadOptions options;
  auto file = std::make_unique<Interpreter>(tree, options);
  file->is_library_ = true;
  file->execute_block(0, static_cast<std::uint32_t>(tree.statements.size()));
  return file;
}

const Value* Interpreter::library_function(const std::string& name) {
  const auto found = module().names.find(name);
  return found == module().names.end() ? nullptr : &found->second;
}

void Interpreter::settle(Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_python()) return;
  const Array array = (*object)->read();
  const auto constant = as_constant(array);
  if (!constant) return;
  if (array.ndim() > 0) {
    if ((*object)->owner() == object->get()) (*object)->replace(*constant, (*object)->writes());
    return;
  }
  const double number = constant->node()->number;
  if (array.dtype() == DType::Float) value = {number, true};
  if (array.dtype() == DType::Int) value = {static_cast<std::int64_t>(number), true};
  if (array.dtype() == DType::Bool) value = {number != 0, true};
}

Value Interpreter::call_library(const std::string& name, const Call& call) {
  UserFunction function = *module().names.at(name).as<UserFunction>();
  function.name = call.name;
  const Exchanged written(written_by_library_, call.written);
  calls_ = 0;
  try {
    return call_user(function, call);
  } catch (const ProgramError&) {  // in a function of the program that it was given
    throw;
  } catch (const PythonError& error) {
    throw PythonError(error.type(), call.name, std::string(error.message()), error.arguments());
  } catch (const Misuse& error) {
    throw Misuse(error.exception(), call.name, error.message());
  } catch (const cudamat::CUDAMatException& error) {
    throw cudamat::CUDAMatException(call.name, error.message(), error.reason());
  }
}

/// While it lives, the steps of one reader are those of another.
class Interpreter::WithSteps {
 public:
  WithSteps(std::vector<NodePtr>& own, std::vector<NodePtr>& others) : own_(own), others_(others) {
    own_.swap(others_);  // of itself that is nothing
  }
  ~WithSteps() { own_.swap(others_); }
  WithSteps(const WithSteps&) = delete;
  WithSteps& operator=(const WithSteps&) = delete;

 private:
  std::vector<NodePtr>&own_, &others_;
};

void Interpreter::in_scope_of(const UserFunction& function, const std::function<void()>& work) {
  const Entered entered(*this, function.statement);
  scope().outer = function.enclosing;
  work();
}

/// Known arguments as a text, by which a function that keeps its results finds them.
static std::optional<std::string> key_of(const UserFunction& function, const Call& call) {
  std::string key = fmt::format("{} {}", function.statement, fmt::ptr(function.enclosing.get()));
  const std::function<bool(const Value&)> add = [&](const Value& value) {
    if (const auto* tuple = value.as<Sequence>(); tuple != nullptr && !tuple->list) {
      key += '(';
      return std::all_of(tuple->items.begin(), tuple->items.end(), add);
    }
    if (const auto* object = value.as<InstancePtr>()) {
      key += fmt::format(" object {}", (*object)->number);
      return true;
    }
    const auto* text = value.as<std::string>();
    if (text != nullptr) key += fmt::format(" {}:{}", text->size(), *text);
    if (value.is_number()) key += fmt::format(" {}#{}", value.held.index(), value.real());
    return text != nullptr || value.is_number();
  };
  if (!std::all_of(call.arguments.begin(), call.arguments.end(), add)) return std::nullopt;
  for (const auto& [keyword, value] : call.keywords) {
    key += " " + keyword;
    if (!add(value)) return std::nullopt;
  }
  return key;
}

Value Interpreter::call_user(const UserFunction& function, const Call& call) {
  if (function.owner != this) {
    Interpreter& owner = *function.owner;
    const Exchanged written(owner.written_by_library_,
                            owner.is_library_ ? call.written : owner.written_by_library_);
    if (owner.is_library_) owner.calls_ = 0;
    return owner.call_user(function, call);
  }
  const auto key = function.is_cached ? key_of(function, call) : std::nullopt;
  if (!key && function.is_cached)
    misuse(function.name, "is cached: its arguments must be known when the program is read");
  if (!key) return run_user(function, call);
  if (const auto known = cached_.find(*key); known != cached_.end()) return known->second;
  Value result = run_user(function, call);
  const bool is_plain = result.is_number() || result.as<std::string>() != nullptr;
  if (!is_plain && (in_loop() || is_perhaps()))
    misuse(function.name, "is cached: its result must be known when the program is read");
  cached_.emplace(*key, result);
  return result;
}

Value Interpreter::run_user(const UserFunction& function, const Call& call) {
  const WithSteps steps(result_.steps, call.steps);
  if (++calls_ > kMostCalls)
    misuse(function.name, "more than {} calls of functions; each call is inlined", kMostCalls);
  const bool is_lambda = function.lambda != ast::kNoExpr;
  const auto code = is_lambda ? kLambdas + function.lambda : function.statement;
  int& open_calls = open_calls_[code];
  const Exchanged called(open_calls, open_calls + 1);
  if (is_perhaps() && open_calls > kMostOfItself) {
    too_long_ = true;  // no loop around it is read in another way
    misuse(function.name,
           "more than {} calls of itself in each other, under conditions that are known only at "
           "run time; each call is inlined",
           kMostOfItself);
  }
  const SourceLocation called_at = statement_place_;
  const Entered entered(*this, code);
  scope().outer = function.enclosing;
  if (is_lambda) {
    bind_arguments(tree_.parameters_of(tree_.lambdas[tree_[function.lambda].payload]), function,
                   call);
    for (const auto& [name, value] : function.captured) scope().names.emplace(name, value);
    return evaluate(tree_.children(function.lambda).back());
  }
  const ast::Statement& def = tree_.statements[function.statement];
  bind_arguments(tree_.parameters_of(def), function, call);
  if (def.is_generator) return objects_.new_generator(function, scope().names);
  try {
    execute_body(def, function.statement);
  } catch (ProgramError& error) {
    const std::string_view name =
        tree_.source.function_at(tree_.statements[function.statement + 1].line);
    if (!name.empty())
      error.add_note(
          fmt::format("in {}, called at {}", name, tree_.source.named_line(called_at.line)));
    throw;
  }
  return scope().returned.value_or(Value{});
}

/// Throws for what may compute after all: a module that the notation has in part, and calls that
/// get a function of the program, which they may call. Pictures may.
void Interpreter::check_is_ignored(const Ignored& ignored, const Call& call) const {
  const std::string_view root = std::string_view(ignored.name).substr(0, ignored.name.find('.'));
  if (has_word("contextlib types statistics", root))
    misuse("program", "{} is not supported", ignored.name);
  if (has_word("matplotlib seaborn pylab plt", root)) return;
  const auto check = [&](const Value& value) {
    const bool is_bound =
        value.as<Method>() != nullptr && value.as<Method>()->name == "functools.partial()";
    if (value.as<UserFunction>() != nullptr || is_bound)
      misuse("program", "{}() is not supported: it may call a function of the program",
             ignored.name);
  };
  for (const Value& value : call.arguments) check(value);
  for (const auto& [name, value] : call.keywords) check(value);
}

/// copy.copy of what is no object of the program's.
static Value shallow_copy(const Value& value, const Call& call) {
  const auto copied = [&](const char* method) {
    return call_function({method, {value}, {}, call.steps});
  };
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr && (*object)->is_scalar()) return value;
  if (value.as<Dict>() != nullptr) return copied("dict.copy");
  if (value.as<RunList>() != nullptr) return copied("list.copy");
  if (const auto* sequence = value.as<Sequence>())
    return !sequence->list ? value : copied(sequence->is_set ? "set.copy" : "list.copy");
  const bool is_array =
      object != nullptr || value.as<Selected>() != nullptr || value.as<Complex>() != nullptr;
  return is_array ? copied(".copy") : value;
}

/// What computes nothing gives nothing; but for a loop's decoration, which gives the loop.
Value Interpreter::call_ignored(const Ignored& ignored, const Call& call) {
  const std::string_view word = std::string_view(ignored.name).substr(ignored.name.rfind('.') + 1);
  if (word == "tqdm" && !call.arguments.empty()) return call.arguments[0];
  if (word == "trange" || word == "prange")
    return call_function({"range", call.arguments, {}, call.steps});
  if (word == "deepcopy" && !call.arguments.empty()) return objects_.deep_copy(call.arguments[0]);
  if (word == "isEnabledFor") return {false};  // what it guards is ignored
  if (ignored.name == "sys.stdout.write") {
    const Value text = objects_.text(call.arguments.empty() ? Value{} : call.arguments[0]);
    Call made{"", {text}, {{"end", {std::string()}}}, call.steps};
    (void)call_value({Function{"print", nullptr}}, made);
    const auto* known = text.as<std::string>();
    return known == nullptr ? Value{} : Value{std::ssize(*known)};
  }
  if (has_word("pprint.pprint pprint.pp", ignored.name)) {
    Call made = call;
    return call_value({Function{"pprint.pprint", nullptr}}, made);
  }
  if (ignored.name == "copy.copy" && call.arguments.size() == 1)
    return shallow_copy(call.arguments[0], call);
  if (ignored.name.starts_with("copy.")) misuse("program", "{} is not supported", ignored.name);
  if (has_word("sys.exit os._exit", ignored.name))
    misuse("program", "{}() ends the program, which is not supported", ignored.name);
  check_is_ignored(ignored, call);
  result_.left_out.emplace(statement_place_.line, ignored.name + "() computes nothing");
  return {Ignored{ignored.name + "()", ignored.is_text}};
}

Value Interpreter::deep_copy(const Value& value) {
  std::unordered_map<const void*, Value> none;
  auto& copies = objects_.copies(none);
  if (const auto* object = value.as<ObjectPtr>()) {
    if ((*object)->is_scalar()) return value;
    if (const auto known = copies.find(object->get()); known != copies.end()) return known->second;
    const Value copy = new_array((*object)->read().copy());
    copies.emplace(object->get(), copy);
    return copy;
  }
  if (const auto* object = value.as<InstancePtr>())
    if (const auto known = copies.find(object->get()); known != copies.end()) return known->second;
  if (const auto* sequence = value.as<Sequence>()) {
    std::vector<Value> items;
    for (const Value& item : sequence->items) items.push_back(deep_copy(item));
    return new_sequence(sequence->list, std::move(items));
  }
  if (const auto* dict = value.as<Dict>()) {
    Dict copy;
    copy.type = dict->type;
    copy.standard = dict->standard;
    for (std::size_t i = 0; i < dict->keys.size(); ++i)
      set_key(copy, dict->keys[i], deep_copy(dict->values[i]));
    return {copy};
  }
  if (value.as<InstancePtr>() != nullptr) return objects_.copied(value, true);
  if (const auto* perhaps = value.as<Perhaps>())
    return {Perhaps{perhaps->is_set,
                    Items({deep_copy(perhaps->value()), deep_copy(perhaps->otherwise())})}};
  return value;
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
    if (parameter.kind == ast::Parameter::Kind::Rest ||
        parameter.kind == ast::Parameter::Kind::Keywords) {
      scope().names[parameter.name] =
          parameter.kind == ast::Parameter::Kind::Rest ? new_sequence(false, {}) : Value{Dict{}};
      continue;
    }
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
      } else if (options_.numbers.contains(parameter.name))
        declare(parameter.name, {});
      else if (annotated)
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
