#include "rewriter/passes/unroll.hpp"

#include <fmt/format.h>

#include "rewriter/passes/loop_copies.hpp"

namespace rewriter {

namespace {

constexpr Index kMostIterations = 8;
constexpr std::size_t kMostStatements = 100'000;

class Unroll : public LoopCopies {
 public:
  using LoopCopies::LoopCopies;

 private:
  /// The loop, or its iterations.
  std::size_t write_loop(std::size_t at) override {
    const Statement& s = list().statements[at];
    const std::size_t end = end_of(at);
    const ListLoop range = folded(list().loops[s.loop]);
    if (!range.has_condition() && !range.varies()) {
      const Index count = range.Loop::count();
      if (count == 0) return end;
      const std::string loop = fmt::format("the loop over {}", range.name);
      const std::size_t more = static_cast<std::size_t>(count) * (end - at);
      if (count <= kMostIterations && written().statements.size() + more <= kMostStatements) {
        say(Remark::Kind::Made, s, fmt::format("{}: its {} iterations are unrolled", loop, count));
        for (Index i = 0; i < count; ++i) {
          set_variable(s.loop, {range.start + i * range.step, {}});
          if (i > 0) rename(at + 1, end);
          write(at + 1, end);
        }
        reset_variable(s.loop);
        return end;
      }
      say(Remark::Kind::Refused, s,
          fmt::format("{} stays: it has {} iterations, and at most {} are unrolled", loop, count,
                      kMostIterations));
    }
    keep_loop(at, range, [&] { write(at + 1, end); });
    return end;
  }
};

}  // namespace

PassResult unroll(const StatementList& list, const PassOptions& /*options*/) {
  return Unroll(list).run();
}

}  // namespace rewriter
