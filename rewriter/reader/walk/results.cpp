// The results of a program: what the names of its module refer to at the end, or what its function
// returns.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/outside.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {
namespace {

/// Whether a list holds single elements: it is one array then.
bool holds_scalars(const Sequence& list) {
  return std::all_of(list.items.begin(), list.items.end(), [](const Value& item) {
    const auto* object = item.as<ObjectPtr>();
    return object != nullptr ? (*object)->shape().empty() : item.is_number() || item.is_integer();
  });
}

/// Whether one array can hold the list's scalars; `exactly`: none becomes another number.
bool has_one_type(const Sequence& list, bool exactly) {
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

/// Whether the list is one array in NumPy, as far as its elements are known only at run time.
bool is_array_of_scalars(const Sequence& list, bool exactly) {
  return list.most == 0 && list.list && !list.items.empty() && holds_scalars(list) &&
         has_one_type(list, exactly);
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

/// Whether it is an object, or a tuple with one.
bool has_object(const Value& key) {
  const auto* tuple = key.as<Sequence>();
  return key.as<InstancePtr>() != nullptr ||
         (tuple != nullptr && std::any_of(tuple->items.begin(), tuple->items.end(), has_object));
}

/// Calls f with each part of a list, a tuple or a dictionary and the name that it has as an output:
/// weights_0, params_W1, of tuples result_1; of what is complex Z_real and Z_imag.
template <class F>
void each_named_part(const std::string& name, const Value& value, const F& f) {
  if (const auto* dict = value.as<Dict>())
    for (std::size_t i = 0; i < dict->keys.size(); ++i)
      if (!has_object(dict->keys[i])) f(name + "_" + name_part(dict->keys[i]), dict->values[i]);
  if (const auto* z = value.as<Complex>()) {
    f(name + "_real", z->parts[0]);
    f(name + "_imag", z->parts[1]);
  }
  if (const auto* sequence = value.as<Sequence>())
    for (std::size_t i = 0; i < sequence->items.size(); ++i)
      f(fmt::format("{}_{}", name, i + (sequence->list ? 0 : 1)), sequence->items[i]);
}

}  // namespace

/// Whether it is one of Python's own things, which have no value that a list could compute.
static bool is_code(const Value& value) {
  return value.as<Module>() != nullptr || value.as<Function>() != nullptr ||
         value.as<UserFunction>() != nullptr || value.as<Method>() != nullptr ||
         value.as<ClassPtr>() != nullptr || value.as<Ignored>() != nullptr ||
         value.as<OutsideObject>() != nullptr;
}

/// Of a class of the program's, or a plain object: not an iterator, an exception or what Python's
/// own modules make, whose attributes have other names there.
static bool is_of_program(const Instance& instance) {
  if (instance.type->is_pythons && instance.type->name != "Namespace") return false;
  return (instance.type->number != 0 || instance.type->name == "SimpleNamespace" ||
          instance.type->name == "Namespace") &&
         instance.type->kind != Class::Kind::Exception;
}

/// The variables of the program's own loops, and their lines.
static std::vector<std::pair<std::string, int>> counters_of(const ast::Program& tree) {
  std::vector<std::pair<std::string, int>> result;
  const std::uint32_t end = tree.first_file_end();
  for (std::uint32_t i = 0; i < end;) {
    const ast::Statement& statement = tree.statements[i];
    if (statement.kind == ast::StatementKind::For)
      for (const auto& [name, binds] : ast::target_names(tree, statement))
        result.emplace_back(name, statement.line);
    i = ast::has_scope(statement) ? ast::after(tree, i) : i + 1;
  }
  return result;
}

/// What collect() has found so far.
struct Interpreter::Collected {
  std::string variable{};                          ///< of the module, which is looked at
  bool may_be_none = false;                        ///< it may have no value
  std::size_t count = 0;                           ///< of its parts
  std::unordered_set<const ArrayObject*> named{};  ///< arrays that are results
  std::unordered_set<std::string> taken{};         ///< names
  std::unordered_set<const Instance*> seen{};
};

/// What the names refer to at the end. A view of an array that was written since is read again,
/// for the statement that made the view.
void Interpreter::collect_results() {
  note_written_inputs();  // functions write to theirs under other names
  collect_globals();
  Collected all;
  for (const std::string& name : assigned_) {
    const Value& value = module().names[name];
    const auto* perhaps = value.as<Perhaps>();
    const auto* object = (perhaps != nullptr ? perhaps->value() : value).as<ObjectPtr>();
    if (object == nullptr || (*object)->is_outdated()) continue;
    const At at(last_[name].place);
    const NodePtr node = (*object)->read().node();
    if (node != last_[name].node) result_.assignments.push_back({name, node});
    result_.results.push_back({name, node});
    all.named.insert(object->get());
  }
  std::vector<std::string> others;  // variables of loops
  for (const auto& [name, value] : module().names) {
    all.taken.insert(name);
    if (!name.starts_with('<') && !name.starts_with("__") && !bound_at_.contains(name))
      others.push_back(name);
  }
  std::sort(others.begin(), others.end());
  std::for_each(others.begin(), others.end(), [&](const auto& name) { note_name(name); });
  for (const std::string& name : bound_) {
    const auto found = module().names.find(name);
    if (found == module().names.end()) continue;
    const At at(bound_at_.at(name));
    all.variable = name;
    all.may_be_none = found->second.as<Perhaps>() != nullptr;
    all.count = 0;
    const Value value = all.may_be_none ? found->second.as<Perhaps>()->value() : found->second;
    const auto* object = value.as<ObjectPtr>();
    if (object != nullptr && all.named.contains(object->get()) && known_.contains(name)) continue;
    all.taken.erase(name);
    collect(name, value, all);
  }
  for (const auto& [name, line] : counters_of(tree_))  // of which nothing reads the last one
    if (!name.starts_with('<') && !module().names.contains(name) && !result_.skipped.contains(name))
      result_.no_results.try_emplace(name, line, "the variable of a loop that may end early");
}

/// Names that functions bind are as others of the module in the end.
void Interpreter::collect_globals() {
  if (globals_.empty()) return;
  for (const std::string& name : globals_[0]) {
    const auto held = module().names.find(objects_.global_name(name));
    if (held == module().names.end()) continue;
    module().names[name] = held->second;
    note_name(name);
    if (held->second.as<ObjectPtr>() != nullptr && known_.insert(name).second) {
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

/// Adds the results, and what is no result, of a variable or a part of one.
void Interpreter::collect(const std::string& name, const Value& value, Collected& all) {
  if (is_code(value)) return;
  if (const auto* perhaps = value.as<Perhaps>()) {
    const Exchanged may_be_none(all.may_be_none, true);
    return collect(name, perhaps->value(), all);
  }
  const auto* list = value.as<Sequence>();
  if (codes_of(value) != nullptr) return no_result(name, "an array of characters", all);
  const auto is_array = [](const Value& item) { return item.as<ObjectPtr>() != nullptr; };
  const bool is_numbers = value.as<NumberList>() != nullptr ||
                          (list != nullptr && !list->is_set && is_array_of_scalars(*list, true) &&
                           std::any_of(list->items.begin(), list->items.end(), is_array));
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr || is_numbers || (all.may_be_none && value.is_number()))
    return collect_array(name, value, all);
  if (value.is_none() || value.is_number() || value.as<std::string>() != nullptr) {
    if (all.taken.insert(name).second) result_.known.emplace_back(name, described("", value));
    return;
  }
  if (value.as<RunList>() != nullptr || selection_of(value))
    return collect_selection(name, value, all);
  const bool is_dict = value.as<Dict>() != nullptr, is_complex = value.as<Complex>() != nullptr;
  if (is_dict || is_complex || (list != nullptr && !list->is_set))
    return each_named_part(
        name, value, [&](const std::string& part, const Value& item) { collect(part, item, all); });
  const auto* held = value.as<InstancePtr>();
  if (held == nullptr || !is_of_program(**held)) return no_result(name, value.description(), all);
  if (!all.seen.insert(held->get()).second) return;
  for (const auto& [attribute, hidden] : objects_.attributes_of(**held))
    if (!attribute.starts_with('('))  // what a container holds
      collect(name + "_" + attribute, Value(module().names.at(hidden)), all);
}

/// Of an array, a scalar, or a list of scalars that makes one array.
void Interpreter::collect_array(const std::string& name, const Value& value, Collected& all) {
  constexpr std::size_t kMost = 1000;
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr && (*object)->is_outdated())
    return no_result(name, "a view of memory that was replaced", all);
  if (object != nullptr && !(*object)->is_scalar() && !all.named.insert(object->get()).second)
    return;  // it has another name
  const NodePtr node = to_array(value, name).node();
  if (node->kind == Kind::Input) return;
  if (++all.count > kMost)
    return no_result(all.variable, fmt::format("of more than {} parts", kMost), all);
  if (!all.taken.insert(name).second) return no_result(name, "named as another variable", all);
  result_.assignments.push_back({name, node});
  result_.results.push_back({name, node});
  if (all.may_be_none) result_.perhaps.insert(name);
}

/// What is selected, and how much that is.
void Interpreter::collect_selection(const std::string& name, const Value& value, Collected& all) {
  const auto* list = value.as<RunList>();
  if (list != nullptr && list->form.kind != RunList::Form::Is::Numbers)
    return no_result(name, value.description(), all);
  if (!all.taken.insert(name).second) return no_result(name, "named as another variable", all);
  const Value selected = list != nullptr ? selected_elements(*list) : value;
  const std::string result = add_selection(name, *selection_of(selected));
  if (all.may_be_none) result_.perhaps.insert(name);
  if (!last_written(all.variable))
    result_.read_again.insert({result, result_.lengths.at(result).result});
}

/// Says so once of each variable.
void Interpreter::no_result(const std::string& name, const std::string& what, Collected& all) {
  result_.no_results.try_emplace(name, current_place().line, what);
  all.taken.insert(name);
}

// ---- of a function ----

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

/// The same of a selection and its length: the name of the selection.
std::string Interpreter::add_selection(const std::string& name, const Selection& selection) {
  const Selection all = packed(selection);
  const std::string result = add_result(name, all.whole.node());
  result_.lengths[result] = {add_result(result + "_length", all.count().node()), all.first};
  return result;
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
  const bool is_array = list != nullptr && !list->is_set && list->kin.empty() &&
                        is_array_of_scalars(*list, options_.returns_selections);
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
    Returned result{.kind = Is::Dict};
    result.text = dict->type;
    if (dict->type == "defaultdict" && dict->standard.size() == 1)
      if (const auto* standard = dict->standard[0].as<Function>())
        result.text += " " + standard->name;
    for (std::size_t i = 0; i < dict->keys.size(); ++i) {
      const Value& key = dict->keys[i];
      const std::string part =
          key.as<InstancePtr>() != nullptr ? std::to_string(i) : name_part(key);
      result.parts.push_back(returned("", key));
      result.parts.push_back(returned(fmt::format("{}_{}", name, part), dict->values[i]));
    }
    return result;
  }
  if (value.as<Complex>() != nullptr) return of_parts(Is::Complex);
  if (codes_of(value) != nullptr)
    cudamat::misuse("program", "an array of characters as a result is not supported");
  if (list != nullptr && !is_array) {
    Returned result = of_parts(list->is_set ? Is::Set : list->list ? Is::List : Is::Tuple);
    result.integer = static_cast<std::int64_t>(list->most);
    result.text = std::string(list->kin);
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
  if (const auto selection = selection_of(value); selection && !name.empty()) {
    (void)add_selection(name, *selection);
    return {.kind = Is::Other, .text = value.description()};
  }
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
  result.dtype = returned_type(*node);
  const int own = object != nullptr && !(*object)->is_scalar() ? (*object)->float_bits() : 0;
  if (node->dtype == DType::Float) result.float_bits = own != 0 ? own : float_width_of(node);
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

}  // namespace rewriter
