// The reader: a `try` whose block may be left at run time. What is raised there has a number, which
// a hidden name holds; what follows runs where it is 0, and each handler where it is its own.
#include "rewriter/reader/walk/attempt.hpp"

#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/library.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

bool Interpreter::Attempt::is_open(const Interpreter& reader, Span span) const {
  if (reader.unsure_ > 0)
    reader.fail(span,
                "whether an exception is raised in this part of an expression is known only at run "
                "time; write it as a statement of its own");
  bool is_open = count > 0;
  for (std::size_t i = scopes - 1; i < reader.scopes_.size(); ++i) {
    const auto& frames = reader.scopes_[i].loops;
    for (std::size_t k = i + 1 == scopes ? loops : 0; k < frames.size(); ++k)
      is_open = is_open || frames[k]->loop->form != LoopForm::For;
  }
  return is_open;
}

std::uint32_t Interpreter::Attempt::handler_of(Interpreter& reader, const ClassPtr& type) const {
  const auto found = std::find_if(handlers.begin(), handlers.end(), [&](std::uint32_t each) {
    return reader.handles(reader.tree_.statements[each], type);
  });
  return found == handlers.end() ? 0 : *found;
}

Interpreter::Attempt* Interpreter::Attempt::taking(Interpreter& reader, Raised& which, Span span) {
  bool has_finally = false;
  for (Attempt* each = this; each != nullptr; each = each->outer) {
    which.handler = each->handler_of(reader, which.type);
    if (which.handler != 0) return each;
    has_finally = has_finally || each->has_last;
  }
  if (has_finally)
    reader.fail(span,
                "whether this exception is raised is known only at run time; no `try` around it "
                "has an `except` for it, but one has a `finally`");
  return nullptr;
}

void Interpreter::Attempt::note(Interpreter& reader, const Raised& which) {
  const auto found = std::find(raised.begin(), raised.end(), which);
  const std::int64_t number = found - raised.begin() + 1;
  if (found == raised.end()) raised.push_back(which);
  ++count;
  reader.bind_hidden(name, {number});
}

void Interpreter::Attempt::raise(Interpreter& reader, Attempt& target, const Raised& which) {
  for (Attempt* each = this; each != &target; each = each->outer)
    each->note(reader, {which.type, {}, 0});
  target.note(reader, which);
}

void Interpreter::Attempt::raise_if(Interpreter& reader, const Value& condition, Attempt& target,
                                    const Raised& which) {
  const Span span = reader.tree_.statements[reader.executing_].span;
  const Value holds = count == 0 ? condition : both_hold(condition, negated(reader.is_left()));
  ++count;
  reader.run_if(reader.condition_node(holds, span), span, reader.executing_,
                ast::after(reader.tree_, reader.executing_), [&] {
                  raise(reader, target, which);
                  return Flow::Next;
                });
}

namespace {

/// Functions of np.linalg that raise LinAlgError at run time, with NumPy's text.
struct LinalgError {
  enum class Where : std::uint8_t { Singular, NotDefinite, NotFinite };
  std::string_view functions;
  Where where;
  const char* text;
};
constexpr LinalgError kLinalgErrors[] = {
    {" np.linalg.solve np.linalg.inv ", LinalgError::Where::Singular, "Singular matrix"},
    {" np.linalg.cholesky ", LinalgError::Where::NotDefinite, "Matrix is not positive definite"},
    {" np.linalg.eig np.linalg.eigvals ", LinalgError::Where::NotFinite,
     "Array must not contain infs or NaNs"},
    {" np.linalg.svd np.linalg.svdvals np.linalg.pinv np.linalg.cond np.linalg.matrix_rank ",
     LinalgError::Where::NotFinite, "SVD did not converge"},
    {" np.linalg.lstsq ", LinalgError::Where::NotFinite,
     "SVD did not converge in Linear Least Squares"},
};

/// Whether the matrix is such a one.
Value is_where(LinalgError::Where where, const Value& matrix, Call& call) {
  const auto ask = [&](const char* name, std::vector<Value> arguments) {
    return call_function({name, std::move(arguments), {}, call.steps});
  };
  switch (where) {
    case LinalgError::Where::Singular:
      return binary_operator(ast::Operator::Equal,
                             elements_of(ask("np.linalg.slogdet", {matrix}))[0], {0.0});
    case LinalgError::Where::NotDefinite: {
      Call asked{"is_definite", {matrix}, {}, call.steps};
      return negated(
          call.reader().call_value(imported_from_library("_shared", "is_definite"), asked));
    }
    case LinalgError::Where::NotFinite:
      break;
  }
  return negated(ask("np.all", {ask("np.isfinite", {matrix})}));
}

}  // namespace

void Interpreter::Attempt::catch_linalg_error(Interpreter& reader, Call& call,
                                              const std::string& function, ast::ExprId id) {
  const auto* const error = std::ranges::find_if(
      kLinalgErrors, [&](const LinalgError& each) { return has_word(each.functions, function); });
  const auto* given = call.arguments.empty() ? nullptr : call.arguments[0].as<ObjectPtr>();
  if (error == std::end(kLinalgErrors) || given == nullptr || (*given)->shape().size() != 2) return;
  const Dims dims = (*given)->shape();
  if (dims[0] != dims[1] && error->where != LinalgError::Where::NotFinite) return;
  const Span span = reader.tree_[id].span;
  Raised which{reader.objects_.exception_class("LinAlgError"), {{std::string(error->text)}}, 0};
  Attempt* const target = taking(reader, which, span);
  if (target == nullptr) return;
  call.caller = &reader;
  const Value fails = is_where(error->where, call.arguments[0], call);
  const auto known = truth_of(fails);
  if (known == false) return;
  if (known == true && !is_open(reader, span))
    throw PythonError("LinAlgError", call.name, error->text, {{std::string(error->text)}});
  raise_if(reader, fails, *target, which);
  // What is computed then does not matter; it must not end the run.
  const Array one =
      to_array(call_function({"np.eye", {{dims[0]}, {dims[1]}}, {}, reader.result_.steps}), "eye");
  call.arguments[0] = new_array(where(to_array(fails, "a condition"), one, (*given)->read() * 1.0));
}

namespace {

/// How many items each axis of what is indexed has; nothing of what has other indices.
Dims extents_of(const Value& object) {
  if (const auto* array = object.as<ObjectPtr>()) return (*array)->shape();
  if (const auto* sequence = object.as<Sequence>(); sequence != nullptr && !sequence->is_set)
    return {std::ssize(sequence->items)};
  if (const auto* list = object.as<NumberList>(); list != nullptr && list->length.known())
    return {list->length.constant};
  return {};
}

/// Where a run-time index is out of bounds; nothing if it never is.
std::optional<Array> is_outside_of(const Array& index, Index extent) {
  const detail::Bounds bounds = detail::bounds(*index.node());
  const auto most = static_cast<double>(extent);
  if (index.node()->kind == Kind::Constant || (bounds.least >= -most && bounds.greatest < most))
    return std::nullopt;
  return logical_or(index < Array(-extent), index >= Array(extent));
}

}  // namespace

void Interpreter::Attempt::catch_index_error(Interpreter& reader, const Value& object,
                                             std::vector<Value>& index, Span span) {
  const Dims extents = extents_of(object);
  for (std::size_t k = 0; k < index.size() && k < extents.size(); ++k) {
    if (index[k].as<Slice>() != nullptr || index[k].is_integer()) continue;
    const auto* at = index[k].as<ObjectPtr>();  // after None, `...` and masks there are other axes
    if (at == nullptr || !is_integer((*at)->read().dtype()) || reader.unsure_ > 0) return;
    const Array places = (*at)->read();
    const auto outside = is_outside_of(places, extents[k]);
    if (!outside) continue;
    Raised which{reader.objects_.exception_class("IndexError"), {chosen_text()}, 0};
    Attempt* const target = taking(reader, which, span);
    if (target == nullptr || !target->names(reader, which)) return;
    const bool is_one = places.shape().empty();
    const Value fails = new_array(is_one ? *outside : reduce(Op::any, *outside).reshape({}));
    raise_if(reader, fails, *target, which);
    index[k] = new_array(where(*outside, Array(std::int64_t{0}), places));
  }
}

bool Interpreter::Attempt::names(Interpreter& reader, const Raised& which) const {
  const ast::Statement& handler = reader.tree_.statements[which.handler];
  if (handler.value == ast::kNoExpr) return false;
  const Value asked = reader.evaluate(handler.value);
  const auto is_named = [&](const Value& each) {
    const auto* type = each.as<ClassPtr>();
    return type != nullptr && which.type->is_a(**type) &&
           !has_word(" Exception BaseException ", (*type)->name);
  };
  const auto* several = asked.as<Sequence>();
  return several == nullptr ? is_named(asked)
                            : std::any_of(several->items.begin(), several->items.end(), is_named);
}

std::size_t Interpreter::raises() const {
  return attempt_ == nullptr ? 0 : attempt_->count;
}

Value Interpreter::is_left() {
  const Value number = *find(attempt_->name);
  return binary_operator(ast::Operator::NotEqual, number, {std::int64_t{0}});
}

Flow Interpreter::unless_left(const std::function<Flow()>& work) {
  const ast::Statement& statement = tree_.statements[executing_];
  const NodePtr left = condition_node(is_left(), statement.span);
  const NodePtr goes_on = logical_not(Array(left)).node();
  result_.steps.push_back(goes_on);
  run_if(goes_on, statement.span, executing_, ast::after(tree_, executing_), work);
  return Flow::Perhaps;
}

Flow Interpreter::unless_raised(std::size_t before, const std::function<Flow()>& work) {
  return raises() == before ? work() : unless_left(work);
}

void Interpreter::refuse_raises(std::size_t before, Span span) const {
  if (raises() == before) return;
  fail(span,
       "whether an exception is raised here is known only at run time; write the call that raises "
       "it as a statement of its own, y = f(x)");
}

bool Interpreter::note_raises(std::size_t before, const ast::Statement& statement) {
  using enum ast::StatementKind;
  constexpr ast::StatementKind kPlain[] = {Assign, AugAssign, Expression, Return, Assert, Raise,
                                           If,     For,       While,      With,   Try};
  if (std::ranges::find(kPlain, statement.kind) == std::end(kPlain))
    refuse_raises(before, statement.span);
  const Value left = is_left();
  const int level = scope().level;
  const std::string jump = jump_name(level);
  const auto found = scope().names.find(jump);
  bind_hidden(jump, found == scope().names.end() ? left : either_holds(found->second, left));
  const bool is_loop =
      level > (scopes_.size() > attempt_->scopes ? 0 : attempt_->level);  // in the block
  if (is_loop) bind_hidden(go_name(level), both_hold(*find(go_name(level)), negated(left)));
  return true;
}

bool Interpreter::leaves_attempt(const ast::Statement& statement) {
  if (attempt_ == nullptr) return false;
  if (!attempt_->is_open(*this, statement.span)) return false;
  Attempt::Raised raised;
  const ast::ExprId value = statement.value;
  if (value == ast::kNoExpr && caught_ == nullptr)
    fail(statement.span, "there is no exception to raise again");
  const bool is_call = value != ast::kNoExpr && tree_[value].kind == ast::ExprKind::Call;
  const Value made = value == ast::kNoExpr ? caught_->exception()
                                           : evaluate(is_call ? tree_.child(value, 0) : value);
  if (const auto* type = made.as<ClassPtr>()) raised.type = *type;
  if (const auto* object = made.as<InstancePtr>(); object != nullptr && !is_call)
    raised.type = (*object)->type;
  if (raised.type == nullptr)
    fail(statement.span, "what is raised under a run-time condition must be a class of exceptions");
  Attempt* const target = attempt_->taking(*this, raised, statement.span);
  attempt_->is_uncaught = target == nullptr;
  if (target == nullptr) return false;
  if (is_call)
    for (const ast::ExprId part : tree_.children(value).subspan(1)) {
      if (tree_[part].kind == ast::ExprKind::Keyword ||
          tree_[part].kind == ast::ExprKind::Starred ||
          tree_[part].kind == ast::ExprKind::DoubleStarred)
        fail(tree_[part].span,
             "the arguments of an exception that is raised under a run-time condition must be "
             "plain ones");
      raised.arguments.push_back(told_argument(part));
    }
  if (value == ast::kNoExpr)
    raised.arguments = elements_of(*objects_.attribute(made, "args"));
  else if (made.as<InstancePtr>() != nullptr)
    raised.arguments = {chosen_text()};
  attempt_->raise(*this, *target, raised);
  scope().returned.reset();
  return true;
}

/// What follows the block of a `try` that exceptions may have left at run time.
Flow Interpreter::run_attempt(const ast::Statement& statement, std::uint32_t index,
                              Attempt& attempt, std::uint32_t otherwise) {
  const auto equals = [&](std::size_t number) {
    const Value wanted{static_cast<std::int64_t>(number)};
    return condition_node(binary_operator(ast::Operator::Equal, *find(attempt.name), wanted),
                          statement.span);
  };
  const std::string jump = jump_name(scope().level);
  const bool jumps = jumps_in(index + 1, statement.end).any();
  if (!jumps) {
    bind_hidden(jump, {false});
  } else {
    const Array stays = logical_and(to_array(*find(jump), "a jump"), Array(equals(0)));
    bind_hidden(jump, python_number(stays));
  }
  bool leaves = jumps;
  // An exception that a handler raises has another number.
  std::vector<NodePtr> reached;
  for (std::size_t k = 0; k <= attempt.raised.size(); ++k) reached.push_back(equals(k));
  for (std::size_t k = 1; k <= attempt.raised.size(); ++k) {
    const Attempt::Raised& raised = attempt.raised[k - 1];
    if (raised.handler == 0) continue;
    const ast::Statement& handler = tree_.statements[raised.handler];
    leaves = leaves || jumps_in(raised.handler + 1, handler.end).any();
    run_if(reached[k], handler.span, raised.handler + 1, handler.end, [&] {
      std::optional<RaisedException> caught;
      const bool raises_again =
          std::any_of(tree_.statements.begin() + raised.handler,
                      tree_.statements.begin() + handler.end, [](const ast::Statement& each) {
                        return each.kind == ast::StatementKind::Raise && each.value == ast::kNoExpr;
                      });
      if (handler.target_count > 0 || raises_again) {
        const Call made{raised.type->name, raised.arguments, {}, result_.steps};
        caught.emplace(tree_.source, handler.span, "the program raises an exception",
                       objects_.instantiate(raised.type, made, ast::kNoExpr));
        for (const ast::ExprId target : tree_.targets(handler)) assign(target, caught->exception());
      }
      const Exchanged handled(caught_, caught ? &*caught : nullptr);
      return execute_block(raised.handler + 1, handler.end);
    });
  }
  if (otherwise == 0) return leaves ? Flow::Perhaps : Flow::Next;
  const std::uint32_t end = tree_.statements[otherwise].end;
  Array goes_on = Array(reached[0]);
  if (jumps) goes_on = logical_and(goes_on, logical_not(to_array(*find(jump), "a jump")));
  result_.steps.push_back(goes_on.node());
  run_if(goes_on.node(), tree_.statements[otherwise].span, otherwise + 1, end);
  return leaves || jumps_in(otherwise + 1, end).any() ? Flow::Perhaps : Flow::Next;
}

}  // namespace rewriter
