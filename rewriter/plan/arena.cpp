#include "rewriter/plan/arena.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "rewriter/list/cost.hpp"
#include "rewriter/list/liveness.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;
constexpr std::size_t kFew = 4096;  // blocks that may be compared with each other
constexpr Index kMost = std::numeric_limits<Index>::max();

/// The next multiple of the alignment.
Index aligned(Index bytes) {
  return bytes > kMost - kArenaAlignment
             ? kMost
             : (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// A matrix that is not empty, in use from `made` until `freed`, which is excluded.
struct Block {
  Var var = kNoVar;
  Index bytes = 0;
  Position made = 0;
  Position freed = 0;
  Index offset = 0;

  [[nodiscard]] Index end() const { return saturating_add(offset, bytes); }
  [[nodiscard]] bool meets(const Block& other) const {
    return made < other.freed && other.made < freed;
  }
};

std::vector<Block> blocks_of(const StatementList& list, int bytes_per_element) {
  const Position end = std::ssize(list.statements);
  std::vector<Block> blocks;
  Table<std::size_t> number(list.variables.size(), 0);
  const auto add = [&](Var var, Position made) {
    number[var] = blocks.size();
    blocks.push_back({var, bytes_of(list, var, bytes_per_element), made, end});
  };
  for (const Binding& input : list.inputs) add(input.var, -1);
  for (Position at = 0; at < end; ++at) {
    const Statement& s = list.statements[at];
    if (s.kind == Kind::Empty || s.kind == Kind::Constant) add(s.target, at);
    if (s.kind == Kind::Free) blocks[number[s.target]].freed = at;
  }
  std::erase_if(blocks, [](const Block& block) { return block.bytes == 0; });
  return blocks;
}

/// The most that is in use at once, each matrix up to where another one may begin; the last needs
/// no more than its own bytes.
Index least_of(const std::vector<Block>& blocks, std::size_t statements) {
  Table<std::vector<const Block*>> made(statements + 1);  // by position + 1
  Table<std::vector<const Block*>> freed(statements + 1);
  for (const Block& block : blocks) {
    made[block.made + 1].push_back(&block);
    freed[block.freed].push_back(&block);
  }
  Table<Index> gaps(kArenaAlignment, 0);  // by size: matrices in use before such a gap
  const auto gap = [](const Block& block) { return aligned(block.bytes) - block.bytes; };
  Index now = 0;
  Index least = 0;
  for (std::size_t at = 0; at <= statements; ++at) {
    for (const Block* const block : made[at]) {
      now = saturating_add(now, aligned(block->bytes));
      ++gaps[gap(*block)];
    }
    std::size_t largest = gaps.size() - 1;
    while (largest > 0 && gaps[largest] == 0) --largest;
    least = std::max(least, now - static_cast<Index>(largest));
    for (const Block* const block : freed[at]) {
      now -= aligned(block->bytes);
      --gaps[gap(*block)];
    }
  }
  return least;
}

/// Puts one block after the other where it fits most tightly among those placed before; gives the
/// end of the last.
Index place(std::vector<Block>& blocks) {
  std::vector<const Block*> placed;  // by offset
  Index size = 0;
  for (Block& block : blocks) {
    Index best = -1;
    Index best_gap = kMost;
    Index free_from = 0;
    for (const Block* const other : placed) {
      if (!other->meets(block)) continue;
      const Index gap = other->offset - free_from;
      if (gap >= block.bytes && gap < best_gap) {
        best = free_from;
        best_gap = gap;
      }
      free_from = std::max(free_from, aligned(other->end()));
    }
    block.offset = best < 0 ? free_from : best;
    size = std::max(size, block.end());
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), block.offset,
                         [](Index offset, const Block* other) { return offset < other->offset; }),
        &block);
  }
  return size;
}

/// What is not in use of memory that has no end, by offset and by size.
class FreeMemory {
 public:
  /// Where it fits most tightly.
  Index take(Index bytes) {
    const auto fits = by_size_.lower_bound({bytes, 0});
    Index from = end_;
    if (fits == by_size_.end()) {
      end_ = aligned(saturating_add(from, bytes));
    } else {
      from = fits->second;
      const Index until = from + fits->first;
      remove(from, until);
      add(aligned(from + bytes), until);
    }
    return from;
  }

  void give_back(Index from, Index until) {
    if (const auto after = by_offset_.find(until); after != by_offset_.end()) {
      const Index end = after->second;
      remove(until, end);
      until = end;
    }
    if (const auto next = by_offset_.lower_bound(from); next != by_offset_.begin())
      if (const auto [begin, end] = *std::prev(next); end == from) {
        remove(begin, end);
        from = begin;
      }
    if (until == end_)
      end_ = from;
    else
      add(from, until);
  }

 private:
  void add(Index from, Index until) {
    if (from >= until) return;
    by_offset_.emplace(from, until);
    by_size_.emplace(until - from, from);
  }
  void remove(Index from, Index until) {
    by_offset_.erase(from);
    by_size_.erase({until - from, from});
  }

  std::map<Index, Index> by_offset_;           // from, until
  std::set<std::pair<Index, Index>> by_size_;  // bytes, from
  Index end_ = 0;                              // free from here on
};

/// What `place` does with blocks in the order in which they are made, in less than quadratic time.
Index place_in_time(std::vector<Block>& blocks) {
  const auto freed_later = [](const Block* a, const Block* b) { return a->freed > b->freed; };
  std::priority_queue<const Block*, std::vector<const Block*>, decltype(freed_later)> in_use(
      freed_later);
  FreeMemory memory;
  Index size = 0;
  for (Block& block : blocks) {
    for (; !in_use.empty() && in_use.top()->freed <= block.made; in_use.pop())
      memory.give_back(in_use.top()->offset, aligned(in_use.top()->end()));
    block.offset = memory.take(block.bytes);
    size = std::max(size, block.end());
    in_use.push(&block);
  }
  return size;
}

bool larger(const Block& a, const Block& b) {
  return a.bytes > b.bytes;
}
bool longer(const Block& a, const Block& b) {
  return a.freed - a.made > b.freed - b.made;
}
bool earlier(const Block& a, const Block& b) {
  return a.made < b.made;
}

}  // namespace

Arena plan_arena(const StatementList& list, int bytes_per_element) {
  std::vector<Block> blocks = blocks_of(list, bytes_per_element);
  Arena arena;
  arena.least = least_of(blocks, list.statements.size());
  arena.bytes = kMost;
  arena.offsets.assign(list.variables.size(), 0);
  const auto attempt = [&](auto first, auto placing) {
    if (arena.bytes == arena.least) return;
    std::stable_sort(blocks.begin(), blocks.end(), first);
    const Index bytes = placing(blocks);
    if (bytes >= arena.bytes) return;
    arena.bytes = bytes;
    for (const Block& block : blocks) arena.offsets[block.var] = block.offset;
  };
  if (blocks.size() <= kFew) {
    attempt(larger, place);
    attempt(longer, place);
  }
  attempt(earlier, place_in_time);
  for (std::size_t var = 0; var < arena.offsets.size(); ++var)
    arena.offsets[var] = arena.offsets[owner(list, static_cast<Var>(var))];
  return arena;
}

}  // namespace rewriter
