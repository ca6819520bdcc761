// The reader: assert, raise, try and with. Under a run-time condition the list raises the
// exception.
#include "rewriter/text/exceptions.hpp"

#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/attempt.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

std::string Interpreter::description(ast::ExprId exception) {
  if (exception == ast::kNoExpr) return "an exception";
  const auto text = tree_.source.text().substr(
      tree_[exception].span.begin, tree_[exception].span.end - tree_[exception].span.begin);
  return std::string(text);
}

Value Interpreter::message(ast::ExprId text) {
  if (text == ast::kNoExpr) return {std::string()};
  try {
    const Value value = evaluate(text);
    (void)raise_node("Exception", value);  // whether it can be told
    return value;
  } catch (const cudamat::CUDAMatException&) {  // it is of no interest here
    return {description(text)};
  }
}

/// An argument of an exception: only what is known of it is kept.
Value Interpreter::told_argument(ast::ExprId part) {
  Value argument;
  try {
    argument = evaluate(part);
  } catch (const cudamat::CUDAMatException&) {  // its text is of no interest here
  }
  const bool is_known = argument.is_number() || argument.as<std::string>() != nullptr;
  return is_known ? argument : chosen_text();
}

/// Whether a `try` takes the error of an assertion that depends on the run.
bool Interpreter::attempts_assertion(const ast::Statement& statement, const Value& condition) {
  if (truth_of(condition) && !attempt_->is_open(*this, statement.span)) return false;
  Attempt::Raised raised{objects_.exception_class("AssertionError"), {}, 0};
  Attempt* const target = attempt_->taking(*this, raised, statement.span);
  if (target == nullptr) return false;
  if (statement.annotation != ast::kNoExpr)
    raised.arguments.push_back(told_argument(statement.annotation));
  attempt_->raise_if(*this, negated(truth_value(condition, statement.span)), *target, raised);
  return true;
}

/// Of what is known, it must hold.
Flow Interpreter::check_assertion(const ast::Statement& statement, std::uint32_t index) {
  const Value condition = evaluate(statement.value);
  if (const auto* object = condition.as<ObjectPtr>();
      object != nullptr && (*object)->read().size() > 1)
    misuse(Exception::ValueError, "program",
           "the truth value of an array of shape {} is ambiguous; use np.any(...) or np.all(...)",
           to_string((*object)->shape()));
  std::optional<bool> truth;
  try {
    truth = truth_of(condition);
  } catch (const cudamat::CUDAMatException&) {
  }
  if (truth == true) return Flow::Next;
  if (attempt_ != nullptr && attempts_assertion(statement, condition)) return Flow::Next;
  if (truth == false && tried_ > 0 && !is_library_) {
    std::vector<Value> arguments;
    if (statement.annotation != ast::kNoExpr) arguments.push_back(evaluate(statement.annotation));
    throw RaisedException(tree_.source, statement.span, "the assertion does not hold",
                          objects_.exception("AssertionError", std::move(arguments)));
  }
  if (!options_.raises) {
    if (truth == false) misuse("program", "the assertion does not hold");
    result_.left_out.emplace(statement.line,
                             "the assertion depends on a run-time value, and is not checked");
    return Flow::Next;
  }
  if (truth) return raise("AssertionError", statement.annotation);
  const Span span = tree_[statement.value].span;
  const NodePtr holds = condition_node(condition, span);
  const NodePtr fails = logical_not(Array(holds)).node();
  result_.steps.push_back(fails);
  run_if(fails, span, index, index + 1,
         [&] { return raise("AssertionError", statement.annotation); });
  return Flow::Next;
}

void Interpreter::throw_raised(Span span, const std::string& message, const std::string& type,
                               std::vector<Value> arguments) {
  if (arguments.empty()) arguments.push_back(chosen_text());
  RaisedException raised(tree_.source, span, message,
                         objects_.exception(type, std::move(arguments)));
  raised.set_of_python(!is_perhaps());
  throw raised;
}

/// What `raise ... from` gives the exception, if the program reads it.
static std::optional<ast::ExprId> cause_in(const ast::Program& tree,
                                           const ast::Statement& statement) {
  const auto is_read = [](const std::string& name) {
    return name == "__cause__" || name == "__suppress_context__";
  };
  if (statement.annotation == ast::kNoExpr || std::ranges::none_of(tree.strings, is_read))
    return std::nullopt;
  return statement.annotation;
}

/// The exception itself, where a `try` around may catch it.
void Interpreter::throw_raised(const ast::Statement& statement) {
  if (statement.value == ast::kNoExpr) {
    if (caught_ == nullptr) misuse("program", "there is no exception to raise again");
    throw RaisedException(*caught_);
  }
  Value exception = evaluate(statement.value);
  if (const auto* type = exception.as<ClassPtr>()) {
    Call made{"", {}, {}, result_.steps};
    exception = objects_.instantiate(*type, made, ast::kNoExpr);
  }
  if (const auto cause = cause_in(tree_, statement)) {
    objects_.set(exception, "__cause__", evaluate(*cause));
    objects_.set(exception, "__suppress_context__", {true});
  }
  throw RaisedException(tree_.source, statement.span,
                        "the program raises an exception: " + description(statement.value),
                        exception);
}

/// What raises an exception for all values does so if the run comes here.
Flow Interpreter::execute_or_raise(const ast::Statement& statement) {
  Flow flow = Flow::Next;
  try {
    located(statement.span, [&] { flow = execute_simple(statement); });
  } catch (const RaisedException& raised) {
    if (!is_perhaps() || is_library_ || unsure_ > 0) throw;
    flow = raise_at_run(raised, statement.span);
  }
  return flow;
}

Flow Interpreter::raise_at_run(const RaisedException& raised, Span span) {
  if (attempt_ != nullptr && !options_.ends_at_exceptions) {
    if (!attempt_->is_open(*this, span)) throw RaisedException(raised);
    Attempt::Raised which{raised.type(),
                          elements_of(*objects_.attribute(raised.exception(), "args")), 0};
    if (Attempt* const target = attempt_->taking(*this, which, span)) {
      attempt_->raise(*this, *target, which);
      scope().returned.reset();
      return Flow::Return;
    }
  } else if (tried_ > 0 && !options_.ends_at_exceptions) {
    throw ProgramError(tree_.source, span, raised.message());
  }
  if (!options_.raises) throw RaisedException(raised);
  const Value told = objects_.text(raised.exception());
  return raise_told(raised.type()->name,
                    told.as<std::string>() != nullptr ? told : Value{raised.message()});
}

bool Interpreter::handles(const ast::Statement& handler, const ClassPtr& raised) {
  if (handler.value == ast::kNoExpr) return true;
  const Value asked = evaluate(handler.value);
  std::vector<Value> types{asked};
  if (const auto* several = asked.as<Sequence>())
    types.assign(several->items.begin(), several->items.end());
  return std::any_of(types.begin(), types.end(), [&](const Value& each) {
    const auto* type = each.as<ClassPtr>();
    return type != nullptr && raised != nullptr && raised->is_a(**type);
  });
}

Flow Interpreter::run_try(const ast::Statement& statement, std::uint32_t index) {
  Flow flow = Flow::Next;
  std::uint32_t otherwise = 0, last = 0;
  std::vector<std::uint32_t> handlers;
  for (std::uint32_t i = statement.end; i < statement.else_end; i = ast::after(tree_, i)) {
    const ast::StatementKind kind = tree_.statements[i].kind;
    if (kind == ast::StatementKind::Else) otherwise = i;
    if (kind == ast::StatementKind::Finally) last = i;
    if (kind == ast::StatementKind::Handler) handlers.push_back(i);
  }
  const auto run = [&](std::uint32_t part) {
    return part == 0 ? Flow::Next : execute_block(part + 1, tree_.statements[part].end);
  };
  try {
    std::optional<RaisedException> raised;
    Value left_before{false};
    Attempt attempt{handlers, scopes_.size(), scope().loops.size(), scope().level, {}, {}};
    if (!handlers.empty() && !is_library_) {
      attempt.outer = attempt_;
      attempt.has_last = last != 0;
      attempt.holder = objects_.new_iterator("try", {});
      attempt.name = attribute_name(**attempt.holder.as<InstancePtr>(), "state");
      const std::string jump = jump_name(scope().level);
      left_before = scope().names.try_emplace(jump, Value{false}).first->second;
      if (truth_of(left_before) != false) note_read(jump);
    }
    try {
      const bool takes =
          !handlers.empty() || jumps_in(last + 1, last == 0 ? 1 : tree_.statements[last].end).any();
      const Exchanged tried(tried_, tried_ + (takes ? 1 : 0));
      const bool notes = !handlers.empty() && !is_library_ && !options_.ends_at_exceptions;
      const Exchanged inner(attempt_, notes ? &attempt : attempt_);
      flow = execute_block(index + 1, statement.end);
    } catch (const RaisedException& error) {
      raised = error;
    }
    if (!attempt.raised.empty()) {
      if (raised)
        fail(statement.span,
             "an exception that is known when the program is read, after one under a run-time "
             "condition, is not supported in a `try`");
      flow = run_attempt(statement, index, attempt, otherwise);
      if (truth_of(left_before) != false) {  // it is in a `finally`
        const std::string jump = jump_name(scope().level);
        bind_hidden(jump, python_number(logical_or(to_array(left_before, "a jump"),
                                                   to_array(*find(jump), "a jump"))));
      }
    } else if (raised) {
      const auto handler = std::find_if(handlers.begin(), handlers.end(), [&](std::uint32_t each) {
        return handles(tree_.statements[each], raised->type());
      });
      if (handler == handlers.end()) throw RaisedException(*raised);
      const ast::Statement& each = tree_.statements[*handler];
      for (const ast::ExprId target : tree_.targets(each)) assign(target, raised->exception());
      const Exchanged caught(caught_, &*raised);
      flow = execute_block(*handler + 1, each.end);
    } else {
      for (const std::uint32_t each : handlers)
        result_.left_out.emplace(tree_.statements[each].line,
                                 "nothing is raised while the `try` is read; what its statements "
                                 "raise at run time ends the run");
      if (flow == Flow::Next)
        flow = run(otherwise);
      else if (flow == Flow::Perhaps && otherwise != 0)
        flow = run_rest(otherwise + 1, tree_.statements[otherwise].end);
    }
  } catch (const RaisedException&) {
    const Flow left = run(last);
    if (left == Flow::Return || left == Flow::Break || left == Flow::Continue) return left;
    if (left == Flow::Perhaps)
      fail(statement.span,
           "a `finally` that may leave its `try` under a run-time condition is not "
           "supported after an exception");
    throw;
  }
  const Flow left = run(last);
  return left == Flow::Next ? flow : left;
}

Flow Interpreter::raise(const ast::Statement& statement) {
  const ast::ExprId exception = statement.value;
  if (tried_ > 0 && options_.ends_at_exceptions && is_perhaps()) {
    const Exchanged outside(tried_, 0);
    return raise(statement);
  }
  if (tried_ > 0 && !is_library_) {
    if (leaves_attempt(statement)) {
      if (cause_in(tree_, statement))
        fail(statement.span,
             "the __cause__ of an exception under a run-time condition is not supported");
      return Flow::Return;
    }
    if (attempt_ != nullptr && std::exchange(attempt_->is_uncaught, false)) {
      const Exchanged outside(tried_, 0);
      return raise(statement);
    }
    if (is_perhaps() && attempt_ == nullptr)
      misuse("program",
             "whether this exception is raised is known only at run time, so the `try` around it "
             "cannot catch it; test the condition before the `try`");
    throw_raised(statement);
  }
  if (exception != ast::kNoExpr && !in_loop() && !is_perhaps() &&
      description(exception).starts_with("SystemExit")) {
    const ast::Expr& made = tree_[exception];
    if (made.kind == ast::ExprKind::Call) (void)evaluate(exception);
    throw Ended{};
  }
  if (is_library_ && !is_perhaps()) {
    const Value told = message(tree_.child(exception, 1));
    const auto* text = told.as<std::string>();  // unless it has a number of the run
    const std::string shown = text != nullptr ? *text : description(tree_.child(exception, 1));
    const std::string named = description(tree_.child(exception, 0));
    const std::string type = named.substr(named.rfind('.') + 1);
    if (type != "NotImplementedError" && objects_.exception_class(type) != nullptr)
      throw PythonError(type, "program", shown);
    misuse("program", "{}", shown);
  }
  if (!options_.raises && !is_library_) {
    if (!is_perhaps())
      misuse("program", "the program raises an exception: {}", description(exception));
    result_.left_out.emplace(statement.line,
                             "whether it is raised is known only at run time, and is not checked");
    return Flow::Next;
  }
  if (exception == ast::kNoExpr) {
    const ClassPtr type = caught_ == nullptr ? nullptr : caught_->type();
    if (type == nullptr) misuse("program", "there is no exception to raise again");
    return raise_told(type->name, objects_.text(caught_->exception()));
  }
  if (tree_[exception].kind != ast::ExprKind::Call)
    return raise(description(exception), ast::kNoExpr);
  const auto parts = tree_.children(exception);
  if (parts.size() > 2) {  // the text is that of a tuple, of which the arguments can be had
    std::vector<Value> told;
    for (const ast::ExprId part : parts.subspan(1)) told.push_back(message(part));
    const Value tuple = new_sequence(false, std::move(told));
    return raise_told(description(parts[0]), call_function({"str", {tuple}, {}, result_.steps}));
  }
  return raise(description(parts[0]), parts.size() > 1 ? parts[1] : ast::kNoExpr);
}

Flow Interpreter::raise(const std::string& type, ast::ExprId text) {
  if (tried_ > 0 && !options_.ends_at_exceptions)
    misuse("program",
           "an exception in a `try` that has an `except` is not supported; test the condition "
           "before the `try`");
  return raise_told(type, message(text));
}

Flow Interpreter::raise_told(const std::string& type, const Value& told) {
  const bool is_first = std::none_of(result_.steps.begin(), result_.steps.end(),
                                     [](const NodePtr& step) { return is_raise(*step); });
  if (const auto* known = told.as<std::string>(); known != nullptr && is_first && !is_perhaps())
    throw ProgramRaises(type, *known, statement_place_.line);
  result_.steps.push_back(raise_node(type, told));
  if (is_perhaps()) return Flow::Next;
  scope().returned = Value{};  // the function ends here
  scope().returned_expr = ast::kNoExpr;
  return Flow::Return;
}

void Interpreter::check_power(const Value& base, const Value& exponent) {
  const auto* power = exponent.as<ObjectPtr>();
  const auto* array = base.as<ObjectPtr>();
  const auto selected = selection_of(exponent), base_selected = selection_of(base);
  if ((power == nullptr && !selected) || base.is_real() || !(base.is_data() || base_selected))
    return;
  const auto is_python = [](const Value& value, const ObjectPtr* object) {
    return object != nullptr ? (*object)->is_python() : !value.is_numpy;
  };
  if (!selected && !base_selected && is_python(exponent, power) && is_python(base, array)) return;
  const Array given = selected ? selected->with(Array(std::int64_t{0})) : (*power)->read();
  const auto is_of_ints = [](const Array& each) {
    return each.dtype() != DType::Float && each.size() > 0;
  };
  if (!is_of_ints(given) || (array != nullptr && !is_of_ints((*array)->read())) ||
      (base_selected && !is_of_ints(base_selected->whole)) ||
      detail::bounds(*given.node()).least >= 0)
    return;
  const std::string text = "Integers to negative integer powers are not allowed.";
  if (given.node()->kind == Kind::Number || given.node()->kind == Kind::Fill)
    return;  // the operator says it
  if (!options_.raises)
    misuse("power",
           "NumPy raises an error for negative integer powers of integers, and this power may be "
           "negative at run time; write the power as a float, or np.maximum(power, 0)");
  if (tried_ > 0 && !options_.ends_at_exceptions)
    misuse("program",
           "a power of integers whose exponent may be negative is not supported in a `try` that "
           "has an `except`; write the power as a float");
  NodePtr fails = (given < Array(0)).node();
  if (given.size() > 1) fails = reduce(Op::any, Array(fails)).node();
  if (!Array(fails).shape().empty()) fails = Array(fails).reshape({}).node();
  result_.steps.push_back(fails);
  run_if(fails, tree_.statements[executing_].span, executing_, executing_ + 1, [&] {
    result_.steps.push_back(raise_node("ValueError", {text}));
    return Flow::Next;
  });
}

bool Interpreter::is_perhaps() const {
  const auto may_be_skipped = [](const LoopFrame* frame) {
    return frame->loop->form == LoopForm::If || frame->loop->form == LoopForm::While;
  };
  return unsure_ > 0 || std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
           return std::any_of(scope.loops.begin(), scope.loops.end(), may_be_skipped);
         });
}

/// Whether what `with` enters may deal with an exception: it has a method __exit__ that returns
/// something else than None and False, or is a generator with an `except`.
bool Interpreter::manager_takes_exceptions(const Value& manager) {
  const auto* object = manager.as<InstancePtr>();
  if (object == nullptr) return false;
  const auto is_return = [&](const ast::Statement& each) {
    return each.kind == ast::StatementKind::Return && each.value != ast::kNoExpr &&
           tree_[each.value].kind != ast::ExprKind::None &&
           tree_[each.value].kind != ast::ExprKind::False;
  };
  const auto is_handler = [](const ast::Statement& each) {
    return each.kind == ast::StatementKind::Handler;
  };
  const auto any = [&](const UserFunction* function, const auto& is_one) {
    if (function == nullptr || function->lambda != ast::kNoExpr) return false;
    const auto def = tree_.statements.begin() + function->statement;
    return std::any_of(def, tree_.statements.begin() + def->end, is_one);
  };
  if (const UserFunction* generator = objects_.generates(manager))
    return any(generator, is_handler);
  const Value* exit = (*object)->type->member("__exit__");
  return any(exit == nullptr ? nullptr : exit->as<UserFunction>(), is_return);
}

/// What a `with` that is known enters leaves the values of the program alone.
Flow Interpreter::run_with(const ast::Statement& statement, std::uint32_t index) {
  const ast::Expr& expr = tree_[statement.value];
  const ast::Expr& callee =
      expr.kind == ast::ExprKind::Call ? tree_[tree_.child(statement.value, 0)] : expr;
  const bool is_plain = callee.kind == ast::ExprKind::Attribute &&
                        has_word(" errstate printoptions catch_warnings ", tree_.string(callee));
  Value manager;
  located(statement.span, [&] {
    if (!is_plain) manager = evaluate(statement.value);
    const bool is_known =
        is_plain || manager.as<InstancePtr>() != nullptr || manager.as<Ignored>() != nullptr;
    if (!is_known) misuse("program", "`with` of {} is not supported", manager.description());
    const Value value = objects_.entered(manager);
    for (const ast::ExprId target : tree_.targets(statement)) assign(target, value);
  });
  Flow flow = Flow::Next;
  const std::size_t before = raises();
  try {
    const Exchanged tried(tried_, tried_ + (manager_takes_exceptions(manager) ? 1 : 0));
    flow = execute_block(index + 1, statement.end);
    if (manager.as<InstancePtr>() != nullptr) refuse_raises(before, statement.span);
  } catch (const RaisedException& raised) {
    bool is_taken = false;
    located(statement.span, [&] { is_taken = objects_.takes(manager, raised); });
    if (!is_taken) throw;
    return Flow::Next;
  }
  located(statement.span, [&] { objects_.exited(manager); });
  return flow;
}

}  // namespace rewriter
