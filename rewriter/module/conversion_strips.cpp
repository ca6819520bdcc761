// Runs in strips: of lists that compute element by element, on arrays of other types than the
// run's.
#include <algorithm>
#include <atomic>
#include <thread>

#include "npmat/parallel.hpp"
#include "rewriter/list/strip.hpp"
#include "rewriter/module/life.hpp"
#include "rewriter/module/run_memory.hpp"

namespace rewriter::module {

namespace {

/// Elements: few enough that those of some arrays fit a core's cache.
constexpr Index kStrip = 8192;
/// The same of whole numbers, which has strips in it.
constexpr Index kWholeStrip = 1 << 17;

/// Calls run(first, n) for strips of the elements, on several threads if they are many; each has a
/// run of its own, new_run().
template <class F>
void in_strips(Index elements, Index strip, Interrupts& interrupts, const F& new_run) {
  const auto caller = std::this_thread::get_id();
  npmat::parallel_for(elements, strip, [&](Index begin, Index end) {
    auto run = new_run();
    for (; begin < end; begin += strip) {
      run(begin, std::min(strip, end - begin));
      if (std::this_thread::get_id() == caller) interrupts.look();
    }
  });
}

}  // namespace

void Conversion::cut_into_strips() {
  const Index elements = gpu_ ? 0 : elementwise_extent(list_);
  totalled_ = gpu_ || elements > 0 ? 0 : totalled_extent(list_);
  if (elements <= kStrip) return;
  for (const Output& output : outputs_)
    if (!output.wanted || output.leaf || output.size != elements) return;
  elements_ = elements;
  strip_ = strip_of(list_, kStrip);
  rest_ = strip_of(list_, elements % kStrip);
}

bool Conversion::computes_in_strips(const std::vector<Leaf>& leaves) const {
  if (elements_ == 0) return false;
  bool casts = !joined_.empty();
  for (const Output& output : outputs_)
    casts = casts || (output.code != 0 && output.code != floating_);
  for (const Input& input : inputs_) {
    if (input.number || !leaves[input.leaf].is_array) continue;
    const Buffer& buffer = leaves[input.leaf].buffer;
    if (!buffer.is_c_order()) return false;
    casts = casts || (buffer.size() > 1 && buffer.code() != floating_);
  }
  return casts;
}

bool Conversion::computes_totals(const std::vector<Leaf>& leaves) {
  if (totalled_ == 0 || totalled_ > WholeNumbers::kMostTotalled) return false;
  for (const Input& input : inputs_) {
    if (input.number || !leaves[input.leaf].is_array) return false;
    const Buffer& buffer = leaves[input.leaf].buffer;
    if (!buffer.is_c_order() || buffer.size() != totalled_) return false;
  }
  const std::optional<WholeNumbers>& whole = whole_numbers(leaves);
  return whole && whole->totals().size() == outputs_.size();
}

template <class T>
bool Conversion::compute_totals(const std::vector<Leaf>& leaves, std::span<void* const> places) {
  std::vector<const void*> inputs;
  for (const Input& input : inputs_) inputs.push_back(leaves[input.leaf].buffer.data());
  const WholeNumbers& whole = **whole_;
  const auto found = whole.totals_of(inputs, 0, totalled_);
  for (std::size_t i = 0; found && i < places.size(); ++i)
    if (places[i] != nullptr) *static_cast<T*>(places[i]) = static_cast<T>((*found)[i]);
  return found.has_value();
}

/// On one thread. What is cast lies in memory of its own.
template <class T>
class Conversion::StripRun {
 public:
  StripRun(Conversion& conversion, const std::vector<Leaf>& leaves,
           std::span<const void* const> inputs, const Memory<T>& memory,
           std::span<const std::optional<double>> numbers)
      : conversion_(conversion),
        leaves_(leaves),
        inputs_(inputs),
        memory_(memory),
        cast_(npmat::CUDAMatrix<T>::empty({kStrip, casts()})),
        from_(inputs.size()),
        to_(memory.places.size()) {
    options_.numbers = numbers;
  }

  /// Computes n elements from the first on.
  void operator()(Index first, Index n) {
    T* cast = cast_.data();
    for (std::size_t i = 0; i < from_.size(); ++i) {
      const Input& input = conversion_.inputs_[i];
      const bool is_one =
          input.number || !leaves_[input.leaf].is_array || leaves_[input.leaf].buffer.size() == 1;
      from_[i] = is_one ? inputs_[i] : static_cast<const T*>(inputs_[i]) + first;
      if (inputs_[i] != nullptr) continue;
      leaves_[input.leaf].buffer.read(cast, input.part, first, n);
      from_[i] = std::exchange(cast, cast + kStrip);
    }
    for (std::size_t i = 0; i < to_.size(); ++i)
      to_[i] = memory_.casts(i) ? std::exchange(cast, cast + kStrip)
                                : static_cast<T*>(memory_.places[i]) + first;
    if (n == kStrip)
      conversion_.run_idle(conversion_.strip_, conversion_.idle_strips_, from_, to_, options_);
    else
      conversion_.run_idle(conversion_.rest_, conversion_.idle_rests_, from_, to_, options_);
    memory_.write(conversion_, to_, first, n);
  }

 private:
  Index casts() const {
    auto count = std::count(inputs_.begin(), inputs_.end(), nullptr);
    for (std::size_t i = 0; i < memory_.places.size(); ++i) count += memory_.casts(i) ? 1 : 0;
    return count;
  }

  Conversion& conversion_;
  const std::vector<Leaf>& leaves_;
  std::span<const void* const> inputs_;
  const Memory<T>& memory_;
  npmat::CUDAMatrix<T> cast_;
  std::vector<const void*> from_;
  std::vector<void*> to_;
  RunOptions options_;
};

const std::optional<WholeNumbers>& Conversion::whole_numbers(const std::vector<Leaf>& leaves) {
  if (whole_) return *whole_;
  std::vector<Code> inputs, outputs;
  for (const Input& input : inputs_) {
    const bool is_array = !input.number && leaves[input.leaf].is_array;
    inputs.push_back(is_array ? leaves[input.leaf].buffer.code() : Code(0));
  }
  for (const Output& output : outputs_) outputs.push_back(output.code);
  whole_ = floating_ == 'd' ? WholeNumbers::of(list_, inputs, outputs) : std::nullopt;
  return *whole_;
}

bool Conversion::compute_in_integers(const WholeNumbers& whole, const std::vector<Leaf>& leaves,
                                     std::span<void* const> outputs, Interrupts& interrupts) const {
  std::vector<const void*> inputs;
  for (const Input& input : inputs_) inputs.push_back(leaves[input.leaf].buffer.data());
  std::atomic<bool> is_exact = true;
  in_strips(elements_, kWholeStrip, interrupts, [&] {
    return [&](Index first, Index n) {
      if (is_exact && !whole.run(inputs, outputs, first, n)) is_exact = false;
    };
  });
  return is_exact;
}

template <class T>
void Conversion::compute_in_strips(const std::vector<Leaf>& leaves,
                                   std::span<const void* const> inputs, const Memory<T>& memory,
                                   std::span<const std::optional<double>> numbers) {
  const std::optional<WholeNumbers>& whole = whole_numbers(leaves);
  std::vector<void*> arrays;
  for (const Buffer& buffer : memory.buffers) arrays.push_back(buffer.data());
  const Ending::Unlocked unlocked;
  Interrupts interrupts;
  if (whole && compute_in_integers(*whole, leaves, arrays, interrupts)) return;
  in_strips(elements_, kStrip, interrupts,
            [&] { return StripRun<T>(*this, leaves, inputs, memory, numbers); });
}

#define INSTANTIATE(T)                                                                        \
  template void Conversion::compute_in_strips(const std::vector<Leaf>&,                       \
                                              std::span<const void* const>, const Memory<T>&, \
                                              std::span<const std::optional<double>>);        \
  template bool Conversion::compute_totals<T>(const std::vector<Leaf>&, std::span<void* const>);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace rewriter::module
