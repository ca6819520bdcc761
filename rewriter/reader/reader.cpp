#include "rewriter/reader/reader.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/complex.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/exchanged.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/outside.hpp"
#include "rewriter/reader/packed.hpp"
#include "rewriter/reader/promotion.hpp"
#include "rewriter/reader/selection_writes.hpp"

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

/// What the names refer to at the end. A view of an array that was written since is read again,
/// for the statement that made the view.
void Interpreter::collect_results() {
  note_written_inputs();  // functions write to theirs under other names
  collect_globals();
  for (const std::string& name : assigned_) {
    const Value& value = module().names[name];
    const auto* perhaps = value.as<Perhaps>();
    const auto* object = (perhaps != nullptr ? perhaps->value() : value).as<ObjectPtr>();
    if (object == nullptr || (*object)->is_outdated()) continue;
    const At at(last_[name].place);
    const NodePtr node = (*object)->read().node();
    if (node != last_[name].node) result_.assignments.push_back({name, node});
    result_.results.push_back({name, node});
  }
  collect_containers();
  collect_selections();
}

/// Names that functions bind are as others of the module in the end.
void Interpreter::collect_globals() {
  if (globals_.empty()) return;
  for (const std::string& name : globals_[0]) {
    const auto held = module().names.find(objects_.global_name(name));
    if (held == module().names.end()) continue;
    module().names[name] = held->second;
    if (held->second.as<ObjectPtr>() == nullptr) {
      containers_.push_back(name);
    } else if (known_.insert(name).second) {
      assigned_.push_back(name);
      last_[name] = {statement_place_, (*held->second.as<ObjectPtr>())->read().node()};
    }
  }
}

/// The last line that writes to the name, if none below it makes something of that: a statement
/// that only calls, as print(name), makes nothing.
std::optional<SourceLocation> Interpreter::last_written(const std::string& name) const {
  std::vector<bool> reads(expressions_of(0, tree_.first_file_end()).second, true);
  const auto leave_out = [&](ast::ExprId id) {
    if (id != ast::kNoExpr)
      std::fill_n(reads.begin() + tree_[id].first, id + 1 - tree_[id].first, false);
  };
  const auto is_written = [&](ast::ExprId target) {
    while (tree_[target].kind == ast::ExprKind::Subscript) target = tree_.child(target, 0);
    const auto parts =
        tree_[target].kind == ast::ExprKind::Tuple ? tree_.children(target) : std::span(&target, 1);
    return std::any_of(parts.begin(), parts.end(), [&](ast::ExprId part) {
      return tree_[part].kind == ast::ExprKind::Name && tree_.string(part) == name;
    });
  };
  std::optional<SourceLocation> last;
  for (const ast::Statement& statement :
       std::span(tree_.statements).first(tree_.first_file_end())) {
    if (statement.kind == ast::StatementKind::Expression) leave_out(statement.value);
    const auto targets = tree_.targets(statement);
    if (std::none_of(targets.begin(), targets.end(), is_written)) continue;
    last = place(statement.span);
    leave_out(statement.value);
    for (const ast::ExprId target : targets) leave_out(target);
  }
  for (ast::ExprId id = 0; last && id < reads.size(); ++id)
    if (reads[id] && tree_[id].kind == ast::ExprKind::Name && tree_.string(id) == name &&
        place(tree_[id].span).line > last->line)
      last.reset();
  return last;
}

/// Of selections that nothing is made of: what is selected, and how much that is.
void Interpreter::collect_selections() {
  std::vector<std::pair<SourceLocation, std::string>> names;
  for (const auto& [name, value] : module().names)
    if (value.as<Selected>() != nullptr)
      if (const auto last = last_written(name)) names.emplace_back(*last, name);
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.second) < std::pair(b.first.line, b.second);
  });
  for (const auto& [where, name] : names) {
    const At at(where);
    const Selection all = packed(*selection_of(module().names[name]));
    const std::string result = add_result(name, all.whole.node());
    result_.lengths[result] = {add_result(result + "_length", all.count().node()), all.first};
  }
}

namespace {

/// Whether a list holds single elements: it is one array then.
bool holds_scalars(const Sequence& list) {
  return std::all_of(list.items.begin(), list.items.end(), [](const Value& item) {
    const auto* object = item.as<ObjectPtr>();
    return object != nullptr ? (*object)->shape().empty() : item.is_number() || item.is_integer();
  });
}

/// A key as the end of an output's name.
std::string name_part(const Value& key) {
  std::string text;
  if (const auto* word = key.as<std::string>()) text = *word;
  if (key.is_number()) text = fmt::format("{}", key.real());
  if (const auto* tuple = key.as<Sequence>())
    for (const Value& item : tuple->items) text += (text.empty() ? "" : "_") + name_part(item);
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && static_cast<unsigned char>(c) < 128)
      c = '_';
  return text;
}

/// Calls f with each part of a list, a tuple or a dictionary and the name that it has as an output:
/// weights_0, params_W1, of tuples result_1; of what is complex Z_real and Z_imag.
template <class F>
void each_named_part(const std::string& name, const Value& value, const F& f) {
  if (const auto* dict = value.as<Dict>())
    for (std::size_t i = 0; i < dict->keys.size(); ++i)
      if (dict->keys[i].as<InstancePtr>() == nullptr)
        f(name + "_" + name_part(dict->keys[i]), dict->values[i]);
  if (const auto* z = value.as<Complex>()) {
    f(name + "_real", z->parts[0]);
    f(name + "_imag", z->parts[1]);
  }
  if (const auto* sequence = value.as<Sequence>())
    for (std::size_t i = 0; i < sequence->items.size(); ++i)
      f(fmt::format("{}_{}", name, i + (sequence->list ? 0 : 1)), sequence->items[i]);
}

}  // namespace

/// What lists, tuples and dictionaries of the module hold that has no name of its own.
void Interpreter::collect_containers() {
  std::unordered_set<const ArrayObject*> named;
  for (const std::string& name : assigned_)
    if (const auto* object = module().names[name].as<ObjectPtr>()) named.insert(object->get());
  std::unordered_set<std::string> taken;
  for (const auto& [name, value] : module().names) taken.insert(name);
  constexpr std::size_t kMost = 1000;
  std::size_t count = 0;
  bool may_be_none = false;
  bool is_of_object = false;  // whose numbers are results, too
  std::unordered_set<const Instance*> seen;
  const std::function<void(const std::string&, const Value&)> add = [&](const std::string& name,
                                                                        const Value& value) {
    each_named_part(name, value, add);
    if (const auto* held = value.as<InstancePtr>();
        held != nullptr && seen.insert(held->get()).second)
      for (const auto& [attribute_name, hidden] : objects_.attributes_of(**held)) {
        if (attribute_name.starts_with('(')) continue;  // what a container holds
        const Value& part = module().names.at(hidden);
        const Exchanged scalars(is_of_object, part.as<ObjectPtr>() != nullptr);
        add(name + "_" + attribute_name, part);
      }
    const auto* object = value.as<ObjectPtr>();
    const bool is_element = object != nullptr && (*object)->shape().empty() && !is_of_object;
    if (object == nullptr || is_element || !named.insert(object->get()).second ||
        !taken.insert(name).second || ++count > kMost)
      return;
    const NodePtr node = (*object)->read().node();
    if (node->kind == Kind::Input) return;
    result_.assignments.push_back({name, node});
    result_.results.push_back({name, node});
    if (may_be_none) result_.perhaps.insert(name);
  };
  for (const std::string& name : containers_) {
    const auto found = module().names.find(name);
    if (found == module().names.end()) continue;
    const auto* perhaps = found->second.as<Perhaps>();
    may_be_none = perhaps != nullptr;
    const Value& value = may_be_none ? perhaps->value() : found->second;
    const auto* list = value.as<Sequence>();
    if (value.as<Dict>() != nullptr || value.as<Complex>() != nullptr ||
        value.as<InstancePtr>() != nullptr || (list != nullptr && !list->is_set))
      add(name, value);
  }
}

// ---- one function ----

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

/// A result of that name, or where the name has another value one that is numbered: its name.
std::string Interpreter::add_result(const std::string& name, const NodePtr& node) {
  for (int number = 2;; ++number) {
    const std::string tried = number == 2 ? name : fmt::format("{}_{}", name, number - 1);
    const auto same = [&](const Program::Named& result) { return result.name == tried; };
    const auto input = std::find_if(overwritten_.begin(), overwritten_.end(), same);
    if (input != overwritten_.end() && input->node != node) continue;
    const auto known = std::find_if(result_.results.begin(), result_.results.end(), same);
    if (known != result_.results.end() && known->node != node) continue;
    if (known == result_.results.end()) {
      result_.assignments.push_back({tried, node});
      result_.results.push_back({tried, node});
    }
    return tried;
  }
}

/// Whether one array can hold the list's scalars; `exactly`: none becomes another number.
static bool has_one_type(const Sequence& list, bool exactly) {
  std::optional<ElementType> type;
  for (const Value& item : list.items) {
    const ElementType each{to_array(item, "an element").dtype(), is_python_number(item)};
    const bool is_special = each.dtype == DType::Bool || is_narrow(each.dtype) ||
                            (type && (type->dtype == DType::Bool || is_narrow(type->dtype)));
    if (type && *type != each && (exactly || is_special)) return false;
    type = each;
  }
  return true;
}

/// In Python there is nothing under the names of what is not returned.
void Interpreter::note_perhaps_returned(const Program::Returned& returned) {
  result_.perhaps.insert(returned.text);
  for (const Program::Returned& part : returned.parts) note_perhaps_returned(part);
}

/// Adds the results of a value that is returned, called `name`, and says what they are.
Program::Returned Interpreter::returned(const std::string& name, const Value& value) {
  Program::Returned result = described(name, value);
  result.list = list_number(value).value_or(0);
  return result;
}

Program::Returned Interpreter::described(const std::string& name, const Value& value) {
  using Returned = Program::Returned;
  using Is = Returned::Kind;
  const auto of_parts = [&](Is kind) {
    Returned result{.kind = kind};
    each_named_part(name, value, [&](const std::string& part, const Value& item) {
      result.parts.push_back(returned(part, item));
    });
    return result;
  };
  if (const auto* perhaps = value.as<Perhaps>()) {
    Returned result{.kind = Is::Perhaps};
    result.parts.push_back(returned(name, perhaps->value()));
    note_perhaps_returned(result.parts.back());
    result.parts.insert(result.parts.begin(), returned(name + "_is_set", {perhaps->is_set}));
    result.parts.push_back(returned(name + "_else", perhaps->otherwise()));
    return result;
  }
  const auto* list = value.as<Sequence>();
  const bool is_array = list != nullptr && list->list && !list->is_set && list->most == 0 &&
                        !list->items.empty() && holds_scalars(*list) &&
                        has_one_type(*list, options_.returns_selections);
  if (value.is_none()) return {};
  if (const auto* text = value.as<std::string>()) return {.kind = Is::Text, .text = *text};
  if (const auto* text = value.as<Text>(); text != nullptr && options_.returns_selections) {
    Returned result{.kind = Is::Tuple, .text = "text"};  // (piece, or format and number), ...
    for (const Text::Piece& piece : text->pieces) {
      Returned part{.kind = Is::Tuple, .parts = {{.kind = Is::Text, .text = piece.text}}};
      if (const auto* number = std::get_if<ObjectPtr>(&piece.number))
        part.parts.push_back(returned(fmt::format("{}_{}", name, result.parts.size()), {*number}));
      else if (const auto* counter = std::get_if<Affine>(&piece.number))
        part.parts.push_back(returned(fmt::format("{}_{}", name, result.parts.size()), {*counter}));
      result.parts.push_back(std::move(part));
    }
    return result;
  }
  if (const auto* dict = value.as<Dict>()) {
    Returned result = of_parts(Is::Dict);
    result.text = dict->type;
    if (dict->type == "defaultdict" && dict->standard.size() == 1)
      if (const auto* standard = dict->standard[0].as<Function>())
        result.text += " " + standard->name;
    for (std::size_t i = 0; i < dict->keys.size(); ++i)
      result.parts.insert(result.parts.begin() + static_cast<std::ptrdiff_t>(2 * i),
                          returned("", dict->keys[i]));
    return result;
  }
  if (value.as<Complex>() != nullptr) return of_parts(Is::Complex);
  if (list != nullptr && !is_array) {
    Returned result = of_parts(list->is_set ? Is::Set : list->list ? Is::List : Is::Tuple);
    result.integer = static_cast<std::int64_t>(list->most);
    return result;
  }
  if (const auto* some = value.as<RunList>(); some != nullptr && options_.returns_selections)
    return returned_some(name, *some);
  if (value.as<RunList>() != nullptr)
    result_.left_out.emplace(statement_place_.line,
                             name + " is a list whose length is known only at run time");
  if (const auto selection = selection_of(value); selection && options_.returns_selections)
    return {.kind = Is::Selected,
            .integer = selection->first,
            .parts = {returned(name + "_whole", new_array(selection->whole)),
                      returned(name + "_mask", new_array(selection->mask))}};
  if (value.as<InstancePtr>() != nullptr && options_.returns_selections)
    return returned_object(name, value);
  if (const auto* outside = value.as<OutsideObject>())
    return {.kind = Is::Outside, .integer = outside->number};
  if (const auto* function = value.as<Function>(); function != nullptr && !function->self &&
                                                   options_.python != nullptr &&
                                                   is_of_python(*function))
    return {.kind = Is::Outside, .text = function->name};
  if (is_chosen_text(value) && options_.returns_selections)
    fail(scope().returned_expr != ast::kNoExpr ? tree_[scope().returned_expr].span
                                               : tree_.statements[scope().function].span,
         "a string that is chosen at run time, or a text of one, cannot be returned or kept; "
         "return a number, and choose the string outside");
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr && !value.is_number() && !value.as<NumberList>() && !is_array)
    return {.kind = Is::Other, .text = value.description()};
  Returned result{.kind = Is::Array};
  if (const auto* truth = value.as<bool>()) result = {.kind = Is::Bool, .integer = *truth ? 1 : 0};
  if (const auto* integer = value.as<std::int64_t>())
    result = {.kind = Is::Int, .integer = *integer};
  if (const auto* real = value.as<double>()) result = {.kind = Is::Float, .number = *real};
  result.is_python = !value.is_numpy;
  if (name.empty()) return result;               // a key
  const bool is_whole = result.kind == Is::Int;  // which Python gets as it is
  const NodePtr node = is_whole ? Array(result.integer).node() : to_array(value, "a result").node();
  result.dtype = node->dtype;
  const int own = object != nullptr && !(*object)->is_scalar() ? (*object)->float_bits() : 0;
  if (node->dtype == DType::Float) result.float_bits = own != 0 ? own : FloatWidths().of(node);
  if (node->ndim() == 0 && result.float_bits == 64 && (float_bits() == 64 || !is_of_doubles(node)))
    result.float_bits = node->float_bits;  // of what is composed of scalars it may not be
  if (value.is_number() && value.is_real() && value.is_numpy) result.float_bits = value.float_bits;
  if (options_.returns_selections && object != nullptr && !(*object)->is_scalar()) {
    std::string& known = returned_arrays_[*object];  // an array is one, however often
    result.text = known.empty() ? known = add_result(name, node) : known;
  } else {
    result.text = add_result(name, node);
  }
  if (object != nullptr) {
    if ((*object)->is_scalar()) result.kind = (*object)->is_python() ? Is::Number : Is::Scalar;
    for (const auto& [input, its] : inputs_)
      if (its == *object) result = {.kind = Is::Input, .text = input};
  }
  if (is_array || value.as<NumberList>() != nullptr) {
    const auto type = element_type(value);
    result.kind = Is::Numbers;
    result.is_python = type && type->is_python;
  }
  return result;
}

/// `return a, b`: a and b are the results, under their names; another array that is called as one
/// in which the caller finds something new is a result without a name.
void Interpreter::return_results(const Scope& call) {
  result_.returned = Program::Returned{};
  if (!call.returned) return;
  const ast::ExprId expr = call.returned_expr;
  if (expr == ast::kNoExpr) return;
  const At at(place(tree_[expr].span));
  statement_place_ = place(tree_[expr].span);
  const auto is_free_name = [&](ast::ExprId id, const Value& value) {
    if (tree_[id].kind != ast::ExprKind::Name) return false;
    const auto* object = value.as<ObjectPtr>();
    return std::none_of(overwritten_.begin(), overwritten_.end(), [&](const Program::Named& each) {
      return each.name == tree_.string(id) &&
             (object == nullptr || (*object)->read().node() != each.node);
    });
  };
  const std::function<Program::Returned(ast::ExprId, const Value&, const std::string&)> named =
      [&](ast::ExprId id, const Value& value, const std::string& other) {
        const auto* tuple = value.as<Sequence>();
        const auto parts = tree_.children(id);
        if (tuple == nullptr || tree_[id].kind != ast::ExprKind::Tuple ||
            parts.size() != tuple->items.size())
          return returned(is_free_name(id, value) ? tree_.string(id) : other, value);
        Program::Returned result{.kind = Program::Returned::Kind::Tuple};
        for (std::size_t i = 0; i < parts.size(); ++i)
          result.parts.push_back(
              named(parts[i], tuple->items[i], fmt::format("{}_{}", other, i + 1)));
        return result;
      };
  result_.returned = named(expr, *call.returned, "result");
}

// ---- errors and places ----

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

// ---- statements ----

Interpreter::Flow Interpreter::execute_block(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end;) {
    const std::size_t before = raises();
    const std::uint32_t at = i;
    const Flow flow = execute(i);
    i = ast::after(tree_, i);
    const bool is_left = raises() != before && note_raises(before, tree_.statements[at]);
    if (flow == Flow::Perhaps || (is_left && flow == Flow::Next)) return run_rest(i, end);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::execute(std::uint32_t index) {
  const ast::Statement& statement = tree_.statements[index];
  located(statement.span, check_stack);
  const SourceLocation caller = std::exchange(statement_place_, place(statement.span));
  const Exchanged executing(executing_, index);  // also where another way is tried
  const At at(statement_place_);
  ++executed_;
  Flow flow = Flow::Next;
  switch (statement.kind) {
    case ast::StatementKind::For:
    case ast::StatementKind::While:
    case ast::StatementKind::If:
    case ast::StatementKind::Try:
      flow = execute_compound(statement, index);
      break;
    case ast::StatementKind::Def:
      define(statement, index);
      break;
    case ast::StatementKind::Class:
      objects_.define(index);
      break;
    case ast::StatementKind::With:
      flow = run_with(statement, index);
      break;
    case ast::StatementKind::Inlined:  // the loop before it has run it, or not
      break;
    default:
      if (functions_append())  // the statement may call one of them
        flow = execute_compound(statement, index);
      else
        located(statement.span, [&] { flow = execute_simple(statement); });
  }
  statement_place_ = caller;
  return flow;
}

/// Of `C(...).fit(X).scaled()` the first call.
ast::ExprId Interpreter::constructor_in(ast::ExprId value) const {
  const auto is = [&](ast::ExprId id, ast::ExprKind kind) { return tree_[id].kind == kind; };
  while (is(value, ast::ExprKind::Call) && is(tree_.child(value, 0), ast::ExprKind::Attribute) &&
         is(tree_.child(tree_.child(value, 0), 0), ast::ExprKind::Call))
    value = tree_.child(tree_.child(value, 0), 0);
  return value;
}

Interpreter::Flow Interpreter::execute_simple(const ast::Statement& statement) {
  switch (statement.kind) {
    case ast::StatementKind::Assign: {
      const ast::Expr& first = tree_[tree_.targets(statement)[0]];
      if (first.kind == ast::ExprKind::Name || first.kind == ast::ExprKind::Attribute)
        objects_.suggest(constructor_in(statement.value), tree_.string(first));
      const std::size_t before = raises();
      const Value value = evaluate(statement.value);
      const auto work = [&] {
        for (const ast::ExprId target : tree_.targets(statement)) assign(target, value);
        return Flow::Next;
      };
      return raises() == before ? work() : unless_left(statement, work);
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
    case ast::StatementKind::Return: {
      if (in_module() || scope().is_file) misuse("program", "'return' outside function");
      const std::size_t before = raises();
      scope().returned = statement.value == ast::kNoExpr ? Value{} : evaluate(statement.value);
      if (statement.value != ast::kNoExpr && (scope().returned_expr == ast::kNoExpr ||
                                              tree_[statement.value].kind != ast::ExprKind::None))
        scope().returned_expr = statement.value;
      if (raises() == before) return Flow::Return;
      const Value value = *scope().returned;
      return unless_left(statement, [&] {
        scope().returned = value;
        return Flow::Return;
      });
    }
    case ast::StatementKind::Break:
      return Flow::Break;
    case ast::StatementKind::Continue:
      return Flow::Continue;
    case ast::StatementKind::Assert:
      return check_assertion(statement, executing_);
    case ast::StatementKind::Raise:
      return raise(statement);
    case ast::StatementKind::Nonlocal:
      for (const std::string& name : nonlocal_names(statement)) scope().nonlocal.insert(name);
      return Flow::Next;
    case ast::StatementKind::Global:
      for (const std::string& name : nonlocal_names(statement)) scope().global.insert(name);
      return Flow::Next;
    case ast::StatementKind::Delete:
      for (const ast::ExprId target : tree_.targets(statement)) remove(target);
      break;
    default:
      break;
  }
  return Flow::Next;
}

void Interpreter::remove(ast::ExprId target) {
  const ast::Expr& expr = tree_[target];
  if (expr.kind == ast::ExprKind::Tuple || expr.kind == ast::ExprKind::List) {
    for (const ast::ExprId part : tree_.children(target)) remove(part);
    return;
  }
  if (expr.kind == ast::ExprKind::Subscript) {
    const auto [object, index] = evaluate_subscript(target);
    if (objects_.remove_item(object, index)) return;
    return delete_item(object, index);
  }
  if (expr.kind == ast::ExprKind::Attribute)
    return objects_.remove(evaluate(tree_.child(target, 0)), tree_.string(expr));
  const std::string& name = tree_.string(expr);
  if (!scope().loops.empty())
    misuse("program", "del in a loop that is not unrolled is not supported");
  (void)lookup(expr);
  if (scope().names.erase(name) == 0)
    misuse("program", "'{}' is a name of another function or of the module", name);
  if (in_module()) {
    known_.erase(name);
    std::erase(assigned_, name);
  }
}

Interpreter::Flow Interpreter::choose(const ast::Statement& statement, std::uint32_t index) {
  std::optional<bool> truth;
  Value condition;
  located(statement.span, [&] {
    const std::size_t before = raises();
    condition = evaluate(statement.value, true);
    refuse_raises(before, tree_[statement.value].span);
    truth = truth_of(condition);
  });
  if (!truth) {
    return choose_at_run(statement, index, condition);
  }
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
  if (is_library_) return;  // what is not used of it is not computed
  if (const auto* object = value.as<ObjectPtr>()) result_.steps.push_back((*object)->read().node());
  if (const auto* selected = value.as<Selected>()) {  // which may fail, whether it is read or not
    result_.steps.push_back(selected->whole->read().node());
    result_.steps.push_back(selected->mask->read().node());
  }
  if (const auto* tuple = value.as<Sequence>(); tuple != nullptr && !tuple->list)
    for (const Value& item : tuple->items) step(item);
  if (const auto* z = value.as<Complex>())
    for (const Value& part : z->parts) step(part);
}

void Interpreter::assign(ast::ExprId target, const Value& value) {
  const ast::Expr& expr = tree_[target];
  located(expr.span, [&] {
    switch (expr.kind) {
      case ast::ExprKind::Name:
        return bind(tree_.string(expr), value);
      case ast::ExprKind::Subscript:
        return store(target, value);
      case ast::ExprKind::Attribute:
        return objects_.set(evaluate(tree_.child(target, 0)), objects_.mangled(tree_.string(expr)),
                            value);
      default:
        return unpack(target, value);
    }
  });
}

void Interpreter::bind(const std::string& name, const Value& value) {
  if (value.as<Iteration>() != nullptr) return bind(name, objects_.new_iterator("iter", {value}));
  if (scope().nonlocal.contains(name)) return bind_nonlocal(name, value);
  if (is_shared_global(name) && (in_module() || scope().is_file || scope().global.contains(name)))
    return bind_global(name, value);
  scope().names[name] = value;
  if (is_library_ && value.as<ObjectPtr>() != nullptr && !(*value.as<ObjectPtr>())->shape().empty())
    settle(scope().names[name]);
  if (in_module() && !name.starts_with('<') &&
      (list_number(value) || value.as<Complex>() != nullptr || value.as<Sequence>() != nullptr ||
       value.as<InstancePtr>() != nullptr) &&
      std::find(containers_.begin(), containers_.end(), name) == containers_.end())
    containers_.push_back(name);
  note_bound(name);
  note(name);
  note_perhaps(name);
  step(value);
}

/// The name now refers to an array that the program made.
void Interpreter::note(const std::string& name) {
  const auto held = scope().names.find(name);
  const auto* object = held == scope().names.end() ? nullptr : held->second.as<ObjectPtr>();
  if (object == nullptr) return;
  if (name.starts_with('<')) return;
  const NodePtr node = (*object)->read().node();
  if (node->kind != Kind::Input || node->text != name) result_.assignments.push_back({name, node});
  if (!in_module()) return;
  if (known_.insert(name).second) assigned_.push_back(name);
  last_[name] = {statement_place_, node};
}

void Interpreter::unpack(ast::ExprId target, const Value& given) {
  const Value value = objects_.iterable(if_set(given));
  const auto targets = tree_.children(target);
  if (value.as<Ignored>() != nullptr) {
    for (const ast::ExprId each : targets) assign(each, value);
    return;
  }
  if (!iteration_length(value))
    misuse("program", "only tuples, lists, arrays and other iterables can be unpacked; got {}",
           value.description());
  const auto is_starred = [&](ast::ExprId id) { return tree_[id].kind == ast::ExprKind::Starred; };
  const auto star = std::find_if(targets.begin(), targets.end(), is_starred);
  const std::size_t rest = star == targets.end() ? 0 : 1;
  const auto count = static_cast<std::size_t>(*iteration_length(value));
  if (rest == 0 ? count != targets.size() : count + 1 < targets.size())
    misuse("program", "{} names for {} values", targets.size() - rest, count);
  const std::vector<Value> items = elements_of(value);
  std::size_t next = 0;
  for (const ast::ExprId each : targets) {
    if (!is_starred(each)) {
      assign(each, items[next++]);
      continue;
    }
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(next);
    const std::size_t taken = count + 1 - targets.size();
    assign(tree_.child(each, 0),
           new_sequence(true, {first, first + static_cast<std::ptrdiff_t>(taken)}));
    next += taken;
  }
}

/// x[index] = value
void Interpreter::store(ast::ExprId target, const Value& value) {
  const auto [object, index] = evaluate_subscript(target);
  if (object.as<Ignored>() != nullptr) return leave_out("an item of an ignored value");
  if (objects_.set_item(object, index, value)) return;
  if (list_number(object)) return set_item(object, index, value);
  assign_subscript(object, index, if_set(value));
  written(object);
}

void Interpreter::augment(const ast::Statement& statement) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const ast::Expr& expr = tree_[target];
  if (expr.kind == ast::ExprKind::Subscript) {
    const auto [object, index] = evaluate_subscript(target);
    auto held = objects_.item(object, index);
    if (!held) held = missing_item(object, index);
    const Value part = if_set(held ? *held : subscript(object, index));
    if (object.as<InstancePtr>() != nullptr) {
      const Value result =
          in_place_result(statement, part, if_set(evaluate(statement.value)), nullptr);
      (void)objects_.set_item(object, index, result);
      return;
    }
    if (list_number(object))
      return set_item(object, index,
                      in_place_result(statement, part, if_set(evaluate(statement.value)), nullptr));
    const Value result = combine(statement, part, if_set(evaluate(statement.value)));
    check_in_place(ast::spelling(statement.op), part, result);
    assign_subscript(object, index, result);
    return written(object);
  }
  if (expr.kind == ast::ExprKind::Attribute) {
    const Value object = evaluate(tree_.child(target, 0));
    if (object.as<InstancePtr>() != nullptr || object.as<ClassPtr>() != nullptr ||
        object.as<Module>() != nullptr || object.as<UserFunction>() != nullptr)
      return augment_attribute(statement, object, objects_.mangled(tree_.string(expr)));
    misuse("program", "the attributes of {} cannot be assigned", object.description());
  }
  const std::string& name = tree_.string(expr);
  const Value old = if_set(lookup(expr));
  if (const auto* part = old.as<Selected>(); part != nullptr && part->whole->stands_for_part())
    misuse("program",
           "{} is a slice whose bounds are known only at run time; to change it in place write the "
           "slice itself, x[i:j] {}= ...",
           name, ast::spelling(statement.op));
  const auto* object = old.as<ObjectPtr>();
  const Value result = in_place_result(statement, old, if_set(evaluate(statement.value)), &name);
  if (const auto* selected = old.as<Selected>())  // other names may share it
    write_selected(*selected, ast::spelling(statement.op), result);
  else if (object == nullptr || (*object)->is_scalar())
    bind(name, result);
}

/// object.name op= value
void Interpreter::augment_attribute(const ast::Statement& statement, const Value& object,
                                    const std::string& name) {
  const Value old = if_set(attribute(object, name));
  const auto* array = old.as<ObjectPtr>();
  const Value result = in_place_result(statement, old, if_set(evaluate(statement.value)), nullptr);
  if (const auto* selected = old.as<Selected>())
    return write_selected(*selected, ast::spelling(statement.op), result);
  const bool stays = array != nullptr && !(*array)->is_scalar();
  if (!stays && !(list_number(old) && list_number(old) == list_number(result)))
    objects_.set(object, name, result);
}

/// What `old op= right` leaves: the same array or list, changed, or another value. `name`: whose
/// value it is; null if it is an element's.
Value Interpreter::in_place_result(const ast::Statement& statement, const Value& old,
                                   const Value& right, const std::string* name) {
  if (auto result = objects_.in_place(statement.op, old, right)) return std::move(*result);
  const auto* list = old.as<Sequence>();
  if (list != nullptr && list->list && !list->is_set && statement.op == ast::Operator::Add) {
    const std::vector<Value> more = elements_of(right);
    std::vector<Value> held{old};
    const InUse in_use(*this, held);  // in a loop the list becomes another value
    change(
        old,
        [&](auto&, std::vector<Value>& items) {
          items.insert(items.end(), more.begin(), more.end());
        },
        more);
    return held[0];
  }
  if (list != nullptr && list->list && !list->is_set && statement.op == ast::Operator::Multiply &&
      right.is_integer()) {
    const Items items = combine(statement, old, right).as<Sequence>()->items;
    std::vector<Value> held{old};
    const InUse in_use(*this, held);
    change(old, [&](auto&, auto& values) { values.assign(items.begin(), items.end()); },
           {items.begin(), items.size()});
    return held[0];
  }
  if (list != nullptr && list->is_set) {
    const Value made = combine(statement, old, right);
    const Items items = made.as<Sequence>()->items;
    std::vector<Value> held{old};
    const InUse in_use(*this, held);
    change(old, [&](auto&, auto& values) { values.assign(items.begin(), items.end()); },
           {items.begin(), items.size()});
    return held[0];
  }
  if (old.as<Dict>() != nullptr && right.as<Dict>() != nullptr &&
      statement.op == ast::Operator::BitOr) {
    Call call{"", {right}, {}, result_.steps};
    (void)call_value({Method{"dict.update", Items({old})}}, call);
    return old;
  }
  if (old.as<NumberList>() != nullptr || (list != nullptr && list->list))
    misuse("program", "'{}=' of a list is not supported; make it an array with np.array(list)",
           ast::spelling(statement.op));
  const auto* object = old.as<ObjectPtr>();
  const bool is_array = object != nullptr && !(*object)->is_scalar();
  // NumPy squares in place for **= 2.0, and leaves integers integers.
  const bool squares = is_array && statement.op == ast::Operator::Power &&
                       is_integer((*object)->read().dtype()) && right.is_number() &&
                       right.real() == 2;
  Value result = combine(statement, old, squares ? Value{std::int64_t{2}} : right);
  if (const auto* z = old.as<Complex>(); z != nullptr && z->parts[0].as<ObjectPtr>() != nullptr &&
                                         !(*z->parts[0].as<ObjectPtr>())->is_scalar()) {
    assign_subscript(old, {Value{EllipsisValue{}}}, result);
    for (const Value& part : z->parts) written(part);
    return old;
  }
  if (!is_array) {
    check_in_place(ast::spelling(statement.op), old, result);
    return result;
  }
  const Array computed = to_array(result, name != nullptr ? *name : "an element");
  const bool of_integers =
      statement.op == ast::Operator::FloorDivide || statement.op == ast::Operator::Modulo ||
      (statement.op >= ast::Operator::BitAnd && statement.op <= ast::Operator::RightShift);
  const Array held = (*object)->read();
  const auto& operands = computed.node()->args;
  const bool is_composed = of_integers && (operands.empty() || operands[0] != held.node());
  if (is_composed) detail::check_in_place(ast::spelling(statement.op), held, computed);
  const Array made = is_composed ? set_slice(held, {}, computed) : in_place(computed, held);
  if (made.shape() != (*object)->shape())
    misuse("program",
           "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
           to_string((*object)->shape()), to_string(made.shape()));
  (*object)->write(made);
  if (name != nullptr) note(*name);
  written(old);
  return old;
}

Value Interpreter::binary(ast::Operator op, const Value& left, const Value& right) {
  if (auto result = objects_.binary(op, left, right)) return std::move(*result);
  if (const bool is_identity = op == ast::Operator::Is || op == ast::Operator::IsNot;
      !is_identity && (is_outside(left) || is_outside(right)))
    return ask_python(std::string(ast::spelling(op)), {left, right});
  if (unsure_ == 0) refuse_python_errors(op, left, right);
  if (op == ast::Operator::Power) check_power(left, right);
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
  if (written_by_library_ != nullptr) return written_by_library_->push_back(value);
  step(value);
  note_written_inputs();
}

/// An input that was written in place is a result, as if it had been assigned.
void Interpreter::note_written_inputs() {
  for (const Program::Named& named : result_.inputs) {
    const auto found = scope().names.find(named.name);
    if (found == scope().names.end()) continue;
    const auto* object = found->second.as<ObjectPtr>();
    const bool is_input = object != nullptr && *object == inputs_.at(named.name);
    if (is_input && !known_.contains(named.name) && (*object)->read().node() != named.node)
      note(named.name);
  }
}

/// The function, of which all statements decide in the same way.
static Program read_function(const LinkedProgram& program, const ReadOptions& options) {
  std::exception_ptr first;
  for (const Deciding so : {Deciding::AtRun, Deciding::ByValues, Deciding::WithoutLoops}) {
    forget_computed(so == Deciding::AtRun ? 0 : options.draw_bits);
    const DecidingSo decides(so);
    Interpreter reader(program.tree, options, program.modules);
    try {
      return reader.run();
    } catch (const ProgramError&) {
      if (!first) first = std::current_exception();
      if (!options.decides_by_values || reader.is_too_long()) break;
    }
  }
  std::rethrow_exception(first);
}

/// The program, with the first way to decide by which it can be read; else the error of the reading
/// with run-time conditions.
static Program read_deciding(const LinkedProgram& program, const ReadOptions& options) {
  if (!options.function.empty()) return read_function(program, options);
  Decisions decisions;
  int bits = 0;  // where nothing is decided by values, nothing is drawn
  std::map<std::uint32_t, std::exception_ptr> failures;
  std::exception_ptr original;
  while (true) {
    could_not_decide = false;
    forget_computed(std::exchange(bits, options.draw_bits));
    Interpreter reader(program.tree, options, program.modules, decisions);
    try {
      Program read = reader.run();
      read.knows_draws = knows_draws();
      return read;
    } catch (const ProgramError&) {
      const std::uint32_t failed = reader.of_module();
      const std::exception_ptr& first =
          failures.try_emplace(failed, std::current_exception()).first->second;
      if (original == nullptr) original = first;
      if (!options.decides_by_values || reader.is_too_long() || !decisions.next(failed))
        std::rethrow_exception(could_not_decide ? original : first);
    }
  }
}

Program read(const Source& source, const ReadOptions& options) {
  const FloatBits bits(options.float_bits);
  const NumpyVersion version(options.numpy, !options.float_widths.empty());
  const struct Contents {
    explicit Contents(const ReadOptions& options) {
      know_contents(!options.contents.empty());
      run_lengths_are_read = options.run_lengths;
    }
    ~Contents() {
      know_contents(false);
      run_lengths_are_read = true;
    }
  } contents(options);
  std::vector<std::string> also;
  for (const ReadOptions::Import& each : options.imports) also.push_back(each.module);
  return read_deciding(link(source, options.folders, also), options);
}

}  // namespace rewriter
