// The reader: `for`. One reading of the body stands for all iterations where it can: in one loop,
// in pieces, or from a later iteration on; otherwise the loop is unrolled.
#include <algorithm>
#include <exception>

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
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

/// Whether its elements are one expression of their position.
static bool moves(const Value& iterated) {
  const auto* iteration = iterated.as<Iteration>();
  if (iteration == nullptr)
    return iterated.as<RangeValue>() != nullptr || iterated.as<ObjectPtr>() != nullptr ||
           iterated.as<Complex>() != nullptr;
  return std::all_of(iteration->parts.begin(), iteration->parts.end(), moves);
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

/// A loop over what has elements, at least one.
class Interpreter::ForLoop {
 public:
  /// `iterated`, which the reader may replace, lives as long; `selects`: it is elements and a mask.
  ForLoop(Interpreter& reader, const ast::Statement& statement, std::uint32_t index,
          const Value& iterated, bool selects)
      : reader_(reader),
        statement_(statement),
        index_(index),
        iterated_(iterated),
        selects_(selects),
        target_(reader.tree_.targets(statement)[0]),
        counts_(iterated.as<RangeValue>() != nullptr &&
                reader.tree_[target_].kind == ast::ExprKind::Name),
        length_(*iteration_length(iterated)),
        level_(reader, reader.jumps_in(index + 1, statement.end)),
        returns_(reader.scope().returns) {}

  Flow run() {
    find_names();
    if (!moves(iterated_)) return unroll(nullptr);
    make_block();
    while (done_ < length_) {
      Index apart = 0;
      try {
        apart = read();
      } catch (const ProgramError&) {
        if (reader_.too_long_) throw;
        reader_.scope().returns = returns_;
        if (const auto pieces = pieces_to_read(); pieces.size() > 1) return run_pieces(pieces);
        const bool is_first_other = reader_.keys_are_added_ && done_ == 0 && length_ > 1;
        if (!is_first_other) return unroll(std::current_exception());
        apart = 1;  // the first iteration makes the keys, which are there in the others
        block_.loop.form = LoopForm::For;
        level_.begin();
      }
      if (apart == 0) break;
      if (selects_) return unroll(nullptr);
      for (; apart > 0; --apart) {
        const Flow flow = run_apart();
        if (flow == Flow::Return) return flow;
        if (flow == Flow::Break) return Flow::Next;
      }
      find_names();  // attributes of objects that these iterations have made
    }
    return finish();
  }

  /// The iterations that are left, one by one.
  Flow unroll(const std::exception_ptr& why) {
    return reader_.unroll(statement_, index_, iterated_, done_, why, level_, selects_);
  }

 private:
  void find_names() {
    names_ = reader_.mentioned(index_ + 1, statement_.end);
    if (!counts_)  // the body may write to what the elements are parts of, or are assigned to
      for (const std::string& name : reader_.mentioned(index_, index_ + 1))
        if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    reader_.located(statement_.span, [&] { reader_.declare_inputs(names_); });
  }

  void make_block() {
    const auto* range = iterated_.as<RangeValue>();
    const RangeValue over = counts_ ? *range : RangeValue{0, length_, 1};
    block_.begin = index_ + 1;
    block_.end = statement_.end;
    block_.span = statement_.span;
    block_.loop = {counts_ ? reader_.tree_.string(target_) : reader_.row_name(), over.start,
                   over.stop, over.step};
    block_.binds_variable = counts_;
    if (!counts_) block_.elements = &iterated_;
    block_.condition_name = level_.go();
    is_wanted_after_ =
        counts_ && (reader_.scope().names.contains(block_.loop.name) ||
                    reader_.is_mentioned_outside(block_.loop.name, index_, block_.end));
    block_.is_wanted = [this](const std::string& name) {
      return name == level_.last() || reader_.is_left(name, block_);
    };
    block_.run = [this](const Affine& variable) { run_body(variable); };
  }

  void run_body(const Affine& variable) {
    level_.begin_iteration();
    if (selects_) return reader_.run_selected(statement_, index_, iterated_, variable);
    if (!counts_) reader_.assign(target_, iteration_element(iterated_, variable));
    if (block_.loop.has_condition() && is_wanted_after_)
      reader_.bind_hidden(level_.last(),
                          python_number(to_array({variable}, "the loop's variable")));
    const Flow flow = reader_.execute_block(block_.begin, block_.end);
    if (flow == Flow::Break || flow == Flow::Return)
      reader_.fail(block_.span, "the first iteration leaves the loop");
  }

  /// All iterations that are left as one loop; or how many of the first ones differ from the rest.
  Index read() {
    reader_.edge_.reset();
    reader_.keys_are_added_ = false;
    Index apart = 0;
    reader_.located(statement_.span, [&] { apart = reader_.run_settled_or_split(block_, names_); });
    return apart;
  }

  std::vector<RangeValue> pieces_to_read() {
    const bool may_be_cut =
        counts_ && done_ == 0 && !level_.jumps().any() && statement_.else_end == statement_.end;
    return may_be_cut ? reader_.pieces_of(block_) : std::vector<RangeValue>{};
  }

  Flow run_pieces(const std::vector<RangeValue>& pieces) {
    for (const RangeValue& piece : pieces) {
      const Value range{piece};
      ForLoop loop(reader_, statement_, index_, range, false);
      (void)(loop.length_ == 1 ? loop.unroll(nullptr) : loop.run());
    }
    return Flow::Next;
  }

  /// The next iteration, by itself.
  Flow run_apart() {
    if (counts_)
      reader_.scope().names[block_.loop.name] = {block_.loop.start};
    else
      reader_.assign(target_, iteration_element(iterated_, {done_, {}}));
    level_.begin_iteration();
    block_.loop.start += block_.loop.step;
    ++done_;
    return reader_.execute_block(index_ + 1, statement_.end);
  }

  Flow finish() {
    if (block_.loop.has_condition()) {
      Scope& scope = reader_.scope();
      scope.names.erase(block_.loop.name);
      if (is_wanted_after_) reader_.bind(block_.loop.name, Value(scope.names.at(level_.last())));
    }
    if (counts_) reader_.note_bound(block_.loop.name);
    return reader_.leave_loop(statement_, level_);
  }

  Interpreter& reader_;
  const ast::Statement& statement_;
  std::uint32_t index_;
  const Value& iterated_;
  bool selects_;
  ast::ExprId target_;
  bool counts_;  ///< over a range, whose integers a name takes
  Index length_;
  Index done_ = 0;  ///< iterations that were read one by one
  JumpLevel level_;
  std::size_t returns_;  ///< of the function, before the loop
  std::vector<std::string> names_{};
  LoopBlock block_{};
  bool is_wanted_after_ = false;  ///< the variable
};

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
  const std::optional<Index> length = iteration_length(iterated);
  if (!length) {
    const Span span = tree_[statement.value].span;
    located(span, [&] { refuse_iteration("program", iterated); });
    fail(span, fmt::format(
                   "a loop must run over range(...), an array, a list or another iterable; got {}",
                   iterated.description()));
  }
  if (*length > 0) return ForLoop(*this, statement, index, iterated, selects).run();
  note_skipped(index + 1, statement.end);
  if (iterated.as<RangeValue>() != nullptr)
    note_written({variable_of(statement, iterated), statement.line, {}}, 0);
  return run_else(statement);
}

Flow Interpreter::run_else(const ast::Statement& statement) {
  return execute_block(statement.end, statement.else_end);
}

}  // namespace rewriter
