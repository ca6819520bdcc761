#include "rewriter/reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "rewriter/parser.hpp"
#include "rewriter/reader_functions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// numpy's own names for numbers and for None.
std::optional<Value> module_constant(std::string_view name) {
  if (name == "np.pi") return Value{M_PI};
  if (name == "np.e") return Value{M_E};
  if (name == "np.inf" || name == "np.Inf") return Value{std::numeric_limits<double>::infinity()};
  if (name == "np.nan" || name == "np.NaN") return Value{std::numeric_limits<double>::quiet_NaN()};
  if (name == "np.newaxis" || name == "gpu.newaxis") return Value{NoneValue{}};
  for (const std::string_view type : {"np.float32", "np.float64", "np.longdouble", "np.float_"})
    if (name == type) return Value{Function{std::string(name), nullptr}};
  return std::nullopt;
}

/// Runs a program's statements in order; `values` holds one value for each expression of the
/// statement.
class Reader {
 public:
  Reader(const Source& source, const ReadOptions& options)
      : tree_(ast::parse(source)), options_(options) {
    result_.source = source;
  }

  Program run() {
    for (const ast::Statement& statement : tree_.statements) {
      statement_place_ = place(statement.span);
      const At at(statement_place_);
      located(statement.span, [&] { execute(statement); });
    }
    collect_results();
    return std::move(result_);
  }

 private:
  /// What the names stand for at the end. A view of an array that was written since is read again,
  /// for the statement that made the view.
  void collect_results() {
    for (const std::string& name : assigned_) {
      const auto* object = names_[name].as<ObjectPtr>();
      if (object == nullptr) continue;
      const At at(last_[name].place);
      const NodePtr node = (*object)->read().node();
      if (node != last_[name].node) result_.assignments.push_back({name, node});
      result_.results.push_back({name, node});
    }
  }

  /// The last assignment of an array to a name.
  struct Assigned {
    SourceLocation place;
    NodePtr node;
  };

  // ---- errors and places ----

  /// Runs `work`; what it refuses is shown at `span`.
  template <class F>
  void located(Span span, F&& work) {
    try {
      work();
    } catch (const ProgramError&) {
      throw;
    } catch (const cudamat::CUDAMatException& error) {
      throw ProgramError(tree_.source, span, plain(error.what()));
    }
  }

  [[noreturn]] void fail(Span span, const std::string& message) const {
    throw ProgramError(tree_.source, span, message);
  }

  /// Messages about the program itself need no "[program]" in front.
  static std::string plain(std::string text) {
    for (const std::string_view tag : {"[program] ", "[call] "})
      if (text.starts_with(tag)) return text.substr(tag.size());
    return text;
  }

  SourceLocation place(Span span) const {
    const int line = tree_.source.line_of(span.begin);
    constexpr std::size_t kLongLine = 4096;  // columns are counted from the line's start
    if (tree_.source.line(line).size() > kLongLine) return {line, 1};
    return tree_.source.location(span.begin);
  }

  // ---- inputs: declared by annotations, or given from outside and declared when first read ----

  void declare(const std::string& name, const Dims& dims) {
    const Array array = input(name, dims);
    result_.inputs.push_back({name, array.node()});
    names_[name] = new_array(array);
  }

  void annotate(const ast::Statement& statement) {
    const ast::ExprId target = tree_.targets(statement)[0];
    const std::string& name = tree_.string(target);
    if (statement.value != ast::kNoExpr) return assign(target, evaluate(statement.value));
    const Span span = tree_[statement.annotation].span;
    const Value shape = evaluate(statement.annotation);
    const auto* tuple = shape.as<Sequence>();
    if (tuple == nullptr)
      fail(span,
           fmt::format("an input is declared by its shape, a tuple: `{}: (128, 784)`, `{}: (5,)`",
                       name, name));
    Dims dims;
    for (const Value& item : tuple->items)
      dims.push_back(item.integer("an extent of an input's shape"));
    if (const auto given = options_.shapes.find(name); given != options_.shapes.end()) {
      if (given->second != dims)
        fail(span, fmt::format("{} is declared as {} here, but its shape was given as {}", name,
                               to_string(dims), to_string(given->second)));
      const auto same = [&](const Program::Named& input) { return input.name == name; };
      if (std::any_of(result_.inputs.begin(), result_.inputs.end(), same)) return;
    }
    if (names_.contains(name)) fail(statement.span, fmt::format("{} has a value already", name));
    declare(name, dims);
  }

  // ---- statements ----

  void execute(const ast::Statement& statement) {
    switch (statement.kind) {
      case ast::StatementKind::Assign: {
        const Value value = evaluate(statement.value);
        for (const ast::ExprId target : tree_.targets(statement)) assign(target, value);
        return;
      }
      case ast::StatementKind::AugAssign:
        return augment(statement);
      case ast::StatementKind::Annotation:
        return annotate(statement);
      case ast::StatementKind::Import:
        for (const ast::ImportedName& imported : tree_.imported(statement)) import(imported);
        return;
      case ast::StatementKind::Expression:
        step(evaluate(statement.value));
        return;
      case ast::StatementKind::Pass:
        return;
    }
  }

  void import(const ast::ImportedName& imported) {
    const std::string_view root =
        std::string_view(imported.module).substr(0, imported.module.find('.'));
    if (root == "__future__") return;
    if (root != "numpy" && root != "gnumpy")
      fail(imported.span,
           fmt::format("only numpy and gnumpy can be imported; got {}", imported.module));
    if (imported.name == "*") {
      import_all(imported);
    } else if (imported.name.empty()) {
      const bool bound_to_root = imported.alias == root;
      names_[imported.alias] = {Module{bound_to_root ? std::string(root) : imported.module}};
    } else {
      names_[imported.alias] = member(Module{imported.module}, imported.name);
    }
  }

  /// `from numpy import *` would rebind names that have a value already.
  void import_all(const ast::ImportedName& imported) {
    const std::string prefix(module_prefix(imported.module));
    for (const auto& [name, value] : names_) {
      if (value.as<Module>() != nullptr || value.as<Function>() != nullptr) continue;
      if (module_constant(prefix + name) || is_function(prefix + name))
        fail(imported.span, fmt::format("this gives the name {} another meaning; move the import "
                                        "to the top of the program",
                                        name));
    }
    star_prefixes_.push_back(prefix);
  }

  /// The value of a statement is computed even if nothing reads it.
  void step(const Value& value) {
    if (const auto* object = value.as<ObjectPtr>())
      result_.steps.push_back((*object)->read().node());
  }

  void assign(ast::ExprId target, const Value& value) {
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

  void bind(const std::string& name, const Value& value) {
    names_[name] = value;
    note(name);
    step(value);
  }

  /// The name now stands for an array that the program made.
  void note(const std::string& name) {
    const auto* object = names_[name].as<ObjectPtr>();
    if (object == nullptr) return;
    const NodePtr node = (*object)->read().node();
    if (node->kind != Kind::Input || node->text != name)
      result_.assignments.push_back({name, node});
    if (known_.insert(name).second) assigned_.push_back(name);
    last_[name] = {statement_place_, node};
  }

  void unpack(ast::ExprId target, const Value& value) {
    const auto targets = tree_.children(target);
    const auto* sequence = value.as<Sequence>();
    if (sequence == nullptr)
      misuse("program", "only a tuple can be unpacked; got {}", value.description());
    if (sequence->items.size() != targets.size())
      misuse("program", "{} names for {} values", targets.size(), sequence->items.size());
    for (std::size_t i = 0; i < targets.size(); ++i) assign(targets[i], sequence->items[i]);
  }

  /// x[index] = value
  void store(ast::ExprId target, const Value& value) {
    const auto [object, index] = evaluate_subscript(target);
    assign_subscript(object, index, to_array(value, "what is assigned"));
    written(object);
  }

  void augment(const ast::Statement& statement) {
    const ast::ExprId target = tree_.targets(statement)[0];
    const ast::Expr& expr = tree_[target];
    if (expr.kind == ast::ExprKind::Subscript) {
      const auto [object, index] = evaluate_subscript(target);
      const Value part = subscript(object, index);
      const Value result = combine(statement, part, evaluate(statement.value));
      assign_subscript(object, index, to_array(result, "what is assigned"));
      return written(object);
    }
    const std::string& name = tree_.string(expr);
    const Value old = lookup(expr);
    if (const auto* sequence = old.as<Sequence>(); sequence != nullptr && sequence->list)
      misuse("program", "lists do not change in place here; make it an array with np.array({})",
             name);
    const Value right = evaluate(statement.value);
    const Value result = combine(statement, old, right);
    const auto* object = old.as<ObjectPtr>();
    if (object == nullptr || is_numpy_scalar((*object)->read())) return bind(name, result);
    const Array made = in_place(to_array(result, name));
    if (made.shape() != (*object)->shape())
      misuse("program",
             "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
             to_string((*object)->shape()), to_string(made.shape()));
    (*object)->write(made);
    note(name);
    written(old);
  }

  Value combine(const ast::Statement& statement, const Value& left, const Value& right) {
    Value result;
    located(statement.span, [&] { result = binary_operator(statement.op, left, right); });
    return result;
  }

  /// After an array was written in place: the statement computed what it holds now. The names of an
  /// input that was overwritten become outputs.
  void written(const Value& value) {
    step(value);
    for (const Program::Named& named : result_.inputs) {
      const auto* object = names_[named.name].as<ObjectPtr>();
      if (object != nullptr && !known_.contains(named.name) &&
          (*object)->read().node() != named.node)
        note(named.name);
    }
  }

  // ---- expressions ----

  Value evaluate(ast::ExprId root) {
    const ast::ExprId first = tree_[root].first;
    std::vector<Value> values(root - first + 1);
    for (ast::ExprId id = first; id <= root; ++id) compute(id, first, values);
    return std::move(values.back());
  }

  /// The object and the indices of x[...], not yet applied.
  std::pair<Value, std::vector<Value>> evaluate_subscript(ast::ExprId target) {
    const auto parts = tree_.children(target);
    const Value object = evaluate(parts[0]);
    std::vector<Value> index;
    for (const ast::ExprId part : parts.subspan(1)) index.push_back(evaluate(part));
    return {object, std::move(index)};
  }

  void compute(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
    const ast::Expr& expr = tree_[id];
    // Each value is used once, by its parent.
    const auto child = [&](std::size_t i) -> Value& { return values[tree_.child(id, i) - first]; };
    const auto children_from = [&](std::size_t begin) {
      std::vector<Value> result;
      for (std::size_t i = begin; i < expr.child_count; ++i) result.push_back(std::move(child(i)));
      return result;
    };
    Value& value = values[id - first];
    const At at(place(expr.token));
    located(expr.span, [&] {
      switch (expr.kind) {
        case ast::ExprKind::Number:
          value = number(tree_.number(expr));
          return;
        case ast::ExprKind::String:
          value = {tree_.string(expr)};
          return;
        case ast::ExprKind::Name:
          value = lookup(expr);
          return;
        case ast::ExprKind::None:
          value = {NoneValue{}};
          return;
        case ast::ExprKind::True:
          value = {true};
          return;
        case ast::ExprKind::False:
          value = {false};
          return;
        case ast::ExprKind::Ellipsis:
          value = {EllipsisValue{}};
          return;
        case ast::ExprKind::Unary:
          value = unary_operator(expr.op, child(0));
          return;
        case ast::ExprKind::Binary:
        case ast::ExprKind::Compare:
          value = binary_operator(expr.op, child(0), child(1));
          return;
        case ast::ExprKind::Attribute:
          value = attribute(expr, child(0));
          return;
        case ast::ExprKind::Keyword:
          value = std::move(child(0));
          return;
        case ast::ExprKind::Call:
          value = call(id, first, values);
          return;
        case ast::ExprKind::Subscript:
          value = subscript(child(0), children_from(1));
          return;
        case ast::ExprKind::Slice:
          value = slice(id, first, values);
          return;
        case ast::ExprKind::Tuple:
          value = {Sequence{false, children_from(0)}};
          return;
        case ast::ExprKind::List:
          value = {Sequence{true, children_from(0)}};
          return;
      }
    });
  }

  Value number(const ast::Number& number) const {
    switch (number.kind) {
      case ast::Number::Kind::Integer:
        return {number.integer};
      case ast::Number::Kind::Real:
        return {number.real};
      default:
        misuse("program", "the integer exceeds 64 bits; write a float");
    }
  }

  Value lookup(const ast::Expr& expr) {
    const std::string& name = tree_.string(expr);
    if (const auto at = names_.find(name); at != names_.end()) return at->second;
    if (const auto given = options_.shapes.find(name); given != options_.shapes.end()) {
      declare(name, given->second);
      return names_.at(name);
    }
    for (const std::string& prefix : star_prefixes_) {
      if (const auto constant = module_constant(prefix + name)) return *constant;
      if (is_function(prefix + name)) return {Function{prefix + name, nullptr}};
    }
    if (is_function(name)) return {Function{name, nullptr}};
    if (name == "np" || name == "numpy" || name == "gpu" || name == "gnumpy")
      fail(expr.span, fmt::format("{} is not imported; write `import {}`", name,
                                  name == "np"    ? "numpy as np"
                                  : name == "gpu" ? "gnumpy as gpu"
                                                  : name));
    if (!advice(name).empty()) fail(expr.span, unknown_function(name));
    fail(expr.span,
         fmt::format("name '{0}' is not defined; if it is an input, declare its shape with a line "
                     "`{0}: (rows, cols)` or with --shape {0}=RxC",
                     name));
  }

  Value member(const Module& module, const std::string& name) const {
    const std::string full = module.name + "." + name;
    if (!module_prefix(full).empty()) return {Module{full}};
    const std::string key = std::string(module_prefix(module.name)) + name;
    if (const auto constant = module_constant(key)) return *constant;
    if (is_function(key)) return {Function{key, nullptr}};
    misuse("call", "{}", unknown_function(key));
  }

  Value attribute(const ast::Expr& expr, const Value& object) {
    const std::string& name = tree_.string(expr);
    if (const auto* module = object.as<Module>()) return member(*module, name);
    if (const auto* function = object.as<Function>())
      misuse("program", "the function {} has no attribute {}", function->name, name);
    const auto* array = object.as<ObjectPtr>();
    if (array == nullptr) misuse("program", "{} has no attribute {}", object.description(), name);
    const Dims& dims = (*array)->shape();
    if (name == "T") {
      if (dims.size() < 2) return object;
      return {std::make_shared<ArrayObject>(*array, ViewStep{ViewStep::Kind::Transpose, {}, {}},
                                            false)};
    }
    if (name == "shape") {
      Sequence shape;
      for (const Index extent : dims) shape.items.push_back({extent});
      return {shape};
    }
    if (name == "size") return {(*array)->read().size()};
    if (name == "ndim") return {static_cast<std::int64_t>(dims.size())};
    if (is_function("." + name)) return {Function{"." + name, *array}};
    misuse("program", "arrays have no attribute here that is called {}: {}", name,
           unknown_function("." + name));
  }

  Value call(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
    const auto children = tree_.children(id);
    const auto* function = values[children[0] - first].as<Function>();
    if (function == nullptr)
      misuse("program", "{} cannot be called", values[children[0] - first].description());
    Call made{function->name, {}, {}, result_.steps};
    if (function->self) made.arguments.push_back({function->self});
    for (const ast::ExprId child : children.subspan(1)) {
      Value& value = values[child - first];
      if (tree_[child].kind == ast::ExprKind::Keyword)
        made.keywords.emplace_back(tree_.string(child), std::move(value));
      else
        made.arguments.push_back(std::move(value));
    }
    return call_function(made);
  }

  Value slice(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
    Slice result;
    std::optional<Index>* const parts[] = {&result.start, &result.stop, &result.step};
    for (std::size_t i = 0; i < 3; ++i) {
      const ast::ExprId child = tree_.child(id, i);
      if (child == ast::kNoExpr || values[child - first].is_none()) continue;
      *parts[i] = values[child - first].integer("a bound of a slice");
    }
    return {result};
  }

  ast::Program tree_;
  const ReadOptions& options_;
  Program result_;
  SourceLocation statement_place_;
  std::unordered_map<std::string, Value> names_;
  std::vector<std::string> star_prefixes_;  ///< of `from numpy import *`
  std::vector<std::string> assigned_;       ///< array names in the order of first assignment
  std::unordered_map<std::string, Assigned> last_;
  std::unordered_set<std::string> known_;  ///< the same, to look them up
};

}  // namespace

Program read(const Source& source, const ReadOptions& options) {
  return Reader(source, options).run();
}

}  // namespace rewriter
