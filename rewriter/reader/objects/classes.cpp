// The reader: class statements, and Python's own classes of exceptions.
#include "rewriter/reader/values/classes.hpp"

#include <algorithm>

#include "rewriter/reader/modules/modules.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"

namespace rewriter {

using cudamat::misuse;

/// In the body of a class: of a private name the one that Python gives it.
static std::string mangled_in(const Class& type, const std::string& name) {
  return name.starts_with("__") && !name.ends_with("__") ? "_" + type.name + name : name;
}

std::string Objects::mangled(const std::string& name) const {
  const auto type = class_of_.find(reader_.scope().function);
  return type == class_of_.end() ? name : mangled_in(*type->second, name);
}

/// Python's order of the bases: of each before its own bases, and as the class names them.
static std::vector<ClassPtr> order_of(const std::string& name, const std::vector<ClassPtr>& bases) {
  std::vector<std::vector<ClassPtr>> lists;
  for (const ClassPtr& base : bases) {
    lists.push_back({base});
    lists.back().insert(lists.back().end(), base->bases.begin(), base->bases.end());
  }
  lists.push_back(bases);
  std::vector<ClassPtr> order;
  while (true) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty()) return order;
    const auto is_free = [&](const ClassPtr& head) {
      return std::none_of(lists.begin(), lists.end(), [&](const auto& list) {
        return std::find(list.begin() + 1, list.end(), head) != list.end();
      });
    };
    const auto next = std::find_if(lists.begin(), lists.end(),
                                   [&](const auto& list) { return is_free(list.front()); });
    if (next == lists.end())
      misuse("program", "the bases of class {} have no consistent order", name);
    const ClassPtr head = next->front();
    order.push_back(head);
    for (auto& list : lists)
      if (list.front() == head) list.erase(list.begin());
  }
}

void Objects::set_bases(Class& made, std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const ast::ExprId header = tree.statements[statement].value;
  std::vector<ClassPtr> bases;
  if (tree[header].kind == ast::ExprKind::Call)
    for (ast::ExprId part : tree.children(header).subspan(1)) {
      if (tree[part].kind == ast::ExprKind::Keyword) {
        if (tree.string(part) != "metaclass") continue;
        const Value meta = reader_.evaluate(tree.child(part, 0));
        const auto* ignored = meta.as<Ignored>();
        if (ignored == nullptr) misuse("program", "a metaclass of the program is not supported");
        made.is_abstract = made.is_abstract || ignored->name == "abc.ABCMeta";
        continue;
      }
      if (tree[part].kind == ast::ExprKind::Subscript) part = tree.child(part, 0);  // Generic[T]
      const Value base = reader_.evaluate(part);
      if (const auto* type = base.as<ClassPtr>()) {
        if (!(*type)->unusable.empty()) misuse("program", "{}", (*type)->unusable);
        made.is_abstract = made.is_abstract || (*type)->is_abstract;
        if (made.kind == Class::Kind::Plain) made.kind = (*type)->kind;
        for (const Field& field : (*type)->fields) made.fields.push_back(field);
        if (!made.container) made.container = (*type)->container;
        made.holds_numbers = made.holds_numbers || (*type)->holds_numbers;
        made.holds_texts = made.holds_texts || (*type)->holds_texts;
        made.is_reprs = made.is_reprs || (*type)->is_reprs;
        made.is_flag = made.is_flag || (*type)->is_flag;
        made.is_pythons = made.is_pythons || (*type)->is_pythons;
        bases.push_back(*type);
        continue;
      }
      if (const auto* function = base.as<Function>();
          function != nullptr &&
          has_word(
              " dict list collections.Counter collections.OrderedDict collections.defaultdict ",
              function->name)) {
        made.container = base;
        continue;
      }
      if (const auto* mixed = base.as<Function>();
          mixed != nullptr && has_word(" str int ", mixed->name)) {
        (mixed->name == "str" ? made.holds_texts : made.holds_numbers) = true;
        continue;
      }
      const auto* ignored = base.as<Ignored>();
      const std::string name = ignored != nullptr ? ignored->name : "";
      made.is_abstract = made.is_abstract || name == "abc.ABC";
      if (name == "typing.NamedTuple") made.kind = Class::Kind::Tuple;
      made.holds_numbers = made.holds_numbers || name == "enum.IntEnum" || name == "enum.IntFlag";
      made.holds_texts = made.holds_texts || name == "enum.StrEnum";
      made.is_reprs = made.is_reprs || has_word(" enum.IntEnum enum.IntFlag enum.StrEnum ", name);
      made.is_flag = made.is_flag || name == "enum.Flag" || name == "enum.IntFlag";
      if (name.starts_with("enum.")) made.kind = Class::Kind::Enum;
      if (const auto* outside = base.as<Module>())
        made.outside = outside->name;
      else if (const auto* of_python = base.as<OutsideObject>())
        made.outside = of_python->told;
      else if (ignored == nullptr)
        misuse("program", "a class with the base {} is not supported", base.description());
    }
  if ((made.holds_numbers || made.holds_texts) && made.kind != Class::Kind::Enum)
    misuse("program", "a class with the base {} is supported for enums only",
           made.holds_texts ? "str" : "int");
  made.bases = order_of(made.name, bases);
}

/// The names that the body declares or binds, in their order.
void Objects::take_fields(Class& made, std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const bool is_enum = made.kind == Class::Kind::Enum;
  const std::uint32_t end = tree.statements[statement].end;
  for (std::uint32_t i = statement + 1; i < end; i = ast::after(tree, i)) {
    const ast::Statement& line = tree.statements[i];
    const bool declares = line.kind == ast::StatementKind::Annotation;
    if (!declares && !(is_enum && line.kind == ast::StatementKind::Assign)) continue;
    const ast::ExprId target = tree.targets(line)[0];
    if (tree[target].kind != ast::ExprKind::Name) continue;
    if (declares && tree.text(line.annotation).find("ClassVar") != std::string_view::npos) continue;
    Field field{tree.string(target)};
    const auto same = [&](const Field& each) { return each.name == field.name; };
    const auto standard = reader_.scope().names.find(field.name);
    if (standard != reader_.scope().names.end()) {
      field.standard = standard->second;
      if (const auto* told = standard->second.as<Dict>();
          told != nullptr && told->type == "dataclasses.field") {
        const Value* given = find_key(*told, {std::string("default")});
        const Value* factory = find_key(*told, {std::string("default_factory")});
        const Value* init = find_key(*told, {std::string("init")});
        field.is_made = factory != nullptr;
        field.is_argument = init == nullptr || truth_of(*init) != false;
        const Value* compare = find_key(*told, {std::string("compare")});
        field.is_compared = compare == nullptr || truth_of(*compare) != false;
        const Value* shown = find_key(*told, {std::string("repr")});
        field.is_shown = shown == nullptr || truth_of(*shown) != false;
        const Value* chosen = factory != nullptr ? factory : given;
        field.standard = chosen != nullptr ? std::optional(*chosen) : std::nullopt;
        reader_.scope().names.erase(standard);
      }
    }
    const auto known = std::find_if(made.fields.begin(), made.fields.end(), same);
    if (known != made.fields.end())
      *known = field;
    else
      made.fields.push_back(field);
  }
}

/// Of @dataclass(option=...).
static void set_data_option(Class& type, const std::string& option, bool is_set) {
  if (option == "frozen") type.is_frozen = is_set;
  if (option == "eq") type.compares_fields = is_set;
  if (option == "repr") type.shows_fields = is_set;
  if (option == "kw_only") type.takes_names = is_set;
  if (option != "slots" || !is_set) return;
  std::vector<Value> names;
  for (const Class::Field& field : type.fields) names.push_back({field.name});
  type.members["__slots__"] = new_sequence(false, std::move(names));
}

static void refuse_mutable_defaults(const Class& type) {
  for (const Class::Field& field : type.fields)
    if (field.standard && !field.is_made && list_number(*field.standard))
      throw PythonError("ValueError", type.name,
                        fmt::format("mutable default for field {} is not allowed: use "
                                    "default_factory",
                                    field.name),
                        {chosen_text()});
}

/// Methods that Python calls by itself, and this reader does not.
constexpr std::string_view kUnsupported =
    " __new__ __del__ __delattr__ __delete__ __getattribute__ "
    " __class_getitem__ ";

/// Runs a class statement, whose body binds names as a call does.
void Objects::define(std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const ast::Statement& header = tree.statements[statement];
  const auto made = std::make_shared<Class>();
  made->name = tree.string(tree.targets(header)[0]);
  made->number = ++made_;
  const std::size_t file = reader_.scope().file;
  made->is_pythons = file > 0 && reader_.files_[file - 1]->file->is_pythons;
  Value result{made};
  try {
    if (header.end > statement + 1 &&
        tree.statements[statement + 1].kind == ast::StatementKind::Unread)
      misuse("program", "{}", tree.string(tree.statements[statement + 1].value));
    set_bases(*made, statement);
    auto members = reader_.run_class_body(statement, *made, [&] { take_fields(*made, statement); });
    for (auto& [name, value] : members) {
      if (is_attribute(name)) continue;
      const auto* function = value.as<UserFunction>();
      if (function != nullptr) class_of_[function->statement] = made;
      if (const auto* descriptor = value.as<Descriptor>())
        for (const Value& each : descriptor->functions)
          if (const auto* method = each.as<UserFunction>()) class_of_[method->statement] = made;
      if (has_word(kUnsupported, name)) misuse("program", "the method {} is not supported", name);
      const bool is_fixed = function != nullptr || value.as<Descriptor>() != nullptr ||
                            value.as<ClassPtr>() != nullptr || value.as<Method>() != nullptr ||
                            value.as<Function>() != nullptr || value.as<std::string>() != nullptr;
      const bool is_field = made->kind == Class::Kind::Enum &&
                            std::any_of(made->fields.begin(), made->fields.end(),
                                        [&, &key = name](const Field& f) { return f.name == key; });
      if (is_field) continue;
      const std::string known_as = mangled_in(*made, name);
      if (is_fixed)
        made->members[known_as] = value;
      else
        set(result, known_as, value);
    }
    for (const auto& [name, value] : members)
      if (!is_attribute(name) && value.as<InstancePtr>() != nullptr)
        (void)call_method(value, "__set_name__", {result, {name}});
    if (made->kind == Class::Kind::Enum) make_members(made);
    if (reader_.options_.function.empty()) init_subclass(made, header.value);  // else it has run
    result = decorated(statement, result);
  } catch (const cudamat::CUDAMatException& error) {
    made->unusable = fmt::format("the class {} is not supported: {}", made->name, error.message());
    result = Value{made};
  }
  made->is_callers = reader_.options_.raises && reader_.in_module();
  reader_.bind(made->name, result);
}

/// What a base does with each class that it is a base of.
void Objects::init_subclass(const ClassPtr& made, std::uint32_t header) {
  const Value* init = nullptr;
  for (const ClassPtr& base : made->bases)
    if (const auto found = base->members.find("__init_subclass__");
        init == nullptr && found != base->members.end())
      init = &found->second;
  if (init == nullptr) return;
  const ast::Program& tree = reader_.tree_;
  Call call{"__init_subclass__", {{made}}, {}, reader_.result_.steps};
  for (const ast::ExprId part : tree.children(header).subspan(1))
    if (tree[part].kind == ast::ExprKind::Keyword && tree.string(part) != "metaclass")
      call.keywords.emplace_back(tree.string(part), reader_.evaluate(tree.child(part, 0)));
  (void)reader_.call_value(*init, call);
}

/// Of an enum: an object for each value.
void Objects::make_members(const ClassPtr& made) {
  std::vector<Value> all;
  for (const Field& field : made->fields) {
    if (!field.standard) continue;
    const Value value = *field.standard;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Value& each) {
      return known_equal(*attribute(each, "value"), value) == true;
    });
    if (known != all.end()) {  // another name for it
      made->members[field.name] = Value(*known);
      continue;
    }
    const Value object = new_object(made, field.name);
    made->members[field.name] = object;
    auto& instance = *object.as<InstancePtr>();
    if (made->holds_numbers) instance->whole = value.integer("the value of an IntEnum's member");
    if (made->holds_texts && value.as<std::string>() != nullptr)
      instance->text = *value.as<std::string>();
    set_own(*instance, instance, "name", {field.name});
    set_own(*instance, instance, "value", value);
    if (made->member("__init__") != nullptr) {
      const auto* several = value.as<Sequence>();
      (void)call_method(
          object, "__init__",
          several != nullptr && !several->list ? elements_of(value) : std::vector<Value>{value});
    }
    const auto* bits = value.as<std::int64_t>();
    const bool is_combined = made->is_flag && bits != nullptr && (*bits & (*bits - 1)) != 0;
    if (!is_combined) all.push_back(object);
  }
  made->members["__members__"] = new_sequence(false, std::move(all));
}

/// What gets a property, sets it and deletes it.
constexpr std::size_t kPropertyFunctions = 3;

static std::optional<Descriptor::Kind> descriptor_kind(const std::string& name) {
  if (name == "property") return Descriptor::Kind::Property;
  if (name == "classmethod") return Descriptor::Kind::OfClass;
  if (name == "staticmethod") return Descriptor::Kind::Static;
  return std::nullopt;
}

/// property(get, set, delete), staticmethod(function) and classmethod(function).
std::optional<Value> Objects::call_descriptor(const Call& call) {
  const auto kind = descriptor_kind(call.name);
  if (!kind) return std::nullopt;
  if (call.arguments.empty() || !call.keywords.empty() ||
      call.arguments.size() > (*kind == Descriptor::Kind::Property ? kPropertyFunctions : 1))
    misuse(call.name, "takes functions");
  return Value{Descriptor{*kind, Items(call.arguments)}};
}

Value Objects::decorated(std::uint32_t statement, Value value) {
  const ast::Program& tree = reader_.tree_;
  const auto decorators = tree.decorators_of(tree.statements[statement]);
  for (std::size_t i = decorators.size(); i-- > 0;) {
    const ast::Expr& expr = tree[decorators[i]];
    if (expr.kind == ast::ExprKind::Name && reader_.find(tree.string(expr)) == nullptr) {
      if (const auto kind = descriptor_kind(tree.string(expr))) {
        value = {Descriptor{*kind, Items({value})}};
        continue;
      }
    }
    if (expr.kind == ast::ExprKind::Attribute &&
        has_word(" getter setter deleter ", tree.string(expr))) {
      const Value before = reader_.evaluate(tree.child(decorators[i], 0));
      const auto* property = before.as<Descriptor>();
      if (property == nullptr)
        misuse("program", "{} has no {}", before.description(), tree.string(expr));
      std::vector<Value> functions(property->functions.begin(), property->functions.end());
      functions.resize(kPropertyFunctions);
      functions[tree.string(expr) == "getter" ? 0 : tree.string(expr) == "setter" ? 1 : 2] = value;
      value = {Descriptor{Descriptor::Kind::Property, Items(std::move(functions))}};
      continue;
    }
    const ast::Expr& named =
        tree[expr.kind == ast::ExprKind::Call ? tree.child(decorators[i], 0) : decorators[i]];
    const bool has_name =
        named.kind == ast::ExprKind::Name || named.kind == ast::ExprKind::Attribute;
    if (has_name && has_word(" lru_cache cache ", tree.string(named))) {
      if (auto* function = std::get_if<UserFunction>(&value.held)) function->is_cached = true;
      continue;
    }
    const Value decorator = reader_.evaluate(decorators[i]);
    if (const auto* module = decorator.as<Module>();
        module != nullptr && module->name == "functools.cached_property") {
      value = {Descriptor{Descriptor::Kind::Cached, Items({value})}};
      continue;
    }
    if (decorator.as<Module>() != nullptr &&
        decorator.as<Module>()->name == "functools.total_ordering") {
      if (const auto* type = value.as<ClassPtr>()) (*type)->members["(total ordering)"] = {true};
      continue;
    }
    if (const auto* ignored = decorator.as<Ignored>()) {
      if (ignored->name.starts_with("abc.abstract")) abstract_.insert(statement);
      if (ignored->name.starts_with("dataclasses.dataclass")) {
        const ClassPtr& type = *value.as<ClassPtr>();
        if (expr.kind == ast::ExprKind::Call)
          for (const ast::ExprId part : tree.children(decorators[i]).subspan(1))
            if (tree[part].kind == ast::ExprKind::Keyword)
              set_data_option(*type, tree.string(part),
                              truth_of(reader_.evaluate(tree.child(part, 0))) == true);
        refuse_mutable_defaults(*type);
        if (type->kind == Class::Kind::Plain) type->kind = Class::Kind::Data;
      }
      continue;
    }
    Call made{"", {value}, {}, reader_.result_.steps};
    value = reader_.call_value(decorator, made);
  }
  return value;
}

/// Python's classes of exceptions, each with its base.
constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
    {"BaseException", ""},
    {"Exception", "BaseException"},
    {"GeneratorExit", "BaseException"},
    {"StopIteration", "Exception"},
    {"BufferError", "Exception"},
    {"EOFError", "Exception"},
    {"MemoryError", "Exception"},
    {"ArithmeticError", "Exception"},
    {"FloatingPointError", "ArithmeticError"},
    {"OverflowError", "ArithmeticError"},
    {"ZeroDivisionError", "ArithmeticError"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"FrozenInstanceError", "AttributeError"},
    {"ImportError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"LookupError", "Exception"},
    {"IndexError", "LookupError"},
    {"KeyError", "LookupError"},
    {"NameError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"OSError", "Exception"},
    {"IOError", "Exception"},
    {"FileNotFoundError", "OSError"},
    {"FileExistsError", "OSError"},
    {"PermissionError", "OSError"},
    {"TimeoutError", "OSError"},
    {"ConnectionError", "OSError"},
    {"ConnectionRefusedError", "ConnectionError"},
    {"ConnectionResetError", "ConnectionError"},
    {"BrokenPipeError", "ConnectionError"},
    {"InterruptedError", "OSError"},
    {"IsADirectoryError", "OSError"},
    {"NotADirectoryError", "OSError"},
    {"RuntimeError", "Exception"},
    {"NotImplementedError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"TypeError", "Exception"},
    {"UFuncTypeError", "TypeError"},
    {"ValueError", "Exception"},
    {"UnicodeError", "ValueError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"LinAlgError", "ValueError"},
    {"SyntaxError", "Exception"},
    {"IndentationError", "SyntaxError"},
    {"SystemError", "Exception"},
    {"ReferenceError", "Exception"},
    {"AxisError", "ValueError IndexError"},
    {"Warning", "Exception"},
    {"UserWarning", "Warning"},
    {"RuntimeWarning", "Warning"},
    {"DeprecationWarning", "Warning"},
    {"FutureWarning", "Warning"},
    {"PendingDeprecationWarning", "Warning"},
    {"ResourceWarning", "Warning"},
    {"KeyboardInterrupt", "BaseException"},
    {"SystemExit", "BaseException"},
};

ClassPtr Objects::exception_class(const std::string& name) {
  const auto* const known = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                         [&](const auto& each) { return each.first == name; });
  if (known == std::end(kExceptions)) return nullptr;
  ClassPtr& made = exceptions_[name];
  if (made) return made;
  const auto type = std::make_shared<Class>();
  type->name = name;
  type->kind = Class::Kind::Exception;
  for (std::string_view bases = known->second; !bases.empty();) {
    const std::size_t end = std::min(bases.find(' '), bases.size());
    const ClassPtr base = exception_class(std::string(bases.substr(0, end)));
    bases.remove_prefix(std::min(end + 1, bases.size()));
    type->bases.push_back(base);
    type->bases.insert(type->bases.end(), base->bases.begin(), base->bases.end());
  }
  return made = type;
}

Value Objects::exception(const std::string& type, std::vector<Value> arguments) {
  const Call made{type, std::move(arguments), {}, reader_.result_.steps};
  return instantiate(exception_class(type), made, ast::kNoExpr);
}

}  // namespace rewriter
