// The reader: a block is read until what its iterations start from settles.
#include <algorithm>
#include <utility>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"

namespace rewriter {

/// The readings of one block; see LoopRun.
class Interpreter::Settling {
 public:
  Settling(Interpreter& reader, LoopBlock& block, const std::vector<std::string>& names)
      : reader_(reader),
        block_(block),
        names_(names),
        form_(block.loop.form),
        around_(reader.plan_around_) {
    begin(form_);
    if (around_ != nullptr) recall();
  }

  /// 0: the block is read; or how many of the first iterations differ from the rest.
  Index run() {
    for (int runs = 0; runs < kMostRuns; ++runs) {
      reader_.statement_place_ = reader_.place(block_.span);
      LoopRun run(reader_, block_, plan_);
      const std::optional<LoopRun::Result> result = read(run);
      if (!result || result == LoopRun::Result::Again) continue;
      if (result == LoopRun::Result::Settled) return commit(run);
      if (const Index apart = take_types(run); apart > 0) return apart;
    }
    reader_.fail(block_.span,
                 "the types of what these statements assign change in every iteration; in a loop "
                 "they must stay the same");
  }

 private:
  static constexpr int kMostRuns = 1000;
  static constexpr std::size_t kMostTypes = 16;  ///< that follow each other before they settle

  /// The plan is what the text says.
  void begin(LoopForm form) {
    block_.loop.form = form;
    plan_ = reader_.planned(block_);
    plan_.mentioned = names_;
    earlier_.clear();
  }

  /// Takes the plan that the block had when the loop around it was read before.
  void recall() {
    nth_ = around_->next_inner++;
    owners_ = reader_.owners_of(names_);
    settled_->start = reader_.start_of(block_, names_);
    if (around_->inner.size() <= nth_) around_->inner.resize(nth_ + 1);
    const auto known = std::exchange(around_->inner[nth_], nullptr);
    is_recalled_ = known && settled_->start && known->start == settled_->start &&
                   reader_.recall(*known, block_, plan_);
  }

  /// Nothing where it is to be read as another kind of loop, or by a new plan.
  std::optional<LoopRun::Result> read(LoopRun& run) {
    // A body that may leave the loop runs as long as it has not.
    const auto may_leave = [&] {
      return block_.loop.form == LoopForm::For && run.rebinds(block_.condition_name);
    };
    try {
      const LoopRun::Result result = run.run();
      if (!may_leave()) return result;
    } catch (const cudamat::CUDAMatException&) {
      if (reader_.too_long_ || !may_leave()) {
        run.restore();
        if (reader_.too_long_ || !std::exchange(is_recalled_, false)) throw;
        begin(form_);
        return std::nullopt;
      }
    }
    run.restore();
    begin(LoopForm::ForWhile);
    return std::nullopt;
  }

  Index commit(LoopRun& run) {
    if (const Index apart = kept_apart(run); apart > 0) {
      run.restore();
      return apart;
    }
    try {
      if (block_.check) block_.check();
      run.commit();
      if (around_ != nullptr && earlier_.empty() &&
          reader_.remember(*settled_, owners_, block_, plan_))
        around_->inner[nth_] = settled_;
    } catch (const cudamat::CUDAMatException&) {
      run.restore();
      throw;
    }
    return 0;
  }

  /// How many of the earlier iterations compute something else than the last one.
  Index kept_apart(LoopRun& last) const {
    Index apart = std::ssize(earlier_);
    if (apart == 0) return 0;
    const LoopTrace trace = last.trace();
    while (apart > 0 && compute_the_same(earlier_[static_cast<std::size_t>(apart - 1)], trace))
      --apart;
    return apart;
  }

  /// The next reading starts from the types that this iteration leaves; 1 where there is none.
  Index take_types(LoopRun& run) {
    const auto count = static_cast<std::size_t>(block_.loop.count());
    LoopTrace trace = run.trace();
    run.restore();
    const auto repeats = [&](const LoopTrace& other) { return other.types == run.types_at_end(); };
    const bool cycle = std::any_of(earlier_.begin(), earlier_.end(), repeats);
    const ValueTypes types = trace.types;
    earlier_.push_back(std::move(trace));
    if (earlier_.size() == count) return 1;
    if (cycle || earlier_.size() == kMostTypes) {
      if (count <= kMostTypes) return 1;
      const std::string& name = run.changing();
      reader_.fail(
          block_.span,
          fmt::format("{} is {} at the start of an iteration and {} at its end, and changes again "
                      "in later ones; in a loop of more than {} iterations the types of values "
                      "must stay the same from some iteration on",
                      name, to_string(types.at(name)), to_string(run.types_at_end().at(name)),
                      kMostTypes));
    }
    for (const auto& [name, type] : run.types_at_end()) plan_.types[name] = type;
    return 0;
  }

  Interpreter& reader_;
  LoopBlock& block_;
  const std::vector<std::string>& names_;
  LoopForm form_;
  LoopPlan* around_;  ///< of the block around, or null
  LoopPlan plan_{};
  std::vector<LoopTrace> earlier_{};  ///< of the iterations before types settle
  std::shared_ptr<SettledBlock> settled_ = std::make_shared<SettledBlock>();
  std::size_t nth_ = 0;  ///< among the blocks of the one around
  Owners owners_{};
  bool is_recalled_ = false;
};

Index Interpreter::run_settled(LoopBlock& block, const std::vector<std::string>& names) {
  return Settling(*this, block, names).run();
}

}  // namespace rewriter
