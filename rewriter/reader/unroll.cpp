// The reader: loops whose body is read once per iteration, its variable known.
#include <algorithm>
#include <exception>

#include "rewriter/reader/loop_run.hpp"

namespace rewriter {

namespace {

constexpr std::uint64_t kMostNodes = 500'000;  // operations, as docs/notation.md says
constexpr std::uint64_t kMostStatements = 2'000'000;

/// What an error says, without its place.
std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ProgramError& refused) {
    return refused.message();
  } catch (const cudamat::CUDAMatException& refused) {
    return std::string(refused.message());
  }
}

/// Its first part: the advice that follows is for those who write it as one loop.
std::string reason_of(const std::exception_ptr& why) {
  const std::string message = message_of(why);
  return message.substr(0, std::min(message.find(';'), message.find(". ")));
}

}  // namespace

std::string Interpreter::unused_name(const std::string& wanted) {
  std::string name = wanted;
  const auto taken = [&] {
    return std::find(tree_.strings.begin(), tree_.strings.end(), name) != tree_.strings.end();
  };
  for (int i = 2; taken(); ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

Interpreter::Work Interpreter::work_done() const {
  return {Array(0).node()->id, executed_};
}

void Interpreter::check_length(const ast::Statement& statement, const Work& begin, Index iterations,
                               const std::exception_ptr& why) {
  const Work now = work_done();
  const bool many_nodes = now.nodes - begin.nodes > kMostNodes;
  if (!many_nodes && now.statements - begin.statements <= kMostStatements) return;
  too_long_ = true;
  fail(statement.span,
       fmt::format("this loop is written out iteration by iteration{}{}, and that is too long: "
                   "more than {} {} after {} iterations. Let it run fewer times, or make its body "
                   "the same in every iteration",
                   why ? ", since " : "", why ? reason_of(why) : "",
                   many_nodes ? kMostNodes : kMostStatements,
                   many_nodes ? "operations" : "statements", iterations));
}

void Interpreter::note_unrolled(const ast::Statement& statement, Index iterations,
                                const std::exception_ptr& why) {
  auto [found, is_new] = result_.unrolled.try_emplace(statement.line);
  Program::Unrolled& unrolled = found->second;
  ++unrolled.loops;
  unrolled.iterations += iterations;
  if (is_new && why) unrolled.why = reason_of(why);
}

Interpreter::Flow Interpreter::unroll(const ast::Statement& statement, std::uint32_t index,
                                      const Value& iterated, Index first,
                                      const std::exception_ptr& why) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const Index count = *iteration_length(iterated);
  const Work begin = work_done();
  Flow flow = Flow::Next;
  Index i = first;
  while (i < count && flow != Flow::Break && flow != Flow::Return) {
    statement_place_ = place(statement.span);
    {
      const At at(statement_place_);
      located(statement.span, [&] { assign(target, iteration_element(iterated, {i, {}})); });
    }
    flow = execute_block(index + 1, statement.end);
    ++i;
    if (iteration_length(iterated) != count)
      fail(statement.span, "the list changes while a loop runs over it; let it run over a copy");
    check_length(statement, begin, i, why);
  }
  note_unrolled(statement, i - first, why);
  if (flow == Flow::Return) return flow;
  return flow == Flow::Break ? Flow::Next : run_else(statement);
}

Interpreter::Flow Interpreter::run_while(const ast::Statement& statement, std::uint32_t index) {
  const Work begin = work_done();
  for (Index i = 0;; ++i) {
    std::optional<bool> truth;
    const At at(place(statement.span));
    located(statement.span, [&] { truth = truth_of(evaluate(statement.value)); });
    if (!truth)
      fail(tree_[statement.value].span,
           "what a while asks for must be known when the program is read, and the same in every "
           "iteration of the loops around it; this differs or is known only when it runs");
    if (!*truth) {
      note_unrolled(statement, i, nullptr);
      return run_else(statement);
    }
    const Flow flow = execute_block(index + 1, statement.end);
    check_length(statement, begin, i + 1, nullptr);
    if (flow != Flow::Break && flow != Flow::Return) continue;
    note_unrolled(statement, i + 1, nullptr);
    return flow == Flow::Return ? flow : Flow::Next;
  }
}

}  // namespace rewriter
