#include "npmat/fused_program.hpp"

#include <algorithm>
#include <limits>

#include "cudamat/error.hpp"
#include "npmat/loop_source.hpp"
#include "npmat/machine.hpp"
#include "npmat/random_stream.hpp"
#include "npmat/reduce_lanes.hpp"
#include "npmat/stream.hpp"

namespace npmat::fused {
namespace {

using cudamat::Family;
using cudamat::FusedCall;
using cudamat::FusedStep;
using cudamat::FusedTarget;
using cudamat::FusedValue;
using cudamat::Op;
using cudamat::Spread;
using In = Place::In;

constexpr Index kTall = 256;  ///< a tile of a column pays from this length on

/// Of a loop, an element and matrix: from here on memory is idle for so long that streaming a
/// target takes longer than the caches do. Measured: Black-Scholes' prices in 0.9 of the time.
constexpr Index kMuch = 5;

/// Step numbers: a value that no step reads; what is read after the last step.
constexpr int kNever = -1;
constexpr int kEnd = std::numeric_limits<int>::max();
/// A target that is no input.
constexpr int kApart = -2;

template <class T>
class Planner {
 public:
  Planner(Program<T>& program, std::pmr::memory_resource* memory)
      : program_(program),
        call_(program.call),
        body_(program.call.body),
        steps_(body_.steps.size(), memory),
        inputs_(body_.inputs.size(), memory),
        targets_(body_.targets.size(), memory),
        late_(memory),
        free_(memory) {}

  void plan() {
    place_matrices();
    find_uses();
    program_.reduced.resize(targets_.size());
    program_.stores.reserve(targets_.size());
    const bool by_loop = has_loop();
    if (program_.is_large && program_.walk.ahead == nullptr) find_memory(by_loop);
    if (by_loop) return plan_loop();
    program_.code.reserve(steps_.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) compile(int(s));
    store_what_no_step_made();
    program_.stores.insert(program_.stores.end(), late_.begin(), late_.end());
    program_.grain = 131072 / (3 + cost_);
  }

 private:
  struct Step {
    int last = kNever;  ///< the last step that reads its value
    bool needed = false;
    int first_target = -1;
    Place place;
  };
  struct Input {
    int last = kNever;
    Place loaded;
  };
  struct Target {
    int next = -1;            ///< of the same step
    int read_until = kApart;  ///< the last step that reads the input which it is
  };

  Step& step(int s) { return steps_[std::size_t(s)]; }
  Input& input(int i) { return inputs_[std::size_t(i)]; }
  Target& target(int t) { return targets_[std::size_t(t)]; }
  const FusedTarget& target_of_body(int t) const { return body_.targets[std::size_t(t)]; }

  // ---- matrices

  /// How an input lies if no tile crosses the end of a column.
  [[nodiscard]] Lie lie_in_column(Spread how, Index ld) const {
    switch (how) {
      case Spread::Whole:
        return call_.is_contiguous(ld) ? Lie::Line : Lie::Piece;
      case Spread::Column:
        return call_.cols == 1 ? Lie::Line : call_.rows == 1 ? Lie::Number : Lie::Column;
      case Spread::Row:
        return call_.rows == 1 && ld == 1 && call_.cols > 1 ? Lie::Line : Lie::Number;
      case Spread::One:
        break;
    }
    return Lie::Number;
  }

  /// Whether it is the same number in all columns.
  [[nodiscard]] bool is_constant(Spread how) const {
    return how == Spread::One || (how == Spread::Column && call_.rows == 1) ||
           (how == Spread::Row && call_.cols == 1);
  }

  void place_matrices() {
    bool columns_matter = false;
    const auto place = [&](Spread how, Index ld) {
      const Lie lie = lie_in_column(how, ld);
      columns_matter |= lie != Lie::Line && !(lie == Lie::Number && is_constant(how));
      return lie;
    };
    program_.inputs.reserve(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Spread how = body_.inputs[i];
      const auto& [data, ld] = call_.inputs[i];
      program_.inputs.push_back({data, is_constant(how) ? 0 : ld, place(how, ld)});
    }
    program_.targets.reserve(targets_.size());
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const auto& [data, ld] = call_.targets[t];
      const bool stored = body_.targets[t].is_stored();
      program_.targets.push_back({data, ld, stored ? place(Spread::Whole, ld) : Lie::Line});
    }
    if (!columns_matter) return;
    program_.by_columns = call_.rows >= kTall;
    if (program_.by_columns) return;
    program_.has_scattered = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Lie& lie = program_.inputs[i].lie;
      if (lie != Lie::Line && !is_constant(body_.inputs[i])) lie = Lie::Scattered;
    }
    for (Laid<T>& target : program_.targets)
      if (target.lie != Lie::Line) target.lie = Lie::Scattered;
  }

  // ---- who reads what

  /// Whether the target is there already: an input that is stored in itself.
  [[nodiscard]] bool is_there(std::size_t t) const {
    const FusedTarget& target = body_.targets[t];
    if (!target.is_stored() || target.value.kind != FusedValue::Kind::Input) return false;
    const auto i = std::size_t(target.value.index);
    return body_.inputs[i] == Spread::Whole && call_.inputs[i].data == call_.targets[t].data;
  }

  void find_uses() {
    for (int t = int(targets_.size()) - 1; t >= 0; --t) {
      const FusedValue& value = target_of_body(t).value;
      if (value.kind == FusedValue::Kind::Step) {
        Step& made = step(value.index);
        made.needed = true;
        target(t).next = std::exchange(made.first_target, t);
      } else if (value.kind == FusedValue::Kind::Input && !is_there(std::size_t(t))) {
        input(value.index).last = kEnd;
      }
    }
    for (int s = int(steps_.size()) - 1; s >= 0; --s) {
      if (!step(s).needed) continue;
      for (const FusedValue& value : body_.steps[std::size_t(s)].values()) read(value, s);
    }
    program_.is_large = program_.walk.writes == Writes::BySize
                            ? call_.rows * call_.cols * Index(sizeof(T)) >= kStreamBytes
                            : program_.walk.writes == Writes::Streamed;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (!body_.targets[t].is_stored()) continue;
      Laid<T>& laid = program_.targets[t];
      int& read_until = targets_[t].read_until;
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (body_.inputs[i] == Spread::Whole && call_.inputs[i].data == laid.data)
          read_until = std::max(read_until, inputs_[i].last);
      laid.streamed = program_.is_large && read_until == kApart && laid.lie != Lie::Scattered;
    }
  }

  /// Single numbers, columns and rows stay in the caches by themselves.
  void find_memory(bool by_loop) {
    const bool asks_for_lines = !by_loop || machine().prefetches;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (const Lie lie = program_.inputs[i].lie;
          lie == Lie::Piece || (lie == Lie::Line && asks_for_lines))
        program_.from_memory.push_back({int(i), is_overwritten({FusedValue::Kind::Input, int(i)})});
  }

  /// Step s, the last one so far of which that is known, reads the value.
  void read(const FusedValue& value, int s) {
    if (value.kind == FusedValue::Kind::Step) {
      step(value.index).needed = true;
      if (step(value.index).last == kNever) step(value.index).last = s;
    } else if (value.kind == FusedValue::Kind::Input) {
      if (input(value.index).last == kNever) input(value.index).last = s;
    }
  }

  // ---- slots

  Place new_slot() {
    if (free_.empty()) return {In::Slot, program_.slots++};
    const int slot = free_.back();
    free_.pop_back();
    return {In::Slot, slot};
  }

  void give_back(Place& place) {
    if (place.in == In::Slot) free_.push_back(place.index);
    place = {};
  }

  Place new_chunk() { return {In::Chunk, program_.chunks++}; }

  // ---- code

  Instruction<T>& emit(typename Instruction<T>::Kind kind, const Place& a, const Place& out) {
    Instruction<T>& instruction = program_.code.emplace_back();
    instruction.kind = kind;
    instruction.a = a;
    instruction.out = out;
    instruction.stores = program_.stores.size();
    return instruction;
  }

  Place load(int i) {
    const Place slot = new_slot();
    emit(Instruction<T>::Kind::Load, {In::Input, i}, slot);
    ++cost_;
    return slot;
  }

  Place place_of(const FusedValue& value) {
    switch (value.kind) {
      case FusedValue::Kind::Step:
        return step(value.index).place;
      case FusedValue::Kind::Number:
        return {In::Number, value.index};
      case FusedValue::Kind::Input:
        break;
    }
    if (program_.inputs[std::size_t(value.index)].lie != Lie::Scattered)
      return {In::Input, value.index};
    Place& loaded = input(value.index).loaded;
    if (loaded.in == In::Nowhere) loaded = load(value.index);
    return loaded;
  }

  [[nodiscard]] bool is_number(const Place& place) const {
    return place.in == In::Number ||
           (place.in == In::Input && program_.inputs[std::size_t(place.index)].lie == Lie::Number);
  }

  /// What step s was the last to read is no longer needed.
  void free_operands(const FusedStep& of, int s) {
    for (const FusedValue& value : of.values()) {
      if (value.kind == FusedValue::Kind::Step && step(value.index).last == s)
        give_back(step(value.index).place);
      else if (value.kind == FusedValue::Kind::Input && input(value.index).last == s)
        give_back(input(value.index).loaded);
    }
  }

  /// Whether step s may write to the target in the place of what it is as an input.
  [[nodiscard]] bool may_write(int t, int s) { return s >= target(t).read_until; }

  /// Whether all tiles begin and end where blocks do, as the loops of reductions cut them.
  [[nodiscard]] bool tiles_are_blocks() const {
    const Index rows = call_.rows;
    for (const FusedTarget& each : body_.targets) {
      if (each.is_stored()) continue;
      const bool uncut = each.axis == 0 || rows <= kMaxLanes;
      return !each.is_total() && uncut && rows % kMapBlock == 0;
    }
    return (program_.by_columns ? rows : rows * call_.cols) % kMapBlock == 0;
  }
  [[nodiscard]] bool takes_blocks(const Laid<T>& laid) const {
    const bool fits = laid.lie == Lie::Line || (laid.lie == Lie::Piece && laid.ld % kMapBlock == 0);
    return fits && reinterpret_cast<std::uintptr_t>(laid.data) % 64 == 0 && tiles_are_blocks();
  }
  /// Whether a reduction takes a matrix from where it is.
  [[nodiscard]] bool reduces_from(const FusedTarget& target, Lie lie) const {
    return lie == Lie::Line ||
           (lie == Lie::Piece && target.axis == 1 && !target.is_total() && call_.rows >= kLanes);
  }

  /// Where step s makes its value; in_blocks: as MapTile says. What is stored and reduced is
  /// reduced from where it is stored.
  Place make_place(int s, bool in_blocks) {
    bool reduces = false, from_target = true;
    for (int t = step(s).first_target; t >= 0; t = target(t).next)
      if (!target_of_body(t).is_stored()) reduces = true;
    for (int t = step(s).first_target; t >= 0; t = target(t).next) {
      if (!target_of_body(t).is_stored()) continue;
      const Laid<T>& laid = program_.targets[std::size_t(t)];
      if (!may_write(t, s) || laid.streamed || laid.lie == Lie::Scattered) continue;
      if (in_blocks && !takes_blocks(laid)) continue;
      for (int r = step(s).first_target; r >= 0; r = target(r).next)
        if (!target_of_body(r).is_stored())
          from_target = from_target && reduces_from(target_of_body(r), laid.lie);
      if (from_target) return {In::Target, t};
    }
    return reduces && !in_blocks ? new_chunk() : new_slot();
  }

  /// Sees to it that the targets of step s get its value.
  void serve_targets(int s) {
    Step& made = step(s);
    // Reductions take it from a chunk, or from the target that it is in.
    Place chunk = made.place.in == In::Slot ? Place{} : made.place;
    for (int t = made.first_target; t >= 0; t = target(t).next) {
      const Place to{In::Target, t};
      if (!target_of_body(t).is_stored()) {
        if (chunk.in == In::Nowhere) {
          chunk = new_chunk();
          program_.stores.push_back({made.place, chunk});
        }
        program_.reduced[std::size_t(t)] = chunk;
      } else if (made.place.in == In::Target && made.place.index == t) {
        continue;
      } else if (may_write(t, s)) {
        program_.stores.push_back({made.place, to});
      } else {
        late_.push_back({made.place, to});
        made.last = kEnd;
      }
    }
    program_.code.back().stores = program_.stores.size();
    if (made.last == kNever) give_back(made.place);
  }

  void compile(int s) {
    using Kind = typename Instruction<T>::Kind;
    const FusedStep& of = body_.steps[std::size_t(s)];
    if (of.count != cudamat::fused_operands(of.op))
      throw cudamat::InternalError(
          fmt::format("fused: {} has {} operands", cudamat::name(of.op), of.count));
    if (of.draws()) program_.draws.push_back(draw_later<T>(call_.rows * call_.cols));
    if (!step(s).needed) return;
    if (of.draws()) {
      step(s).place = make_place(s, false);
      emit(of.op == Op::fill_with_rand ? Kind::Uniform : Kind::Normal,
           {In::Nowhere, int(program_.draws.size()) - 1}, step(s).place);
      cost_ += 4;
      return serve_targets(s);
    }
    Place operands[FusedStep::kMost];
    for (int o = 0; o < of.count; ++o) operands[o] = place_of(of.operands[std::size_t(o)]);
    free_operands(of, s);
    if (cudamat::row(of.op).family == Family::Where) {
      step(s).place = make_place(s, false);
      Instruction<T>& where = emit(Kind::Where, operands[0], step(s).place);
      where.b = operands[1];
      where.c = operands[2];
      ++cost_;
    } else {
      map(s, operands);
    }
    serve_targets(s);
  }

  void map(int s, Place (&operands)[FusedStep::kMost]) {
    using Kind = typename Instruction<T>::Kind;
    const FusedStep& of = body_.steps[std::size_t(s)];
    const MapTile<T> tile = map_tile<T>(of.op);
    if (is_number(operands[0]) && cudamat::row(of.op).has(cudamat::kCommutative))
      std::swap(operands[0], operands[1]);
    const bool scalar = of.count == 1 || is_number(operands[1]);
    step(s).place = make_place(s, tile.in_blocks);
    Instruction<T>& map = emit(scalar ? Kind::Scalar : Kind::Matrix, operands[0], step(s).place);
    map.b = operands[1];
    if (scalar)
      map.scalar = tile.scalar;
    else
      map.matrix = tile.matrix;
    cost_ += tile.in_blocks ? 28 : cudamat::row(of.op).ulps() > 0 ? 4 : 1;
  }

  // ---- a compiled loop in the place of the steps

  bool has_loop() {
    std::uint64_t single = 0;
    if (!program_.walk.compiles || inputs_.size() > kMostLoopPointers) return false;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (program_.inputs[i].lie == Lie::Number) single |= std::uint64_t(1) << i;
    program_.loop.emplace(call_, LoopLayout{.single = single});
    return program_.loop->function() != nullptr;
  }

  void plan_loop() {
    using Kind = typename Instruction<T>::Kind;
    auto& inputs = program_.loop_inputs;
    auto& outputs = program_.loop_outputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      inputs.push_back(program_.inputs[i].lie == Lie::Scattered ? load(int(i))
                                                                : Place{In::Input, int(i)});
    for (const FusedStep& of : body_.steps) {
      cost_ += cudamat::row(of.op).ulps() > 0 ? 3 : 0;
      if (!of.draws()) continue;
      program_.draws.push_back(draw_later<T>(call_.rows * call_.cols));
      inputs.push_back(new_slot());
      emit(of.op == Op::fill_with_rand ? Kind::Uniform : Kind::Normal,
           {In::Nowhere, int(program_.draws.size()) - 1}, inputs.back());
      cost_ += 4;
    }
    cost_ += 3 + Index(steps_.size()) / 4;
    if (cost_ > kMuch * Index(inputs_.size() + targets_.size()))
      for (Laid<T>& target : program_.targets) target.streamed = false;
    outputs.resize(std::size_t(program_.loop->outputs()));
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      auto& [output, streamed_to] = outputs[std::size_t(program_.loop->output_of(t))];
      const Place to{In::Target, int(t)};
      const Laid<T>& laid = program_.targets[t];
      if (!body_.targets[t].is_stored()) {
        if (output.in == In::Nowhere) output = new_chunk();
        program_.reduced[t] = output;
      } else if (laid.streamed || laid.lie == Lie::Scattered) {
        output = new_slot();
        if (laid.streamed)
          streamed_to = int(t);
        else
          program_.stores.push_back({output, to});
      } else {
        output = to;
      }
    }
    emit(Kind::Loop, {}, {});
    program_.grain = 131072 / cost_;
  }

  // ---- targets of inputs and numbers

  [[nodiscard]] bool is_overwritten(const FusedValue& value) const {
    if (value.kind != FusedValue::Kind::Input) return false;
    const auto i = std::size_t(value.index);
    if (body_.inputs[i] != Spread::Whole) return false;
    for (std::size_t t = 0; t < targets_.size(); ++t)
      if (body_.targets[t].is_stored() && call_.targets[t].data == call_.inputs[i].data)
        return true;
    return false;
  }

  void store_what_no_step_made() {
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const FusedTarget& target = body_.targets[t];
      if (target.value.kind == FusedValue::Kind::Step || is_there(t)) continue;
      Place place = place_of(target.value);
      const bool in_line = place.in == In::Input &&
                           reduces_from(target, program_.inputs[std::size_t(place.index)].lie);
      if (!target.is_stored() && in_line && !is_overwritten(target.value)) {
        program_.reduced[t] = place;
      } else if (!target.is_stored()) {
        program_.reduced[t] = new_chunk();
        program_.stores.push_back({place, program_.reduced[t]});
      } else if (targets_[t].read_until == kApart) {
        program_.stores.push_back({place, {In::Target, int(t)}});
      } else {
        if (place.in == In::Input && is_overwritten(target.value)) place = load(place.index);
        late_.push_back({place, {In::Target, int(t)}});
      }
    }
  }

  Program<T>& program_;
  const FusedCall<T>& call_;
  const cudamat::FusedBody& body_;
  std::pmr::vector<Step> steps_;
  std::pmr::vector<Input> inputs_;
  std::pmr::vector<Target> targets_;
  std::pmr::vector<Store> late_;  ///< stores to inputs that later steps read
  std::pmr::vector<int> free_;    ///< slots
  Index cost_ = 0;
};

}  // namespace

template <class T>
Program<T>::Program(const FusedCall<T>& of, const Walk& how, std::pmr::memory_resource* memory)
    : call(of),
      walk(how),
      inputs(memory),
      targets(memory),
      from_memory(memory),
      code(memory),
      stores(memory),
      reduced(memory),
      loop_inputs(memory),
      loop_outputs(memory) {
  Planner<T>(*this, memory).plan();
}

template struct Program<float>;
template struct Program<double>;
template struct Program<long double>;

}  // namespace npmat::fused
