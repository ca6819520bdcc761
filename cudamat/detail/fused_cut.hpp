// A fused statement that uses its own reductions, cut into parts that do not: each is computed in
// one walk through its space, one after the other.
//
// The space of a part is that of the statement, or one of its vectors: what is the same in every
// column is computed once a row, not once an element. A value that a later part needs is computed
// there again, or kept in a temporary where that would take long. Engines run the parts over the
// whole space, or over some of its rows or columns at a time, whatever is reduced being there from
// end to end: nothing else is needed of the neighbouring rows and columns.
//
// The bits are those of the steps one by one: parts are plain bodies.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cudamat/buffer.hpp"
#include "cudamat/fused.hpp"

namespace cudamat::detail {

/// A matrix of the statement, or a temporary.
struct FusedHome {
  enum class Of : std::uint8_t { Inputs, Targets, Temporaries };
  Of of = Of::Temporaries;
  int index = 0;
  friend bool operator==(const FusedHome&, const FusedHome&) = default;
};

struct FusedPart {
  Spread space = Spread::Whole;  ///< Row: 1 x cols, Column: rows x 1, One: 1 x 1
  FusedBody body;                ///< plain; its numbers are the statement's
  std::vector<FusedHome> inputs;
  std::vector<FusedHome> targets;
};

struct FusedParts {
  std::vector<FusedPart> parts;
  std::vector<Spread> temporaries;
};

/// Cuts one statement.
class FusedCutter {
 public:
  /// late: of each target whether its memory is an input's, so that it is written by the last part.
  /// keeps: whether temporaries hold what would take long to compute again.
  FusedCutter(const FusedBody& body, std::vector<bool> late, bool keeps)
      : body_(body),
        late_(std::move(late)),
        keeps_(keeps),
        spreads_(fused_spreads(body)),
        steps_(body.steps.size()) {}

  /// Requires a body that draws nothing, or a space of nothing.
  FusedParts cut() {
    find_levels();
    find_needed();
    for (int level = 0; level <= last_; ++level) {
      for (const Spread space : {Spread::One, Spread::Row, Spread::Column})
        add_vectors(space, level);
      add_whole(level);
    }
    return std::move(made_);
  }

 private:
  using Kind = FusedValue::Kind;

  struct Step {
    int level = 0;   ///< how many reductions follow one another on the way to its value
    int weight = 0;  ///< of computing it from what is in memory, in additions
    bool needed = false;
    bool leaves = false;  ///< a vector that is needed in other parts than its own
    int part = -1;        ///< Whole: where it was computed first
    FusedValue in_part;   ///< and what it is there
    bool has_home = false;
    FusedHome home;
  };
  /// A part that is being made.
  struct Making {
    FusedPart part;
    int number;              ///< of the parts
    std::vector<int> steps;  ///< by step of the statement: the part's, or -1
  };

  static constexpr int kDear = 4;       ///< from this weight on a value is kept
  static constexpr int kHeaviest = 64;  ///< weights are not counted further

  Step& step(int s) { return steps_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] const FusedStep& of(int s) const {
    return body_.steps[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] Spread spread(int s) const { return spreads_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] int count() const { return static_cast<int>(steps_.size()); }
  int level(const FusedValue& value) {
    return value.kind == Kind::Step ? step(value.index).level : 0;
  }

  // ---- what is needed where

  void find_levels() {
    for (int s = 0; s < count(); ++s) {
      const int ulps = row(of(s).op).ulps();
      step(s).weight = ulps > 0 ? 8 : of(s).op == Op::divide || of(s).op == Op::sqrt ? 2 : 1;
      for (const FusedValue& value : of(s).values()) {
        step(s).level = std::max(step(s).level, level(value));
        if (value.kind == Kind::Step && spread(value.index) == Spread::Whole)
          step(s).weight = std::min(kHeaviest, step(s).weight + step(value.index).weight);
      }
      if (of(s).reduces()) ++step(s).level;
    }
    for (const FusedTarget& target : body_.targets) last_ = std::max(last_, level(target.value));
  }

  /// In a part of this space and level.
  void need(const FusedValue& value, Spread space, int at) {
    if (value.kind != Kind::Step) return;
    Step& needed = step(value.index);
    needed.needed = true;
    if (space != spread(value.index) || at != needed.level) needed.leaves = true;
  }
  void find_needed() {
    for (const FusedTarget& target : body_.targets)
      need(target.value, target.is_vector() ? target.lies : Spread::Whole, level(target.value));
    for (int s = count(); s-- > 0;) {
      if (!step(s).needed) continue;
      const bool reduces = of(s).reduces();
      for (const FusedValue& value : of(s).values())
        need(value, reduces ? Spread::Whole : spread(s), step(s).level - reduces);
    }
  }

  // ---- parts

  [[nodiscard]] Making begin(Spread space) const {
    Making made{{}, static_cast<int>(made_.parts.size()), std::vector<int>(steps_.size(), -1)};
    made.part.space = space;
    made.part.body.numbers = body_.numbers;
    return made;
  }
  void end(Making& in) {
    if (!in.part.targets.empty()) made_.parts.push_back(std::move(in.part));
  }

  FusedHome temporary(Spread how) {
    made_.temporaries.push_back(how);
    return {FusedHome::Of::Temporaries, static_cast<int>(made_.temporaries.size()) - 1};
  }
  static void add_target(FusedPart& part, const FusedTarget& target, FusedHome home) {
    part.body.targets.push_back(target);
    part.targets.push_back(home);
  }
  static FusedValue input(FusedPart& part, FusedHome home, Spread how) {
    if (how == part.space) how = Spread::Whole;
    for (std::size_t i = 0; i < part.inputs.size(); ++i)
      if (part.inputs[i] == home && part.body.inputs[i] == how)
        return {Kind::Input, static_cast<int>(i)};
    part.inputs.push_back(home);
    part.body.inputs.push_back(how);
    return {Kind::Input, static_cast<int>(part.inputs.size()) - 1};
  }

  FusedValue value(Making& in, const FusedValue& wanted) {
    const int i = wanted.index;
    switch (wanted.kind) {
      case Kind::Number:
        return wanted;
      case Kind::Input:
        return input(in.part, {FusedHome::Of::Inputs, i},
                     body_.inputs[static_cast<std::size_t>(i)]);
      case Kind::Step:
        break;
    }
    if (const int known = in.steps[static_cast<std::size_t>(i)]; known >= 0)
      return {Kind::Step, known};
    if (spread(i) != Spread::Whole || is_kept(i, in.number))
      return input(in.part, step(i).home, spread(i));
    return compute(in, i);
  }
  /// Whether a part before this one has put a value of the whole space where it may be read.
  bool is_kept(int s, int part) {
    Step& made = step(s);
    if (made.part < 0 || made.part == part || made.weight < kDear) return false;
    if (!made.has_home && keeps_) {
      made.home = temporary(Spread::Whole);
      made.has_home = true;
      add_target(made_.parts[static_cast<std::size_t>(made.part)], {made.in_part}, made.home);
    }
    return made.has_home;
  }
  FusedValue compute(Making& in, int s) {
    FusedStep made = of(s);
    for (int o = 0; o < made.count; ++o) {
      FusedValue& operand = made.operands[static_cast<std::size_t>(o)];
      operand = value(in, operand);
    }
    in.part.body.steps.push_back(made);
    const int number = static_cast<int>(in.part.body.steps.size()) - 1;
    in.steps[static_cast<std::size_t>(s)] = number;
    if (spread(s) == Spread::Whole && step(s).part < 0) {
      step(s).part = in.number;
      step(s).in_part = {Kind::Step, number};
    }
    return {Kind::Step, number};
  }

  void add_vectors(Spread space, int at) {
    Making in = begin(space);
    for (int s = 0; s < count(); ++s)
      if (step(s).needed && !of(s).reduces() && spread(s) == space && step(s).level == at)
        compute(in, s);
    for (std::size_t t = 0; t < body_.targets.size(); ++t) {
      const FusedTarget& target = body_.targets[t];
      const FusedHome home{FusedHome::Of::Targets, static_cast<int>(t)};
      if (target.lies != space || !target.is_vector() || level(target.value) != at) continue;
      const bool is_step = target.value.kind == Kind::Step;
      if (is_step && step(target.value.index).has_home && step(target.value.index).home == home)
        continue;  // a reduction went there
      add_target(in.part, {value(in, target.value)}, home);
      if (is_step && spread(target.value.index) == space) give(target.value.index, home);
    }
    for (int s = 0; s < count(); ++s) {
      const int known = in.steps[static_cast<std::size_t>(s)];
      if (known < 0 || !step(s).leaves || step(s).has_home) continue;
      give(s, temporary(space));
      add_target(in.part, {{Kind::Step, known}}, step(s).home);
    }
    end(in);
  }
  void give(int s, FusedHome home) {
    if (step(s).has_home) return;
    step(s).home = home;
    step(s).has_home = true;
  }

  void add_whole(int at) {
    Making in = begin(Spread::Whole);
    for (int s = 0; s < count(); ++s) {
      if (!of(s).reduces() || !step(s).needed || step(s).level != at + 1) continue;
      give_reduction(s);
      add_target(in.part, {value(in, of(s).operands[0]), of(s).op, of(s).axis}, step(s).home);
    }
    for (std::size_t t = 0; t < body_.targets.size(); ++t) {
      FusedTarget target = body_.targets[t];
      const int from = level(target.value);
      if (target.is_vector() || at != (target.is_stored() && late_[t] ? last_ : from)) continue;
      const FusedValue stored = target.value;
      target.value = value(in, stored);
      const FusedHome home{FusedHome::Of::Targets, static_cast<int>(t)};
      add_target(in.part, target, home);
      if (target.is_stored() && !late_[t] && stored.kind == Kind::Step &&
          spread(stored.index) == Spread::Whole)
        give(stored.index, home);
    }
    end(in);
  }
  /// The target that the values of a reduction are, or a temporary.
  void give_reduction(int s) {
    for (std::size_t t = 0; t < body_.targets.size(); ++t) {
      const FusedTarget& target = body_.targets[t];
      if (target.lies == spread(s) && target.value == FusedValue{Kind::Step, s})
        give(s, {FusedHome::Of::Targets, static_cast<int>(t)});
    }
    if (!step(s).has_home) give(s, temporary(spread(s)));
  }

  const FusedBody& body_;
  std::vector<bool> late_;
  bool keeps_;
  std::vector<Spread> spreads_;
  std::vector<Step> steps_;
  int last_ = 0;
  FusedParts made_;
};

/// Of the targets of a call whether their memory is an input's.
template <class T>
std::vector<bool> late_targets(const FusedCall<T>& call) {
  std::vector<bool> late;
  for (const auto& target : call.targets)
    late.push_back(std::any_of(call.inputs.begin(), call.inputs.end(),
                               [&](const auto& input) { return input.data == target.data; }));
  return late;
}

/// Rows and columns of a space.
struct FusedRegion {
  Index first_row, rows, first_col, cols;
};

/// How many numbers of such a spread a region has.
inline Index size_of(Spread how, const FusedRegion& region) {
  const Index rows = how == Spread::Whole || how == Spread::Column ? region.rows : 1;
  const Index cols = how == Spread::Whole || how == Spread::Row ? region.cols : 1;
  return rows * cols;
}

/// The call of a part of a statement in a region, whose temporaries are at `temporaries`, each
/// contiguous.
template <class T>
class FusedPartCall {
 public:
  FusedPartCall(const FusedPart& part, const FusedParts& of, const FusedCall<T>& call,
                const FusedRegion& region, const std::vector<T*>& temporaries)
      : part_(part), numbers_(call.numbers) {
    rows_ = part.space == Spread::Whole || part.space == Spread::Column ? region.rows : 1;
    cols_ = part.space == Spread::Whole || part.space == Spread::Row ? region.cols : 1;
    const auto at = [&](auto* data, Index ld, Spread how) {
      if (how == Spread::Whole || how == Spread::Column) data += region.first_row;
      if (how == Spread::Whole || how == Spread::Row) data += ld * region.first_col;
      return data;
    };
    const auto temporary = [&](int i) {
      const bool stands = of.temporaries[std::size_t(i)] != Spread::Row;
      return typename FusedCall<T>::Target{temporaries[std::size_t(i)], stands ? region.rows : 1};
    };
    const auto target = [&](int i) -> typename FusedCall<T>::Target {
      const auto& [data, ld] = call.targets[std::size_t(i)];
      const Spread how = call.body.targets[std::size_t(i)].spread();
      const Index apart = how == Spread::Whole ? ld : 1;
      return {at(data, apart, how), apart};
    };
    for (const FusedHome& home : part.inputs) {
      if (home.of == FusedHome::Of::Inputs) {
        const auto& [data, ld] = call.inputs[std::size_t(home.index)];
        inputs_.push_back({at(data, ld, call.body.inputs[std::size_t(home.index)]), ld});
      } else {
        const auto [data, ld] =
            home.of == FusedHome::Of::Targets ? target(home.index) : temporary(home.index);
        inputs_.push_back({data, ld});
      }
    }
    for (const FusedHome& home : part.targets)
      targets_.push_back(home.of == FusedHome::Of::Targets ? target(home.index)
                                                           : temporary(home.index));
  }

  [[nodiscard]] FusedCall<T> call() const {
    return {part_.body, rows_, cols_, inputs_, numbers_, targets_};
  }

 private:
  const FusedPart& part_;
  std::span<const T> numbers_;
  Index rows_ = 1, cols_ = 1;
  std::vector<typename FusedCall<T>::Input> inputs_;
  std::vector<typename FusedCall<T>::Target> targets_;
};

/// Runs a statement that uses its own reductions, part by part: run(call) computes a plain one.
template <class E, class Run>
void run_parts(const FusedCall<typename E::value_type>& call, bool keeps, const Run& run) {
  using T = typename E::value_type;
  const FusedParts cut = FusedCutter(call.body, late_targets(call), keeps).cut();
  const FusedRegion all{0, call.rows, 0, call.cols};
  std::vector<std::unique_ptr<Buffer<E>>> memory;
  std::vector<T*> temporaries;
  for (const Spread how : cut.temporaries) {
    memory.push_back(std::make_unique<Buffer<E>>(size_of(how, all)));
    temporaries.push_back(memory.back()->data());
  }
  for (const FusedPart& part : cut.parts)
    run(FusedPartCall<T>(part, cut, call, all, temporaries).call());
}

}  // namespace cudamat::detail
