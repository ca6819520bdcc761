#include "npmat/fused_small.hpp"

#include <algorithm>

#include "npmat/map_tiles.hpp"

namespace npmat::fused {
namespace {

using cudamat::FusedCall;
using cudamat::FusedStep;
using cudamat::FusedValue;
using cudamat::Op;
using cudamat::Spread;
using Kind = FusedValue::Kind;

constexpr Index kMost = 1024;        ///< elements
constexpr Index kRoomBytes = 32768;  ///< for the values of all steps, at the same time

template <class T>
class Small {
 public:
  explicit Small(const FusedCall<T>& call)
      : call_(call),
        n_(call.rows * call.cols),
        stride_((n_ + kMapBlock - 1) / kMapBlock * kMapBlock) {}

  /// Whether it can be computed so: all values fit the room, with a number for each operand.
  [[nodiscard]] bool is_possible() const {
    const auto& body = call_.body;
    const auto steps = Index(body.steps.size());
    if (n_ > kMost || steps == 0 || (steps + FusedStep::kMost) * stride_ > kRoom) return false;
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
      const bool contiguous = call_.is_contiguous(call_.inputs[i].ld);
      if (body.inputs[i] == Spread::Whole ? !contiguous : body.inputs[i] != Spread::One)
        return false;
    }
    for (std::size_t t = 0; t < body.targets.size(); ++t) {
      const bool contiguous = call_.is_contiguous(call_.targets[t].ld);
      if (!body.targets[t].is_stored() || body.targets[t].value.kind != Kind::Step || !contiguous)
        return false;
    }
    return std::none_of(body.steps.begin(), body.steps.end(),
                        [](const FusedStep& step) { return step.draws(); });
  }

  void run() {
    const int last = int(call_.body.steps.size()) - 1;
    for (int s = 0; s < last; ++s) compute(s, slot(s));
    // Nobody reads an input after the last step, so that it may write to its target at once.
    T* home = slot(last);
    const auto& targets = call_.body.targets;
    const bool in_blocks = map_tile<T>(call_.body.steps[std::size_t(last)].op).in_blocks;
    for (std::size_t t = 0; t < targets.size() && !in_blocks; ++t)
      if (targets[t].value.index == last) home = call_.targets[t].data;
    compute(last, home);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const int s = targets[t].value.index;
      const T* const value = s == last ? home : slot(s);
      if (value != call_.targets[t].data) std::copy_n(value, n_, call_.targets[t].data);
    }
  }

 private:
  static constexpr Index kRoom = kRoomBytes / Index(sizeof(T));

  T* slot(Index s) { return room_ + stride_ * s; }

  [[nodiscard]] bool is_number(const FusedValue& value) const {
    return value.kind == Kind::Number ||
           (value.kind == Kind::Input &&
            call_.body.inputs[std::size_t(value.index)] == Spread::One);
  }

  [[nodiscard]] T number(const FusedValue& value) const {
    const auto index = std::size_t(value.index);
    return value.kind == Kind::Number ? call_.numbers[index] : call_.inputs[index].data[0];
  }

  const T* operand(const FusedStep& step, int o) {
    const FusedValue& value = step.operands[std::size_t(o)];
    if (is_number(value)) {
      T* const filled = slot(Index(call_.body.steps.size()) + o);
      std::fill_n(filled, n_, number(value));
      return filled;
    }
    const auto index = std::size_t(value.index);
    return value.kind == Kind::Step ? slot(value.index) : call_.inputs[index].data;
  }

  void compute(int s, T* out) {
    const FusedStep& step = call_.body.steps[std::size_t(s)];
    if (step.op == Op::where)
      return where_tile(operand(step, 0), operand(step, 1), operand(step, 2), out, n_);
    const MapTile<T> tile = map_tile<T>(step.op);
    const T* const a = operand(step, 0);
    if (step.count == 1)
      tile.scalar(a, T(0), T(1), out, n_);
    else if (is_number(step.operands[1]))
      tile.scalar(a, number(step.operands[1]), T(1), out, n_);
    else
      tile.matrix(a, operand(step, 1), T(1), out, n_);
  }

  const FusedCall<T>& call_;
  Index n_, stride_;
  alignas(64) T room_[kRoom];
};

}  // namespace

template <class T>
bool run_small(const FusedCall<T>& call) {
  Small<T> small(call);
  if (!small.is_possible()) return false;
  small.run();
  return true;
}

template bool run_small(const FusedCall<float>&);
template bool run_small(const FusedCall<double>&);
template bool run_small(const FusedCall<long double>&);

}  // namespace npmat::fused
