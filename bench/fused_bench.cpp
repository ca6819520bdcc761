// Fused statements on npmat and the calls that they stand for, against the machine's limits. The
// counter `fraction` is the time of a copy of what a fused statement moves divided by the time.
#include <fmt/format.h>
#include <vector>

#include "bench/register.hpp"
#include "cudamat/detail/unfused.hpp"
#include "npmat/engine.hpp"
#include "npmat/fused_loops.hpp"
#include "tools/limits.hpp"

namespace {

using cudamat::FusedBody;
using cudamat::FusedCall;
using cudamat::FusedValue;
using cudamat::Op;
using cudamat::Spread;
using Engine = npmat::Engine<float>;
using cudamat::Index;
using npmat::fused::Compile;

FusedValue step(int s) {
  return {FusedValue::Kind::Step, s};
}
FusedValue in(int i) {
  return {FusedValue::Kind::Input, i};
}
FusedValue number(int n) {
  return {FusedValue::Kind::Number, n};
}

/// A body with its matrices: inputs are shifted views of matrices with `ld` rows.
class Call {
 public:
  Call(FusedBody body, std::vector<float> numbers, Index rows, Index cols, Index ld)
      : body_(std::move(body)), numbers_(std::move(numbers)), rows_(rows), cols_(cols) {
    body_.numbers = int(numbers_.size());
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      memory_.emplace_back(ld * (cols + 2), 0.5F + 0.25F * float(i));
      inputs_.push_back({memory_.back().data() + (ld - rows), ld});
    }
    while (targets_.size() < body_.targets.size()) {
      memory_.emplace_back(rows * cols, 1.0F);
      targets_.push_back({memory_.back().data(), rows});
    }
  }
  [[nodiscard]] FusedCall<float> call() const {
    return {body_, rows_, cols_, inputs_, numbers_, targets_};
  }

 private:
  class Memory {
   public:
    Memory(Index n, float value) : n_(n), data_(Engine::allocate(n)) {
      Engine::fill(data_, n, value);
    }
    Memory(Memory&& other) noexcept : n_(other.n_), data_(std::exchange(other.data_, nullptr)) {}
    Memory& operator=(Memory&&) = delete;
    ~Memory() { Engine::deallocate(data_, n_); }
    [[nodiscard]] float* data() const { return data_; }

   private:
    Index n_;
    float* data_;
  };

  FusedBody body_;
  std::vector<float> numbers_;
  Index rows_, cols_;
  std::vector<Memory> memory_;
  std::vector<FusedCall<float>::Input> inputs_;
  std::vector<FusedCall<float>::Target> targets_;
};

/// Registers name/fused, by a compiled loop, name/tiles and name/calls; `moved` matrices move once.
void add(const std::string& name, double target, int moved, const FusedBody& body,
         const std::vector<float>& numbers, Index rows, Index cols, Index ld) {
  const std::string size = fmt::format("npmat-float32/{}x{}", rows, cols);
  const auto floor = [=] { return tools::copy_floor(4.0 * moved * double(rows * cols)); };
  const int times = rows * cols < 10000 ? 10000 : 1;
  const auto measure = [=](Compile mode, auto run) {
    return [=] {
      npmat::fused::set_compile_mode(mode);
      const Call made(body, numbers, rows, cols, ld);
      const auto repeat = [&] {
        for (int i = 0; i < times; ++i) run(made.call());
      };
      return tools::best_time(15, repeat) / times;
    };
  };
  bench::add(fmt::format("{}/fused/{}", name, size), target, floor,
             measure(Compile::Now, [](const auto& call) { Engine::fused(call); }));
  bench::add(fmt::format("{}/tiles/{}", name, size), 0, floor,
             measure(Compile::Off, [](const auto& call) { Engine::fused(call); }));
  bench::add(
      fmt::format("{}/calls/{}", name, size), 0, floor,
      measure(Compile::Off, [](const auto& call) { cudamat::detail::unfused<Engine>(call); }));
}

void add_all() {
  constexpr auto kWhole = Spread::Whole;
  // sqrt(abs(tanh((a b + 1) (a - b)) 0.5 + 0.25) a) + b b
  FusedBody chain;
  chain.inputs = {kWhole, kWhole};
  chain.steps = {{Op::mult, 2, {in(0), in(1)}},      {Op::add, 2, {step(0), number(0)}},
                 {Op::subtract, 2, {in(0), in(1)}},  {Op::mult, 2, {step(1), step(2)}},
                 {Op::tanh, 1, {step(3)}},           {Op::mult, 2, {step(4), number(1)}},
                 {Op::add, 2, {step(5), number(2)}}, {Op::abs, 1, {step(6)}},
                 {Op::mult, 2, {step(7), in(0)}},    {Op::sqrt, 1, {step(8)}},
                 {Op::mult, 2, {in(1), in(1)}},      {Op::add, 2, {step(9), step(10)}}};
  chain.targets = {{step(11)}};
  add("chain", 0, 3, chain, {1, 0.5F, 0.25F}, 4096, 4096, 4096);

  FusedBody slope;  // d h (1 - h)
  slope.inputs = {kWhole, kWhole};
  slope.steps = {{Op::mult, 2, {in(0), in(1)}},
                 {Op::subtract, 2, {number(0), in(1)}},
                 {Op::mult, 2, {step(0), step(1)}}};
  slope.targets = {{step(2)}};
  add("slope", 0.85, 3, slope, {1}, 4096, 4096, 4096);
  slope.targets = {{step(2)}, {step(2), Op::sum, 1}};
  add("slope_and_sum_axis1", 0.85, 3, slope, {1}, 4096, 4096, 4096);
  slope.targets = {{step(2), Op::mean, 0}, {step(2), Op::max, 0}};
  add("slope_mean_max_axis0", 0.85, 2, slope, {1}, 4096, 4096, 4096);
  slope.targets = {{step(2), Op::total_sum}};
  add("slope_total_sum", 0.85, 2, slope, {1}, 4096, 4096, 4096);

  FusedBody stencil;  // 0.2 (a + b + c + d + e), views of matrices of more rows
  stencil.inputs = std::vector<Spread>(5, kWhole);
  stencil.steps = {{Op::add, 2, {in(0), in(1)}},
                   {Op::add, 2, {step(0), in(2)}},
                   {Op::add, 2, {step(1), in(3)}},
                   {Op::add, 2, {step(2), in(4)}},
                   {Op::mult, 2, {step(3), number(0)}}};
  stencil.targets = {{step(4)}};
  add("stencil", 0.7, 6, stencil, {0.2F}, 4096, 4096, 4098);
  add("stencil", 0, 6, stencil, {0.2F}, 3, 1 << 20, 5);
  // Of rows and of columns: reductions that the statement uses itself.
  for (const int axis : {0, 1}) {
    const auto over = [axis](Op op, FusedValue value) {
      cudamat::FusedStep made{op, 1, {value}};
      made.axis = axis;
      return made;
    };
    FusedBody softmax;
    softmax.inputs = {kWhole};
    softmax.steps = {over(Op::max, in(0)),
                     {Op::subtract, 2, {in(0), step(0)}},
                     {Op::exp, 1, {step(1)}},
                     over(Op::sum, step(2)),
                     {Op::divide, 2, {step(2), step(3)}}};
    softmax.targets = {{step(4)}};
    add(fmt::format("softmax_axis{}", axis), 0.5, 2, softmax, {}, 4096, 4096, 4096);
    FusedBody norm;
    norm.inputs = {kWhole};
    norm.steps = {over(Op::mean, in(0)),
                  {Op::subtract, 2, {in(0), step(0)}},
                  {Op::mult, 2, {step(1), step(1)}},
                  over(Op::mean, step(2)),
                  {Op::add, 2, {step(3), number(0)}},
                  {Op::sqrt, 1, {step(4)}},
                  {Op::divide, 2, {step(1), step(5)}}};
    norm.targets = {{step(6)}};
    const Index rows = axis == 0 ? 1024 : 16384;
    add(fmt::format("layer_norm_axis{}", axis), 0, 2, norm, {1e-5F}, rows, (16 << 20) / rows, rows);
  }
  add("stencil", 0, 6, stencil, {0.2F}, 8, 8, 8);
  add("chain", 0, 3, chain, {1, 0.5F, 0.25F}, 8, 8, 8);
  add("chain", 0, 3, chain, {1, 0.5F, 0.25F}, 128, 256, 128);

  // p -= rate (m / c) / (sqrt(v / d) + e), m = b m + b' g, v = ...
  FusedBody adam;
  adam.inputs = std::vector<Spread>(4, kWhole);  // p, g, m, v
  adam.steps = {{Op::mult, 2, {in(2), number(0)}},
                {Op::mult, 2, {in(1), number(1)}},
                {Op::add, 2, {step(0), step(1)}},
                {Op::mult, 2, {in(3), number(2)}},
                {Op::mult, 2, {in(1), number(3)}},
                {Op::mult, 2, {step(4), in(1)}},
                {Op::add, 2, {step(3), step(5)}},
                {Op::divide, 2, {step(2), number(4)}},
                {Op::mult, 2, {step(7), number(5)}},
                {Op::divide, 2, {step(6), number(6)}},
                {Op::sqrt, 1, {step(9)}},
                {Op::add, 2, {step(10), number(7)}},
                {Op::divide, 2, {step(8), step(11)}},
                {Op::subtract, 2, {in(0), step(12)}}};
  adam.targets = {{step(2)}, {step(6)}, {step(13)}};
  const std::vector<float> rates = {0.9F, 0.1F, 0.999F, 0.001F, 0.271F, 0.001F, 0.003F, 1e-8F};
  add("adam", 0.85, 7, adam, rates, 1 << 24, 1, 1 << 24);
}

}  // namespace

int main(int argc, char** argv) {
  add_all();
  return bench::run(argc, argv);
}
