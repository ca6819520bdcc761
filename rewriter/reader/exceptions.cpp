// The reader: assert and raise. Under a run-time condition the list raises
// them.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/attempt.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/exchanged.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/selection.hpp"

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

/// Of what is known, it must hold.
Interpreter::Flow Interpreter::check_assertion(const ast::Statement& statement,
                                               std::uint32_t index) {
  const Value condition = evaluate(statement.value);
  if (const auto* object = condition.as<ObjectPtr>();
      object != nullptr && (*object)->read().size() > 1)
    misuse("program",
           "the truth value of an array of shape {} is ambiguous; use np.any(...) or np.all(...)",
           to_string((*object)->shape()));
  std::optional<bool> truth;
  try {
    truth = truth_of(condition);
  } catch (const cudamat::CUDAMatException&) {
  }
  if (truth == true) return Flow::Next;
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

/// NumPy's errors, by the texts that they have here, too.
constexpr std::pair<std::string_view, std::string_view> kOfNumpy[] = {
    {"operands could not be broadcast", "ValueError"},
    {"could not broadcast input array", "ValueError"},
    {"cannot reshape array", "ValueError"},
    {"can only specify one unknown dimension", "ValueError"},
    {"axes don't match array", "ValueError"},
    {"need at least one array", "ValueError"},
    {"all the input array dimensions", "ValueError"},
    {"negative dimensions are not allowed", "ValueError"},
    {"attempt to get ", "ValueError"},
    {"zero-size array to reduction operation", "ValueError"},
    {"too many indices", "IndexError"},
    {"last 2 dimensions of the array must be square", "LinAlgError"},
};

std::string_view Interpreter::numpys_type(const cudamat::CUDAMatException& error) {
  const std::string_view text = error.message();
  const bool are_shapes = text.starts_with("shapes (") && text.find("not aligned") != text.npos;
  const bool is_place =
      text.starts_with("index ") && text.find("is out of bounds for axis") != text.npos;
  std::string_view type = are_shapes ? "ValueError" : is_place ? "IndexError" : "";
  for (const auto& [begin, name] : kOfNumpy)
    if (text.starts_with(begin)) type = name;
  return type;
}

void Interpreter::throw_as_numpy(const cudamat::CUDAMatException& error, Span span) {
  if (tried_ == 0 || is_library_) return;
  const std::string_view type = numpys_type(error);
  if (type.empty()) return;
  throw RaisedException(tree_.source, span, plain(error),
                        objects_.exception(std::string(type), {chosen_text()}));
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
  throw RaisedException(tree_.source, statement.span,
                        "the program raises an exception: " + description(statement.value),
                        exception);
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

// ---- exceptions under run-time conditions

bool Interpreter::Attempt::is_open(const Interpreter& reader, Span span) const {
  bool is_open = reader.unsure_ > 0 || count > 0, is_loop = reader.unsure_ > 0;
  for (std::size_t i = scopes - 1; i < reader.scopes_.size(); ++i) {
    const auto& frames = reader.scopes_[i].loops;
    for (std::size_t k = i + 1 == scopes ? loops : 0; k < frames.size(); ++k) {
      is_open = is_open || frames[k]->loop->form != LoopForm::For;
      is_loop = is_loop || frames[k]->loop->form != LoopForm::If;
    }
  }
  if (is_open && is_loop)
    reader.fail(span,
                "an exception under a run-time condition in a loop of a `try` is not supported; "
                "test the condition before the `try`");
  return is_open;
}

std::uint32_t Interpreter::Attempt::handler_of(Interpreter& reader, const ClassPtr& type) const {
  const auto found = std::find_if(handlers.begin(), handlers.end(), [&](std::uint32_t each) {
    return reader.handles(reader.tree_.statements[each], type);
  });
  return found == handlers.end() ? 0 : *found;
}

void Interpreter::Attempt::raise(Interpreter& reader, const Raised& which) {
  const auto found = std::find(raised.begin(), raised.end(), which);
  const std::int64_t number = found - raised.begin() + 1;
  if (found == raised.end()) raised.push_back(which);
  ++count;
  reader.bind_hidden(name, {number});
}

void Interpreter::Attempt::catch_singular(Interpreter& reader, Call& call, ast::ExprId id) {
  const auto* given = call.arguments.empty() ? nullptr : call.arguments[0].as<ObjectPtr>();
  if (given == nullptr || (*given)->shape().size() != 2 ||
      (*given)->shape()[0] != (*given)->shape()[1])
    return;
  const ClassPtr type = reader.objects_.exception_class("LinAlgError");
  const std::uint32_t handler = handler_of(reader, type);
  if (handler == 0) return;
  const Value sign = elements_of(
      call_function({"np.linalg.slogdet", {call.arguments[0]}, {}, reader.result_.steps}))[0];
  const Value singular = reader.binary(ast::Operator::Equal, sign, {0.0});
  const auto known = truth_of(singular);
  if (known == false) return;
  if (known == true) throw PythonError("LinAlgError", call.name, "Singular matrix");
  const Span span = reader.tree_[id].span;
  const ast::Statement& statement = reader.tree_.statements[reader.executing_];
  const auto calls_more = [&] {
    for (ast::ExprId part = reader.tree_[statement.value].first; part <= statement.value; ++part)
      if (reader.tree_[part].kind == ast::ExprKind::Call && part != id) return true;
    return false;
  };
  if ((statement.kind != ast::StatementKind::Assign &&
       statement.kind != ast::StatementKind::Return) ||
      calls_more())
    reader.fail(span,
                "whether this matrix is singular is known only at run time; in a `try`, write the "
                "call as the only one of a statement, x = np.linalg.solve(A, b)");
  ++count;
  (void)is_open(reader, span);
  const NodePtr node = reader.condition_node(singular, span);
  reader.run_if(node, span, reader.executing_, reader.executing_ + 1, [&] {
    raise(reader, {type, {{std::string("Singular matrix")}}, handler});
    return Flow::Next;
  });
  // What is solved then does not matter; it must not end the run.
  const Index n = (*given)->shape()[0];
  const Array one = to_array(call_function({"np.eye", {{n}}, {}, reader.result_.steps}), "eye");
  call.arguments[0] = new_array(where(Array(node), one, (*given)->read() * 1.0));
  reader.raising_call_ = statement.value;
}

std::size_t Interpreter::raises() const {
  return attempt_ == nullptr ? 0 : attempt_->count;
}

Value Interpreter::is_left() {
  const Value number = *find(attempt_->name);
  return binary_operator(ast::Operator::NotEqual, number, {std::int64_t{0}});
}

Interpreter::Flow Interpreter::unless_left(const ast::Statement& statement,
                                           const std::function<Flow()>& work) {
  if (scopes_.size() > attempt_->scopes && statement.kind == ast::StatementKind::Return)
    return work();  // what it returns is not used
  const NodePtr left = condition_node(is_left(), statement.span);
  const NodePtr goes_on = logical_not(Array(left)).node();
  result_.steps.push_back(goes_on);
  run_if(goes_on, statement.span, executing_, executing_ + 1, work);
  return statement.kind == ast::StatementKind::Return ? Flow::Perhaps : Flow::Next;
}

void Interpreter::refuse_raises(std::size_t before, Span span) const {
  if (raises() == before) return;
  fail(span,
       "whether an exception is raised in this call is known only at run time; write the call as a "
       "statement of its own, y = f(x), outside of loops in the `try`");
}

bool Interpreter::note_raises(std::size_t before, const ast::Statement& statement) {
  using enum ast::StatementKind;
  const bool is_plain =
      statement.kind == If || statement.kind == Try || statement.kind == Raise ||
      ((statement.kind == Assign || statement.kind == Expression || statement.kind == Return) &&
       raising_call_ == statement.value);
  if (!is_plain) refuse_raises(before, statement.span);
  const std::string jump = jump_name(scope().level);
  const auto found = scope().names.find(jump);
  Value left = is_left();
  if (!truth_of(left) && found != scope().names.end() && truth_of(found->second) != false)
    left = python_number(
        logical_or(to_array(found->second, "a jump"), to_array(left, "an exception")));
  bind_hidden(jump, left);
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
  Attempt* target = attempt_;
  bool has_last = false;
  for (; target != nullptr; target = target->outer) {
    raised.handler = target->handler_of(*this, raised.type);
    if (raised.handler != 0) break;
    has_last = has_last || target->has_last;
  }
  if (target == nullptr && has_last)
    fail(statement.span,
         "whether this exception is raised is known only at run time; no `try` around it has an "
         "`except` for it, but one has a `finally`");
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
      Value argument;
      try {
        argument = evaluate(part);
      } catch (const cudamat::CUDAMatException&) {  // its text is of no interest here
      }
      const bool is_known = argument.is_number() || argument.as<std::string>() != nullptr;
      raised.arguments.push_back(is_known ? argument : chosen_text());
    }
  if (value == ast::kNoExpr)
    raised.arguments = elements_of(*objects_.attribute(made, "args"));
  else if (made.as<InstancePtr>() != nullptr)
    raised.arguments = {chosen_text()};
  for (Attempt* each = attempt_; each != target; each = each->outer)
    each->raise(*this, {raised.type, {}, 0});
  target->raise(*this, raised);
  scope().returned.reset();
  return true;
}

/// What follows the block of a `try` that exceptions may have left at run time.
Interpreter::Flow Interpreter::run_attempt(const ast::Statement& statement, std::uint32_t index,
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

Interpreter::Flow Interpreter::run_try(const ast::Statement& statement, std::uint32_t index) {
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
    Attempt attempt{handlers, scopes_.size(), scope().loops.size(), {}, {}};
    if (!handlers.empty() && !is_library_) {
      attempt.outer = attempt_;
      attempt.has_last = last != 0;
      attempt.holder = objects_.new_iterator("try", {});
      attempt.name = attribute_name(**attempt.holder.as<InstancePtr>(), "state");
      left_before = scope().names.try_emplace(jump_name(scope().level), Value{false}).first->second;
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

Interpreter::Flow Interpreter::raise(const ast::Statement& statement) {
  const ast::ExprId exception = statement.value;
  if (tried_ > 0 && options_.ends_at_exceptions && is_perhaps()) {
    const Exchanged outside(tried_, 0);
    return raise(statement);
  }
  if (tried_ > 0 && !is_library_) {
    if (leaves_attempt(statement)) return Flow::Return;
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
    misuse("program", "{}", text != nullptr ? *text : description(tree_.child(exception, 1)));
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

Interpreter::Flow Interpreter::raise(const std::string& type, ast::ExprId text) {
  if (tried_ > 0 && !options_.ends_at_exceptions)
    misuse("program",
           "an exception in a `try` that has an `except` is not supported; test the condition "
           "before the `try`");
  return raise_told(type, message(text));
}

Interpreter::Flow Interpreter::raise_told(const std::string& type, const Value& told) {
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

}  // namespace rewriter
