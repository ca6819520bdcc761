// The reader: loops. One run of a body is in loop_run.hpp; here it is repeated until the plan
// holds.
#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/selections/run_lengths.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

bool Interpreter::in_loop() const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [](const Scope& scope) { return !scope.loops.empty(); });
}

void Interpreter::planned(std::uint32_t begin, std::uint32_t end, LoopPlan& plan) {
  std::unordered_set<const ArrayObject*> roots;
  const auto write = [&](const std::string& name) {
    const auto found = scope().names.find(name);
    const auto* object = found == scope().names.end() ? nullptr : found->second.as<ObjectPtr>();
    if (object == nullptr) return false;
    const bool scalar = (*object)->is_scalar();
    const ObjectPtr root = ArrayObject::root_of(*object);
    if (!scalar && roots.insert(root.get()).second) plan.written.push_back(root);
    return !scalar;
  };
  for (std::uint32_t i = begin; i < end; ++i) {
    const ast::Statement& statement = tree_.statements[i];
    for (const auto& [name, binds] : ast::target_names(tree_, statement)) {
      const bool may_write = !binds || statement.kind == ast::StatementKind::AugAssign;
      if (!(may_write && write(name)) && binds) plan.add_rebound(name);
    }
  }
}

LoopPlan Interpreter::planned(const LoopBlock& block) {
  LoopPlan plan;
  if (block.loop.repeats_condition()) {  // it is the first that is carried
    const Value& condition = scope().names.at(block.condition_name);
    plan.add_rebound(block.condition_name);
    plan.types.emplace(block.condition_name, type_of(condition));
  }
  if (block.choice == ast::kNoExpr) planned(block.begin, block.end, plan);
  if (block.loop.form == LoopForm::If)
    for (const std::string& name : hidden_names_of(block)) {
      const auto found = scope().names.find(name);
      if (found == scope().names.end()) continue;
      plan.add_rebound(name);
      if (found->second.is_number()) plan.types.emplace(name, type_of(found->second));
    }
  return plan;
}

/// Names of the run-time choices that the block makes, as its text says: a body in which there are
/// more such blocks is then read once, and not each of them as often as all around it.
std::vector<std::string> Interpreter::hidden_names_of(const LoopBlock& block) {
  if (block.choice != ast::kNoExpr) return {choice_name(block.choice), set_name(block.choice)};
  return names_of_jumps(jumps_in(block.begin, block.end));
}

std::pair<ast::ExprId, ast::ExprId> Interpreter::expressions_of(std::uint32_t begin,
                                                                std::uint32_t end) const {
  ast::ExprId first = ast::kNoExpr;
  ast::ExprId last = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const ast::Statement& statement = tree_.statements[i];
    const auto take = [&](ast::ExprId id) {
      if (id == ast::kNoExpr) return;
      first = std::min(first, tree_[id].first);
      last = std::max(last, id);
    };
    take(statement.value);
    for (const ast::ExprId target : tree_.targets(statement)) take(target);
  }
  return first == ast::kNoExpr ? std::pair{last, last} : std::pair{first, last + 1};
}

std::vector<std::string> Interpreter::mentioned(std::uint32_t begin, std::uint32_t end) {
  return mentioned(expressions_of(begin, end));
}

std::vector<std::string> Interpreter::mentioned(std::pair<ast::ExprId, ast::ExprId> expressions) {
  const auto [first, last] = expressions;
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) result.push_back(name);
  };
  bool calls = false;
  bool closes = false;  // over names of the calls around it
  for (ast::ExprId id = first; id < last; ++id) {
    if (is_choice(tree_[id])) add(choice_name(id)), add(set_name(id));
    if (tree_[id].kind != ast::ExprKind::Name && tree_[id].kind != ast::ExprKind::Named) continue;
    const std::string& name = tree_.string(id);
    add(name);
    const auto note = [&](const std::unordered_map<std::string, Value>& names) {
      if (const auto found = names.find(name); found != names.end())
        for_each_part(found->second, [&](const Value& part) {
          const auto* function = part.as<UserFunction>();
          calls = calls || function != nullptr || part.as<ClassPtr>() != nullptr ||
                  part.as<InstancePtr>() != nullptr;
          closes = closes || (function != nullptr && function->enclosing != nullptr);
        });
    };
    note(scope().names);
    note(module().names);
    for (const Enclosing* outer = scope().outer.get(); outer != nullptr; outer = outer->outer.get())
      note(*outer->names);
  }
  if (calls)
    for (const auto& [name, value] : module().names) add(name);
  if (closes || objects_.any())
    for (const auto& [name, value] : scope().names)
      if (closes || is_attribute(name)) add(name);
  for (const std::string& name : hidden_names()) add(name);
  return result;
}

/// Whether its elements are one expression of their position.
static bool moves(const Value& iterated) {
  const auto* iteration = iterated.as<Iteration>();
  if (iteration == nullptr)
    return iterated.as<RangeValue>() != nullptr || iterated.as<ObjectPtr>() != nullptr ||
           iterated.as<Complex>() != nullptr;
  return std::all_of(iteration->parts.begin(), iteration->parts.end(), moves);
}

/// Inputs given from outside are declared when they are first read: here, before the loop.
void Interpreter::declare_inputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto given = options_.shapes.find(name);
    if (given != options_.shapes.end() && !scope().names.contains(name) &&
        !module().names.contains(name) && assigned_in_function(name) == 0)
      declare(name, given->second);
  }
}

/// The elements of what has a run-time length, and a mask of those that exist.
static Value elements_and_mask(const Value& selected) {
  if (const auto* iteration = selected.as<Iteration>())
    return {Iteration{Iteration::Kind::Zip, iteration->parts}};
  const Selection selection = *selection_of(selected);
  if (selection.first > 0 || selection.mask.ndim() > 1)
    cudamat::misuse("program", "a loop can run over a masked selection of elements or rows only");
  Iteration both{Iteration::Kind::Zip,
                 Items({{selected.as<Selected>()->whole}, new_array(selection.mask)})};
  return {std::move(both)};
}

/// How often the program wrote to what the elements are copies of: rows, and what zip and enumerate
/// took one after the other.
static std::uint64_t writes_of_rows(const Value& iterated) {
  std::uint64_t writes = 0;
  for_each_part(iterated, [&](const Value& part) {
    const auto* elements = part.as<ObjectPtr>();
    if (elements == nullptr) return;
    if ((*elements)->shape().size() > 1) writes += ArrayObject::root_of(*elements)->writes();
    if ((*elements)->is_outdated()) ++writes;
  });
  return writes;
}

/// An iteration over an element that may be selected, or not.
void Interpreter::run_selected(const ast::Statement& statement, std::uint32_t index,
                               const Value& iterated, const Affine& at) {
  const Value element_and_mask = iteration_element(iterated, at);
  const Items& items = element_and_mask.as<Sequence>()->items;
  const Items& parts = iterated.as<Iteration>()->parts;
  const std::uint64_t writes = writes_of_rows(iterated);
  const NodePtr holds = condition_node(items[1], statement.span);
  run_if(holds, statement.span, index, statement.end, [&] {
    assign(tree_.targets(statement)[0],
           perhaps_element(items[0], parts[0], to_array(parts[1], "a mask")));
    return execute_block(index + 1, statement.end);
  });
  if (writes_of_rows(iterated) != writes)
    fail(statement.span,
         "the loop writes to the array that it iterates over, whose rows are views; iterate over "
         "range(len(...)) and index the array");
}

Flow Interpreter::run_for(const ast::Statement& statement, std::uint32_t index) {
  Flow flow = Flow::Next;
  located(statement.span, [&] {
    flow = evaluate_then(statement.value,
                         [&](const Value& over) { return run_over(statement, index, over); });
  });
  return flow;
}

/// Sums of names, numbers and items that the expressions compare the name with.
static std::vector<ast::ExprId> compared_with(const ast::Program& tree,
                                              std::pair<ast::ExprId, ast::ExprId> expressions,
                                              const std::string& name) {
  const auto is_name = [&](ast::ExprId id) {
    return tree[id].kind == ast::ExprKind::Name && tree.string(id) == name;
  };
  const auto is_simple = [&](ast::ExprId id) {
    for (ast::ExprId part = tree[id].first; part <= id; ++part)
      if (is_name(part) ||
          (tree[part].kind != ast::ExprKind::Name && tree[part].kind != ast::ExprKind::Number &&
           tree[part].kind != ast::ExprKind::Binary && tree[part].kind != ast::ExprKind::Unary &&
           tree[part].kind != ast::ExprKind::Subscript))
        return false;
    return true;
  };
  std::vector<ast::ExprId> found;
  for (ast::ExprId id = expressions.first; id < expressions.second; ++id) {
    if (tree[id].kind != ast::ExprKind::Compare) continue;
    const ast::ExprId left = tree.child(id, 0), right = tree.child(id, 1);
    if (is_name(left) && is_simple(right)) found.push_back(right);
    if (is_name(right) && is_simple(left)) found.push_back(left);
  }
  return found;
}

/// Those of the expressions that are integers, known before the loop.
template <class Find, class Evaluate>
static std::vector<Index> known_among(const ast::Program& tree,
                                      const std::vector<ast::ExprId>& expressions, const Find& find,
                                      const Evaluate& evaluate) {
  const auto is_item_of_list = [&](ast::ExprId id) {
    const ast::Expr& object = tree[tree.child(id, 0)];
    const Value* held = object.kind == ast::ExprKind::Name ? find(tree.string(object)) : nullptr;
    return held != nullptr && held->as<Sequence>() != nullptr;
  };
  const auto is_safe = [&](ast::ExprId id) {
    for (ast::ExprId part = tree[id].first; part <= id; ++part)
      if (tree[part].kind == ast::ExprKind::Subscript && !is_item_of_list(part)) return false;
    return true;
  };
  std::vector<Index> found;
  for (const ast::ExprId id : expressions) {
    if (!is_safe(id)) continue;
    try {
      const Value value = evaluate(id);
      if (const auto* number = value.as<std::int64_t>()) found.push_back(*number);
    } catch (const ProgramError&) {  // a name that the body binds first
      continue;
    }
  }
  return found;
}

/// The range in pieces in which each comparison with one of the bounds has one result.
static std::vector<RangeValue> pieces_of(const RangeValue& range,
                                         const std::vector<Index>& bounds) {
  constexpr std::size_t kMost = 16;
  std::set<Index> cuts;
  for (const Index bound : bounds)
    for (const Index cut : {bound, bound + 1})
      if (cut > range.start && cut < range.stop) cuts.insert(cut);
  if (cuts.size() > kMost) return {};
  std::vector<RangeValue> pieces;
  cuts.insert(range.stop);
  Index start = range.start;
  for (const Index cut : cuts) pieces.push_back({std::exchange(start, cut), cut, 1});
  return pieces;
}

Flow Interpreter::run_over(const ast::Statement& statement, std::uint32_t index,
                           const Value& given) {
  std::vector<Value> held{objects_.iterator_or_self(if_set(given))};
  const InUse in_use(*this, held);  // the body may change the list that the loop runs over
  Value& iterated = held[0];
  if (iterated.as<InstancePtr>() != nullptr)
    if (const auto inlined = objects_.inlined(index, iterated))
      return run_inlined(inlined->statement, inlined->names);
  located(statement.span, [&] {  // whose __iter__ has been called
    iterated = objects_.with_items(iterated);
    if (!objects_.is_iterator(iterated)) iterated = objects_.iterable(iterated);
  });
  if (iterated.as<InstancePtr>() != nullptr) return run_over_iterator(statement, index, iterated);
  const auto* iteration = iterated.as<Iteration>();
  const bool selects = iterated.as<Selected>() != nullptr ||
                       (iteration != nullptr && iteration->kind == Iteration::Kind::Selected);
  if (selects) located(statement.span, [&] { iterated = elements_and_mask(iterated); });
  const auto* range = iterated.as<RangeValue>();
  const ast::ExprId target = tree_.targets(statement)[0];
  const std::optional<Index> length = iteration_length(iterated);
  if (!length) located(tree_[statement.value].span, [&] { refuse_iteration("program", iterated); });
  if (!length)
    fail(
        tree_[statement.value].span,
        fmt::format("a loop must run over range(...), an array, a list or another iterable; got {}",
                    iterated.description()));
  if (*length == 0) {
    note_skipped(index + 1, statement.end);
    if (range != nullptr) note_written({variable_of(statement, iterated), statement.line, {}}, 0);
    return run_else(statement);
  }
  const ast::Jumps jumps = jumps_in(index + 1, statement.end);
  JumpLevel level(*this, jumps);
  std::vector<std::string> names = mentioned(index + 1, statement.end);
  const bool counts = range != nullptr && tree_[target].kind == ast::ExprKind::Name;
  if (!counts)  // the body may write to what the elements are parts of, or are assigned to
    for (const std::string& name : mentioned(index, index + 1))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  located(statement.span, [&] { declare_inputs(names); });
  if (range == nullptr && !moves(iterated))
    return unroll(statement, index, iterated, 0, nullptr, level);
  const RangeValue over = counts ? *range : RangeValue{0, *length, 1};
  LoopBlock block;
  block.begin = index + 1;
  block.end = statement.end;
  block.span = statement.span;
  block.loop = {counts ? tree_.string(target) : row_name(), over.start, over.stop, over.step};
  block.binds_variable = counts;
  if (!counts) block.elements = &iterated;
  block.condition_name = level.go();
  const bool is_wanted_after = counts && (scope().names.contains(block.loop.name) ||
                                          is_mentioned_outside(block.loop.name, index, block.end));
  block.is_wanted = [&](const std::string& name) {
    return name == level.last() || is_left(name, block);
  };
  block.run = [&](const Affine& variable) {
    level.begin_iteration();
    if (selects) return run_selected(statement, index, iterated, variable);
    if (!counts) assign(target, iteration_element(iterated, variable));
    if (block.loop.has_condition() && is_wanted_after)
      bind_hidden(level.last(), python_number(to_array({variable}, "the loop's variable")));
    const Flow flow = execute_block(block.begin, block.end);
    if (flow == Flow::Break || flow == Flow::Return)
      fail(block.span, "the first iteration leaves the loop");
  };
  const auto bounds = [&] {
    return known_among(
        tree_, compared_with(tree_, expressions_of(block.begin, block.end), block.loop.name),
        [this](const std::string& name) { return find(name); },
        [this](ast::ExprId id) { return evaluate(id); });
  };
  const std::size_t returns = scope().returns;
  for (Index done = 0; done < *length;) {
    Index apart = 0;
    try {
      located(statement.span, [&] { apart = run_settled_or_split(block, names); });
    } catch (const ProgramError&) {
      if (too_long_) throw;
      scope().returns = returns;
      const bool may_be_cut = counts && over.step == 1 && done == 0 && !jumps.any() &&
                              statement.else_end == statement.end;
      if (const auto pieces = may_be_cut ? pieces_of(over, bounds()) : std::vector<RangeValue>{};
          pieces.size() > 1) {
        for (const RangeValue& piece : pieces) (void)run_over(statement, index, {piece});
        return Flow::Next;
      }
      return unroll(statement, index, iterated, done, std::current_exception(), level, selects);
    }
    if (apart == 0) break;
    if (selects) return unroll(statement, index, iterated, done, nullptr, level, true);
    for (; apart > 0; --apart, block.loop.start += block.loop.step, ++done) {
      if (counts)
        scope().names[block.loop.name] = {block.loop.start};
      else
        assign(target, iteration_element(iterated, {done, {}}));
      level.begin_iteration();
      const Flow flow = execute_block(index + 1, statement.end);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) return Flow::Next;
    }
  }
  if (block.loop.has_condition()) {
    scope().names.erase(block.loop.name);
    if (is_wanted_after) bind(block.loop.name, Value(scope().names.at(level.last())));
  }
  if (counts) note_bound(block.loop.name);
  return leave_loop(statement, level);
}

Flow Interpreter::run_else(const ast::Statement& statement) {
  return execute_block(statement.end, statement.else_end);
}

constexpr int kMostRuns = 1000;
constexpr std::size_t kMostTypes = 16;  // that follow each other before they settle

/// How many of the earlier iterations compute something else than the last one.
static Index kept_apart(const std::vector<LoopTrace>& earlier, LoopRun& last) {
  Index apart = std::ssize(earlier);
  if (apart == 0) return 0;
  const LoopTrace trace = last.trace();
  while (apart > 0 && compute_the_same(earlier[static_cast<std::size_t>(apart - 1)], trace))
    --apart;
  return apart;
}

Index Interpreter::run_settled(LoopBlock& block, const std::vector<std::string>& names) {
  const Index count = block.loop.count();
  const LoopForm form = block.loop.form;
  LoopPlan plan = planned(block);
  plan.mentioned = names;
  LoopPlan* const around = plan_around_;
  const auto settled = std::make_shared<SettledBlock>();
  const std::size_t nth = around != nullptr ? around->next_inner++ : 0;
  bool recalled = false;
  Owners owners;
  if (around != nullptr) {
    owners = owners_of(names);
    settled->start = start_of(block, names);
    if (around->inner.size() <= nth) around->inner.resize(nth + 1);
    const auto known = std::exchange(around->inner[nth], nullptr);
    recalled =
        known && settled->start && known->start == settled->start && recall(*known, block, plan);
  }
  std::vector<LoopTrace> earlier;  // of the iterations before types settle
  for (int runs = 0; runs < kMostRuns; ++runs) {
    statement_place_ = place(block.span);
    LoopRun run(*this, block, plan);
    LoopRun::Result result = LoopRun::Result::Again;
    // A body that may leave the loop runs as long as it has not.
    const auto may_leave = [&] {
      return block.loop.form == LoopForm::For && run.rebinds(block.condition_name);
    };
    const auto take_condition = [&] {
      run.restore();
      block.loop.form = LoopForm::ForWhile;
      plan = planned(block);
      plan.mentioned = names;
      earlier.clear();
    };
    try {
      result = run.run();
    } catch (const cudamat::CUDAMatException&) {
      if (!too_long_ && may_leave()) {
        take_condition();
        continue;
      }
      run.restore();
      if (too_long_ || !std::exchange(recalled, false)) throw;
      block.loop.form = form;
      plan = planned(block);
      plan.mentioned = names;
      continue;
    }
    if (may_leave()) {
      take_condition();
      continue;
    }
    if (result == LoopRun::Result::Again) continue;
    if (result == LoopRun::Result::Settled) {
      const Index apart = kept_apart(earlier, run);
      if (apart > 0) {
        run.restore();
        return apart;
      }
      try {
        if (block.check) block.check();
        run.commit();
        if (around != nullptr && earlier.empty() && remember(*settled, owners, block, plan))
          around->inner[nth] = settled;
      } catch (const cudamat::CUDAMatException&) {
        run.restore();
        throw;
      }
      return 0;
    }
    LoopTrace trace = run.trace();
    run.restore();
    const auto repeats = [&](const LoopTrace& other) { return other.types == run.types_at_end(); };
    const bool cycle = std::any_of(earlier.begin(), earlier.end(), repeats);
    const ValueTypes types = trace.types;
    earlier.push_back(std::move(trace));
    if (earlier.size() == static_cast<std::size_t>(count)) return 1;
    if (cycle || earlier.size() == kMostTypes) {
      if (static_cast<std::size_t>(count) <= kMostTypes) return 1;
      const std::string& name = run.changing();
      fail(block.span,
           fmt::format("{} is {} at the start of an iteration and {} at its end, and changes again "
                       "in later ones; in a loop of more than {} iterations the types of values "
                       "must stay the same from some iteration on",
                       name, to_string(types.at(name)), to_string(run.types_at_end().at(name)),
                       kMostTypes));
    }
    for (const auto& [name, type] : run.types_at_end()) plan.types[name] = type;
  }
  fail(block.span,
       "the types of what these statements assign change in every iteration; in a loop they must "
       "stay the same");
}

}  // namespace rewriter
