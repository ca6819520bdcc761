// The reader: generators. A generator runs up to its next `yield` when an item is asked for. Where
// it is, and what its names refer to, are attributes like those of objects, so a loop sees that
// they change.
#include <algorithm>

#include "rewriter/reader/objects/returned.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr std::uint32_t kNone = ~0U;

/// Statements of a generator that are being run: up to where, and of which loop they are the body.
struct Block {
  std::uint32_t at = 0;
  std::uint32_t end = 0;
  std::uint32_t loop = kNone;  ///< a For, a While, a With or a YieldFrom
  Value over{};                ///< what the loop runs over; of a With the manager
  Index index = 0;             ///< of the next item

  static Block of(const Value& value) {
    const Items& parts = value.as<Sequence>()->items;
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint32_t>(parts[i].integer(""));
    };
    return {number(0), number(1), number(2), parts[3], parts[4].integer("")};
  }
  [[nodiscard]] Value kept() const {
    return new_sequence(false, {{Index{at}}, {Index{end}}, {Index{loop}}, over, {index}});
  }
};

}  // namespace

bool Objects::yields(std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const auto [known, is_new] = yields_.try_emplace(statement, false);
  if (!is_new) return known->second;
  bool found = false;
  const std::uint32_t end = ast::after(tree, statement);
  for (std::uint32_t i = statement; i < end && !found;) {
    const ast::Statement& each = tree.statements[i];
    found = each.kind == ast::StatementKind::Yield || each.kind == ast::StatementKind::YieldFrom;
    i = ast::has_scope(each) ? each.end : i + 1;
  }
  return known->second = found;
}

Value Objects::new_generator(const UserFunction& function,
                             std::unordered_map<std::string, Value> names) {
  const ast::Statement& def = reader_.tree_.statements[function.statement];
  Dict kept;
  for (auto& [name, value] : names)
    if (!is_attribute(name)) set_key(kept, {name}, value);
  const Value made = new_iterator("generator", {{function}});
  const Block body{function.statement + 1, def.end};
  reader_.bind_part(attribute_name(**made.as<InstancePtr>(), "state"),
                    new_sequence(false, {{kept}, new_sequence(false, {body.kept()})}));
  return made;
}

Value returned_by(Objects& objects, const Value& iterator) {
  if (objects.generates(iterator) == nullptr) return {};
  const Value state = *objects.attribute(iterator, "state");
  const auto* ended = state.as<Dict>();
  return ended != nullptr ? ended->values[0] : Value{};
}

bool Objects::has_begun(const Value& state, const UserFunction& function) {
  const Items& blocks = state.as<Sequence>()->items[1].as<Sequence>()->items;
  return blocks.size() != 1 || Block::of(blocks[0]).at != function.statement + 1;
}

/// Runs the generator up to its next `yield`.
std::optional<Value> Objects::next_of_generator(const InstancePtr& generator, const Value& sent,
                                                const RaisedException* thrown) {
  using enum ast::StatementKind;
  const ast::Program& tree = reader_.tree_;
  const std::string held = attribute_name(*generator, "state");
  const Value state = *read(held);
  if (state.as<Sequence>() == nullptr) return std::nullopt;  // it has ended
  if (reader_.unsure_ > 0) Interpreter::refuse_effect("takes an item of an iterator");
  const Value sources = *read(attribute_name(*generator, "sources"));
  const UserFunction& function = *sources.as<Sequence>()->items[0].as<UserFunction>();
  const Dict& names = *state.as<Sequence>()->items[0].as<Dict>();
  std::vector<Block> blocks;
  for (const Value& each : state.as<Sequence>()->items[1].as<Sequence>()->items)
    blocks.push_back(Block::of(each));
  const std::uint32_t scope_end = tree.statements[function.statement].end;
  const bool is_new = blocks.size() == 1 && blocks[0].at == function.statement + 1;
  if (is_new && !sent.is_none())
    throw PythonError("TypeError", "send", "can't send non-None value to a just-started generator");
  reader_.bind_part(held, {});  // while it runs; also after an exception

  std::optional<Value> result;
  Value kept;
  reader_.in_scope_of(function, [&] {
    auto& scope = reader_.scope();
    for (std::size_t i = 0; i < names.keys.size(); ++i)
      scope.names[*names.keys[i].as<std::string>()] = names.values[i];
    const auto kind_of = [&](const Block& block) {  // Def: of no loop, `with` or `try`
      return block.loop == kNone ? Def : tree.statements[block.loop].kind;
    };
    const auto is_tried = [&] {
      return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
        const auto kind = kind_of(block);
        return kind == Try || kind == Handler || kind == Else || kind == Finally;
      });
    };
    const auto pop = [&] {
      if (kind_of(blocks.back()) == Finally && blocks.back().at == blocks.back().loop + 1)
        misuse(
            "program",
            "leaving the `finally` of a generator by return, break or continue is not supported");
      if (kind_of(blocks.back()) == With) exited(blocks.back().over);
      blocks.pop_back();
    };
    const auto leave = [&](bool breaks) {  // the innermost loop, or its iteration
      const auto is_loop = [&](const Block& block) {
        const auto kind = kind_of(block);
        return kind == For || kind == While || kind == YieldFrom;
      };
      while (!is_loop(blocks.back())) pop();
      blocks.back().at = blocks.back().end;
      if (breaks) blocks.pop_back();
    };
    const auto known = [&](ast::ExprId condition) {
      const auto truth = truth_of(reader_.evaluate(condition, true));
      if (!truth)
        reader_.fail(tree[condition].span,
                     "what a generator yields must not depend on run-time values; np.where(...) "
                     "chooses among values");
      return *truth;
    };
    /// At the end of a block: whether there is another iteration.
    const auto goes_on = [&](Block& block) {
      if (block.loop == kNone) return false;
      const ast::Statement& loop = tree.statements[block.loop];
      if (loop.kind == With) return exited(block.over), false;
      if (loop.kind == While) return known(loop.value);
      if (loop.kind != For && loop.kind != YieldFrom) return false;
      std::optional<Value> item;
      if (is_iterator(block.over))
        item = next(block.over);
      else if (block.index < iteration_length(block.over).value_or(0))
        item = iteration_element(block.over, {block.index++, {}});
      if (!item && loop.kind == YieldFrom)
        for (const ast::ExprId target : tree.targets(loop))
          reader_.assign(target, returned_by(*this, block.over));
      if (!item) return false;
      if (loop.kind == YieldFrom)
        result = item;
      else
        reader_.assign(tree.targets(loop)[0], *item);
      return true;
    };
    for (std::uint32_t i = function.statement + 1; !is_new && i < scope_end;) {
      const ast::Statement& each = tree.statements[i];
      if (each.kind == Global || each.kind == Nonlocal)
        for (const std::string& name : reader_.nonlocal_names(each))
          (each.kind == Global ? scope.global : scope.nonlocal).insert(name);
      i = ast::has_scope(each) ? each.end : i + 1;
    }
    const std::uint32_t waiting =
        is_new || blocks.back().at == 0 ? kNone : blocks.back().at - 1;  // the last `yield`
    if (waiting == kNone && !sent.is_none())
      misuse("send", "to a generator that waits in `yield from` is not supported");
    if (waiting != kNone && tree.statements[waiting].kind == Yield)
      for (const ast::ExprId target : tree.targets(tree.statements[waiting]))
        reader_.located(tree.statements[waiting].span, [&] { reader_.assign(target, sent); });
    std::optional<RaisedException> open;  // that no `except` has taken, while `finally` blocks run
    if (thrown != nullptr) open = *thrown;
    std::optional<RaisedException> handled;
    const Exchanged caught(reader_.caught_, reader_.caught_);
    /// Leaves blocks up to one of a `try` that deals with the exception, or a `finally`, which runs
    /// before the exception goes on.
    const auto unwind = [&] {
      while (!blocks.empty()) {
        const Block block = blocks.back();
        const auto kind = kind_of(block);
        if (kind == Finally && block.at == block.loop + 1) return;
        if (kind == With)
          misuse("program", "an exception in a `with` of a generator is not supported");
        blocks.pop_back();
        if (kind != Try) continue;
        if (!blocks.empty() && kind_of(blocks.back()) == Else) blocks.pop_back();
        const ast::Statement& tried = tree.statements[block.loop];
        for (std::uint32_t k = tried.end; k < tried.else_end; k = ast::after(tree, k)) {
          const ast::Statement& part = tree.statements[k];
          if (part.kind != Handler || !reader_.handles(part, open->type())) continue;
          for (const ast::ExprId target : tree.targets(part))
            reader_.assign(target, open->exception());
          handled = std::exchange(open, std::nullopt);
          reader_.caught_ = &*handled;
          blocks.push_back({k + 1, part.end, k});
          return;
        }
      }
    };
    if (open && waiting == kNone)
      misuse("program", "an exception in a generator that waits in `yield from` is not supported");
    if (open) unwind();
    while (!blocks.empty() && !result) {
      Block& block = blocks.back();
      if (open && block.at == block.end && kind_of(block) == Finally) {
        blocks.pop_back();
        unwind();
        continue;
      }
      if (block.at == block.end) {
        const std::uint32_t loop = block.loop;
        if (goes_on(block)) {
          if (tree.statements[loop].kind != YieldFrom) block.at = loop + 1;
          continue;
        }
        blocks.pop_back();
        if (loop == kNone) continue;
        const ast::Statement& left = tree.statements[loop];
        if (left.kind == For || left.kind == While) blocks.push_back({left.end, left.else_end});
        continue;
      }
      const std::uint32_t at = block.at;
      const ast::Statement& statement = tree.statements[at];
      block.at = ast::after(tree, at);
      const auto run = [&] {
        if (!yields(at)) {
          const Flow flow = reader_.execute(at);
          if (flow == Flow::Perhaps)
            reader_.fail(
                statement.span,
                "leaving a loop of a generator under a run-time condition is not supported");
          if (flow == Flow::Return) {
            while (!blocks.empty()) pop();
          }
          if (flow == Flow::Break || flow == Flow::Continue) leave(flow == Flow::Break);
          return;
        }
        const Exchanged executing(reader_.executing_, at);
        reader_.located(statement.span, [&] {
          switch (statement.kind) {
            case Yield:
              result =
                  statement.value == ast::kNoExpr ? Value{} : reader_.evaluate(statement.value);
              return;
            case YieldFrom:
            case For: {
              const Value over = iterator_or_items(if_set(reader_.evaluate(statement.value)));
              if (!is_iterator(over) && !iteration_length(over))
                misuse("program", "a generator cannot iterate over {}", over.description());
              blocks.push_back({statement.end, statement.end, at, over});
              if (statement.kind == YieldFrom) blocks.back().at = blocks.back().end = 0;
              return;
            }
            case While:
              blocks.push_back({statement.end, statement.end, at});
              return;
            case If:
              blocks.push_back(known(statement.value) ? Block{at + 1, statement.end}
                                                      : Block{statement.end, statement.else_end});
              return;
            case With: {
              const Value manager = reader_.evaluate(statement.value);
              const Value value = entered(manager);
              for (const ast::ExprId target : tree.targets(statement))
                reader_.assign(target, value);
              blocks.push_back({at + 1, statement.end, at, manager});
              return;
            }
            case Try: {
              std::vector<Block> parts;
              for (std::uint32_t i = statement.end; i < statement.else_end; i = ast::after(tree, i))
                if (tree.statements[i].kind != Handler)
                  parts.insert(parts.begin(), {i + 1, tree.statements[i].end, i});
              parts.push_back({at + 1, statement.end, at});
              blocks.insert(blocks.end(), parts.begin(), parts.end());
              return;
            }
            case Inlined:
              return;
            default:
              misuse("program", "'yield' in this statement is not supported");
          }
        });
      };
      const Exchanged tried(reader_.tried_, reader_.tried_ + (is_tried() ? 1 : 0));
      try {
        run();
      } catch (const RaisedException& raised) {
        if (!is_tried()) throw;
        open = raised;
        unwind();
      }
      if (open && result)
        misuse("program", "a `yield` in a `finally` after an exception is not supported");
    }
    if (open) throw RaisedException(*open);
    if (!result) {
      if (scope.returned)
        kept = {Dict{Items({{std::string("returned")}}), Items({*scope.returned})}};
      return;
    }
    Dict left;
    for (const auto& [name, value] : scope.names)
      if (!is_attribute(name)) set_key(left, {name}, value);
    std::vector<Value> places;
    for (const Block& each : blocks) places.push_back(each.kept());
    kept = new_sequence(false, {{left}, new_sequence(false, std::move(places))});
  });
  reader_.bind_part(held, kept);
  return result;
}

const UserFunction* Objects::generates(const Value& value) {
  const auto* self = value.as<InstancePtr>();
  if (self == nullptr || (*self)->type != iterator_ || (*self)->name != "generator") return nullptr;
  const Value* sources = read(attribute_name(**self, "sources"));
  return sources->as<Sequence>()->items[0].as<UserFunction>();
}

/// Python ends a generator that nothing refers to: what a `finally` or a `with` of it does then.
void Objects::refuse_unfinished(const Value& iterator) {
  const UserFunction* function = generates(iterator);
  if (function == nullptr ||
      read(attribute_name(**iterator.as<InstancePtr>(), "state"))->as<Sequence>() == nullptr)
    return;
  const auto def = reader_.tree_.statements.begin() + function->statement;
  if (std::any_of(def, reader_.tree_.statements.begin() + def->end, [](const ast::Statement& each) {
        return each.kind == ast::StatementKind::Finally || each.kind == ast::StatementKind::With;
      }))
    misuse("program", "a generator with a `finally` or a `with` must be iterated over to its end");
}

}  // namespace rewriter
