// The reader: inputs and names.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

std::optional<Value> module_constant(std::string_view name) {
  constexpr std::pair<std::string_view, double> kConstants[] = {
      {"np.pi math.pi", M_PI},
      {"np.e math.e", M_E},
      {"math.tau", 2 * M_PI},
      {"np.euler_gamma", 0.57721566490153286},
      {"np.inf np.Inf math.inf", std::numeric_limits<double>::infinity()},
      {"np.nan np.NaN math.nan", std::numeric_limits<double>::quiet_NaN()}};
  for (const auto& [names, value] : kConstants)
    if (has_word(names, name)) return Value{value};
  if (has_word("np.newaxis gpu.newaxis", name)) return Value{NoneValue{}};
  return limit_constant(name);
}

// ---- inputs: declared by annotations, or given from outside and declared when first read ----

void Interpreter::refuse_other_shape(const std::string& name, const Dims& dims) const {
  const Dims known = inputs_.at(name)->shape();
  if (known != dims)
    misuse("program", "the input {} is declared twice, as {} in line {} and as {} in line {}", name,
           to_string(known), declared_.at(name), to_string(dims), statement_place_.line);
}

ObjectPtr Interpreter::declared_input(const std::string& name, const Dims& dims) {
  if (const auto known = inputs_.find(name); known != inputs_.end()) {
    refuse_other_shape(name, dims);
    return known->second;
  }
  if (in_loop()) misuse("program", "the input {} must be declared before the loop", name);
  const auto dtype = options_.dtypes.find(name);
  const auto number = options_.numbers.find(name);
  const auto contents = options_.contents.find(name);
  const Array array = input(name, dims,
                            number != options_.numbers.end() ? number->second
                            : dtype == options_.dtypes.end() ? DType::Float
                                                             : dtype->second,
                            contents == options_.contents.end() ? nullptr : &contents->second);
  if (const auto width = options_.float_widths.find(name); width != options_.float_widths.end())
    array.node()->float_bits = static_cast<std::uint8_t>(width->second);
  // Nothing else has the node yet.
  std::const_pointer_cast<Node>(array.node())->is_scalar = options_.scalars.contains(name);
  result_.inputs.push_back({name, array.node()});
  const Value value = options_.numbers.contains(name)
                          ? python_number(array)
                          : new_array(array, !options_.scattered.contains(name));
  declared_[name] = statement_place_.line;
  return inputs_.emplace(name, *value.as<ObjectPtr>()).first->second;
}

void Interpreter::declare(const std::string& name, const Dims& dims) {
  if (!options_.complex.contains(name)) {
    const Value array{declared_input(name, dims)};
    scope().names[name] = array;
    return;
  }
  const Value real{declared_input(name + "_real", dims)};
  const Value imag{declared_input(name + "_imag", dims)};
  scope().names[name] = {Complex{Items({real, imag})}};
}

Dims Interpreter::declared_dims(const std::string& name, ast::ExprId annotation) {
  const Span span = tree_[annotation].span;
  const Value shape = evaluate(annotation);
  const auto* tuple = shape.as<Sequence>();
  if (tuple == nullptr)
    fail(span,
         fmt::format("an input is declared by its shape, a tuple: `{}: (128, 784)`, `{}: (5,)`",
                     name, name));
  Dims dims;
  for (const Value& item : tuple->items)
    dims.push_back(item.integer("an extent of an input's shape"));
  if (const auto given = options_.shapes.find(name);
      given != options_.shapes.end() && given->second != dims)
    fail(span, fmt::format("{} is declared as {}, but its shape was given as {}", name,
                           to_string(dims), to_string(given->second)));
  return dims;
}

void Interpreter::annotate(const ast::Statement& statement) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const std::string& name = tree_.string(target);
  if (statement.value != ast::kNoExpr) return assign(target, evaluate(statement.value));
  if (scope().is_class || scope().is_file || tree_[target].kind == ast::ExprKind::Attribute)
    return;  // a field
  const Dims dims = declared_dims(name, statement.annotation);
  const auto same = [&](const Program::Named& input) { return input.name == name; };
  const bool given = options_.shapes.contains(name);
  if (given && std::any_of(result_.inputs.begin(), result_.inputs.end(), same) &&
      scope().names.contains(name))
    return;
  if (inputs_.contains(name)) refuse_other_shape(name, dims);
  if (scope().names.contains(name))
    fail(statement.span, fmt::format("{} has a value already", name));
  declare(name, dims);
}

// ---- names ----

const Value* Interpreter::find(const std::string& name) {
  const auto& inner = scope().inner;
  for (auto known = inner.rbegin(); known != inner.rend(); ++known)
    if (known->first == name) return &known->second;
  Scope* where = &scope();
  auto found = where->names.find(name);
  if (found == where->names.end())
    for (const Enclosing* outer = scope().outer.get(); outer != nullptr;
         outer = outer->outer.get()) {
      const auto held = outer->names->find(name);
      if (held == outer->names->end()) continue;
      for (Scope& other : scopes_)
        if (&other.names == outer->names)
          for (LoopFrame* frame : other.loops)
            if (!frame->rebound.contains(name)) frame->read.insert(name);
      return &held->second;
    }
  if (found == where->names.end() && is_shared_global(name)) {
    const auto held = where->names.find(global_name(name));
    if (held == where->names.end()) return nullptr;
    note_read(held->first);
    return &held->second;
  }
  if (found == where->names.end() && scope().file > 0)
    return scope().is_file ? nullptr : global_of(*files_.at(scope().file - 1), name);
  if (found == where->names.end() && !in_module()) {
    where = &module();
    found = where->names.find(name);
  }
  if (found == where->names.end()) return nullptr;
  if (where == &scope())
    note_read(name);
  else
    for (LoopFrame* frame : where->loops)
      if (!frame->rebound.contains(name)) frame->read.insert(name);
  return &found->second;
}

/// Whether some function of the file says that it binds this name of the file.
bool Interpreter::is_shared_global(const std::string& name) {
  if (globals_.empty()) {
    globals_.resize(tree_.source.file_count());
    for (const ast::Statement& statement : tree_.statements)
      if (statement.kind == ast::StatementKind::Global)
        for (const std::string& each : nonlocal_names(statement))
          globals_[tree_.source.file_number(statement.span.begin)].insert(each);
  }
  return globals_[scope().file].contains(name);
}

/// What the calls that are being read call such a name.
std::string Interpreter::global_name(const std::string& name) {
  return scope().file == 0 ? objects_.global_name(name)
                           : objects_.global_name(name, files_[scope().file - 1]->names);
}

void Interpreter::note_read(const std::string& name) {
  for (Scope& each : scopes_) {
    if (&each != &scope() && !is_attribute(name)) continue;
    for (LoopFrame* frame : each.loops)
      if (!frame->rebound.contains(name)) frame->read.insert(name);
  }
}

void Interpreter::note_bound(const std::string& name) {
  for (Scope& each : scopes_) {
    if (&each != &scope() && !is_attribute(name)) continue;
    for (LoopFrame* frame : each.loops)
      if (frame->rebound.insert(name).second) frame->rebound_order.push_back(name);
  }
}

std::vector<std::string> Interpreter::nonlocal_names(const ast::Statement& statement) const {
  std::vector<std::string> names;
  if (tree_[statement.value].kind == ast::ExprKind::Name) {
    names.push_back(tree_.string(tree_[statement.value]));
  } else {
    for (const ast::ExprId part : tree_.children(statement.value))
      names.push_back(tree_.string(tree_[part]));
  }
  return names;
}

void Interpreter::bind_nonlocal(const std::string& name, const Value& value) {
  if (unsure_ > 0) refuse_effect("assigns to a name of another function");
  for (const Enclosing* outer = scope().outer.get(); outer != nullptr; outer = outer->outer.get()) {
    const auto held = outer->names->find(name);
    if (held == outer->names->end()) continue;
    const auto owner = std::find_if(scopes_.begin(), scopes_.end(),
                                    [&](const Scope& each) { return &each.names == outer->names; });
    // What the loops of the function that has the name carry is known; those inside of it not.
    const auto inside = owner == scopes_.end() ? scopes_.begin() : std::next(owner);
    if (std::any_of(inside, scopes_.end(), [](const Scope& each) { return !each.loops.empty(); }))
      misuse("program",
             "{} is a name of another function, and is assigned under a run-time condition or in a "
             "run-time loop; return its value instead: {} = f({})",
             name, name, name);
    held->second = value;
    if (owner != scopes_.end())
      for (LoopFrame* frame : owner->loops)
        if (frame->rebound.insert(name).second) frame->rebound_order.push_back(name);
    return step(value);
  }
  misuse("program", "no binding for nonlocal '{}' is in what is read", name);
}

void Interpreter::bind_global(const std::string& name, const Value& value) {
  if (unsure_ > 0) refuse_effect("assigns to a name of the module");
  if (!options_.function.empty() && !in_module() && !scope().is_file &&
      !options_.returns_selections)
    misuse("program",
           "{0} is a name of the module, which {1} does not return to its caller; return its value",
           name, options_.function);
  const std::string held = global_name(name);
  scope().names[held] = value;
  note_bound(held);
  if (const auto* object = value.as<ObjectPtr>())
    result_.assignments.push_back({name, (*object)->read().node()});
  step(value);
}

int Interpreter::assigned_in_function(const std::string& name) {
  if (in_module()) return 0;
  const auto& names = locals_[scope().function];
  const auto found = names.find(name);
  return found == names.end() ? 0 : found->second;
}

/// Functions of Python that objects.hpp has.
constexpr std::string_view kOfObjects =
    " super hasattr getattr setattr delattr callable id issubclass vars next iter property "
    "staticmethod classmethod ";

/// An input or a number of that name, which the program does not bind.
std::optional<Value> Interpreter::given_from_outside(const std::string& name) {
  if (const auto given = options_.shapes.find(name); given != options_.shapes.end()) {
    declare(name, given->second);
    return scope().names.at(name);
  }
  if (options_.numbers.contains(name)) {
    declare(name, {});
    return scope().names.at(name);
  }
  if (const auto given = options_.values.find(name); given != options_.values.end()) {
    result_.values_used.insert(name);
    return std::visit([](auto number) { return Value{number}; }, given->second);
  }
  return {};
}

Value Interpreter::lookup(const ast::Expr& expr) {
  const std::string& name = tree_.string(expr);
  const bool is_inner = std::any_of(scope().inner.begin(), scope().inner.end(),
                                    [&](const auto& known) { return known.first == name; });
  if (const int line = is_inner ? 0 : assigned_in_function(name);
      line > 0 && !scope().names.contains(name)) {
    const std::string text = fmt::format(
        "cannot access local variable '{}' where it is not associated with a value", name);
    const std::string why = fmt::format(
        "{0}: the function assigns it in line {1}, so {2} is local to it{3}", text, line, name,
        module().names.contains(name) ? fmt::format("; take the module's {} as a parameter", name)
                                      : "");
    if (is_perhaps() || is_library_) fail(expr.span, why);
    throw_raised(expr.span, why, "UnboundLocalError", {{text}});
  }
  if (const Value* found = find(name)) return *found;
  if (scope().file == 0)
    if (auto given = given_from_outside(name)) return *std::move(given);
  for (const std::string& prefix : star_prefixes_[scope().file]) {
    if (const auto constant = module_constant(prefix + name)) return *constant;
    if (is_function(prefix + name)) return {Function{prefix + name, nullptr}};
  }
  if (is_function(name)) return {Function{name, nullptr}};
  if (has_word(kOfObjects, name)) return {Function{name, nullptr}};
  if (const ClassPtr exception = objects_.exception_class(name)) return {exception};
  if (name == "object" || name == "NotImplemented") return {Ignored{"builtins." + name}};
  if (name == "__doc__" || name == "__file__") return {std::string()};
  constexpr std::pair<std::string_view, std::string_view> kImports[] = {{"np", "numpy as np"},
                                                                        {"numpy", "numpy"},
                                                                        {"gpu", "gnumpy as gpu"},
                                                                        {"gnumpy", "gnumpy"},
                                                                        {"scipy", "scipy.special"}};
  for (const auto& [module, import] : kImports)
    if (module == name)
      fail(expr.span, fmt::format("{} is not imported; write `import {}`", name, import));
  if (!advice(name).empty() || is_known_elsewhere(name)) fail(expr.span, unknown_function(name));
  if (is_function("np." + name))
    fail(expr.span, fmt::format("name '{0}' is not defined; NumPy's is np.{0}", name));
  const auto binds = [&](const ast::Statement& statement) {
    const auto targets = ast::target_names(tree_, statement);
    return tree_.source.file_number(statement.span.begin) == scope().file &&
           place(statement.span).line < place(expr.span).line &&
           std::any_of(targets.begin(), targets.end(), [&](const ast::TargetName& each) {
             return each.name == name && each.binds;
           });
  };
  if (std::any_of(tree_.statements.begin(), tree_.statements.end(), binds))
    fail(expr.span,
         fmt::format(
             "name '{}' has no value: the statement that assigns it is not run, or is run under a "
             "run-time condition, which keeps only numbers and arrays of known shapes",
             name));
  if (undefined_.contains(name) || (tried_ > 0 && !is_perhaps())) {
    const std::string text = fmt::format("name '{}' is not defined", name);
    throw_raised(expr.span, text, "NameError", {{text}});
  }
  if (scope().file > 0) fail(expr.span, fmt::format("name '{}' is not defined", name));
  fail(expr.span,
       fmt::format("name '{0}' is not defined; if it is an input, declare its shape with a line "
                   "`{0}: (rows, cols)` or with --shape {0}=RxC",
                   name));
}

}  // namespace rewriter
