#include "rewriter/passes/reuse.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "rewriter/list/cost.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/lasting.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/buffer_views.hpp"
#include "rewriter/text/range_max.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

constexpr int kTried = 4;        // buffers that fit, for each matrix
constexpr int kMostRounds = 16;  // of a long list each may make room for a little more

/// Too little memory for a line more to read.
bool is_small(Index size, Index peak) {
  return size < 1024 && size < peak / 100;
}

class Reuse {
 public:
  Reuse(const StatementList& list, std::vector<Remark>& remarks)
      : list_(list), remarks_(remarks), live_(list), in_use_(list.statements.size() + 1) {
    const Table<bool> lasts = lasting_results(list);
    for (std::size_t i = 0; i < list.variables.size(); ++i) {
      const auto var = static_cast<Var>(i);
      const Liveness::Memory& memory = live_.of(var);
      if (owner(list, var) != var || memory.made == kNowhere) continue;
      account(memory.made, memory.freed, elements(list, var));
      if (memory.made >= 0 && !lasts[var] && !live_.lives(var).empty() && elements(list, var) > 0 &&
          list.statements[memory.made].kind == Kind::Empty && !list.variables[var].varying)
        members_.push_back(var);
    }
    peak_ = in_use_.max();
    std::stable_sort(members_.begin(), members_.end(),
                     [&](Var a, Var b) { return start(a) < start(b); });
  }

  /// The buffers, those of a single matrix included.
  std::vector<Buffer> choose() {
    for (const Var var : members_) place(var);
    return std::move(buffers_);
  }

 private:
  /// Size, rows, the more recently used first, number: the order in which buffers are tried.
  using Key = std::tuple<Index, Index, Position, std::size_t>;

  Position start(Var var) const { return live_.lives(var).front().first; }
  Position end(Var var) const { return live_.lives(var).back().last; }
  cudamat::Shape shape(Var var) const { return list_.variables[var].shape; }
  void account(Position made, Position freed, Index size) {
    const std::size_t last =
        freed == kNowhere ? list_.statements.size() : static_cast<std::size_t>(freed) - 1;
    in_use_.add(static_cast<std::size_t>(std::max<Position>(made, 0)), last, size);
  }
  void account(const Buffer& buffer, Index sign) {
    account(buffer.made, buffer.freed, sign * buffer.size);
  }
  Key key(std::size_t number) const {
    const Buffer& buffer = buffers_[number];
    return {buffer.size, shape(buffer.members.back()).rows, -end(buffer.members.back()), number};
  }

  void place(Var var) {
    const Liveness::Memory& memory = live_.of(var);
    while (!busy_.empty() && -busy_.top().first < start(var)) {
      const std::size_t number = busy_.top().second;
      busy_.pop();
      free_[buffers_[number].block].insert(key(number));
    }
    std::size_t number = share(var);
    if (number == buffers_.size())
      buffers_.push_back(
          {{var}, elements(list_, var), memory.made, memory.freed, live_.block(memory)});
    busy_.emplace(-end(var), number);
  }

  /// The buffer that the matrix joins, or their number if it joins none.
  std::size_t share(Var var) {
    std::set<Key>& free = free_[live_.block(live_.of(var))];
    const Index size = elements(list_, var);
    const auto fits = free.lower_bound({size, 0, 0, 0});
    std::vector<Key> tried;
    const auto best = free.lower_bound({size, shape(var).rows, kNowhereEarlier, 0});
    if (best != free.end() && std::get<0>(*best) == size && std::get<1>(*best) == shape(var).rows)
      tried.push_back(*best);
    for (auto each = fits; each != free.end() && std::ssize(tried) < kTried; ++each)
      tried.push_back(*each);
    if (fits != free.begin()) tried.push_back(*std::prev(fits));
    if (is_small(size, peak_))
      std::erase_if(tried, [&](const Key& each) {
        return shape(buffers_[std::get<3>(each)].members.front()) != shape(var);
      });
    for (const Key& each : tried) {
      const std::size_t number = std::get<3>(each);
      if (!join(buffers_[number], var)) continue;
      free.erase(each);
      return number;
    }
    if (!tried.empty())
      say(Remark::Kind::Refused, var,
          fmt::format("{} has memory of its own: in {}'s it would raise the peak",
                      name_of(list_, var),
                      name_of(list_, buffers_[std::get<3>(tried[0])].members.back())));
    return buffers_.size();
  }

  bool join(Buffer& buffer, Var var) {
    const Liveness::Memory& memory = live_.of(var);
    const Index size = elements(list_, var);
    if (memory.is_output && buffer.size != size) return false;  // it would keep what it needs not
    const bool stays = memory.freed == kNowhere || buffer.freed == kNowhere;
    Buffer joined{{},
                  std::max(buffer.size, size),
                  std::min(buffer.made, memory.made),
                  stays ? kNowhere : std::max(buffer.freed, memory.freed),
                  buffer.block};
    account(memory.made, memory.freed, -size);
    account(buffer, -1);
    account(joined, 1);
    if (in_use_.max() > peak_) {
      account(joined, -1);
      account(buffer, 1);
      account(memory.made, memory.freed, size);
      return false;
    }
    const Var before = buffer.members.back();
    say(Remark::Kind::Made, var,
        fmt::format("{} takes the memory of {}{}", name_of(list_, var), name_of(list_, before),
                    size > buffer.size ? ", made larger" : ""));
    joined.members = std::move(buffer.members);
    joined.members.push_back(var);
    buffer = std::move(joined);
    return true;
  }

  void say(Remark::Kind kind, Var var, std::string text) {
    const auto made = static_cast<std::size_t>(live_.of(var).made);
    remarks_.push_back({kind, list_.statements[made].where, std::move(text)});
  }

  static constexpr Position kNowhereEarlier = std::numeric_limits<Position>::min();

  const StatementList& list_;
  std::vector<Remark>& remarks_;
  Liveness live_;
  RangeMax in_use_;  // by position: elements allocated after the statement
  Index peak_ = 0;
  std::vector<Var> members_;  // in the order in which they are first written
  std::vector<Buffer> buffers_;
  std::priority_queue<std::pair<Position, std::size_t>> busy_;  // the first to be free on top
  std::map<int, std::set<Key>> free_;                           // by block
};

void tell_distance(const StatementList& before, PassResult& result) {
  const Index bound = Liveness(before).least_peak();
  const Index peak = memory_use(result.list, 1).peak;
  std::string text = fmt::format("the peak is {} elements, ", print::grouped(peak));
  text += peak == bound ? "as many as are wanted at once: no plan needs less"
                        : fmt::format("{} more than are wanted at once, the lower bound",
                                      print::grouped(peak - bound));
  result.remarks.push_back({Remark::Kind::Made, {0, 0}, std::move(text)});
}

}  // namespace

PassResult reuse(const StatementList& list, const PassOptions& /*options*/) {
  PassResult result{list, {}};
  bool shared = true;
  for (int round = 0; shared && round < kMostRounds; ++round) {
    std::vector<Remark> remarks;
    const std::vector<Buffer> buffers = Reuse(result.list, remarks).choose();
    shared = std::any_of(buffers.begin(), buffers.end(),
                         [](const Buffer& buffer) { return buffer.members.size() > 1; });
    std::erase_if(remarks, [&](const Remark& remark) {
      return shared && remark.kind == Remark::Kind::Refused;
    });
    result.remarks.insert(result.remarks.end(), remarks.begin(), remarks.end());
    if (shared) share_memory(result.list, buffers);
  }
  if (!result.remarks.empty()) tell_distance(list, result);
  return result;
}

}  // namespace rewriter
