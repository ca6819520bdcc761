#include "rewriter/run/compiled_regions.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "npmat/compiled_function.hpp"
#include "npmat/engine.hpp"
#include "npmat/fused_loops.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/region_calls.hpp"
#include "npmat/threads.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/regions/regions.hpp"
#include "rewriter/text/saturating.hpp"

namespace rewriter {
namespace {

using Clock = std::chrono::steady_clock;
using cudamat::Op;
using npmat::CompiledFunction;
using npmat::RegionCalls;
using npmat::fused::Compile;
using namespace std::chrono_literals;

constexpr auto kAsk = 5ms;  ///< without a function, before there is a text

/// A statement of a region that takes longer on average has nothing to gain.
constexpr auto kLongStatement = 20us;

std::atomic<std::int64_t> runs = 0;
std::atomic<bool> shared_backwards = false;

/// While a region runs. Callbacks that compute are called by all threads that share its loop.
struct Running : RegionCalls {
  RegionHost* host = nullptr;
  std::exception_ptr failure{};
  std::mutex failing{};
  std::atomic<bool> fails = false;
  const std::thread::id owner = std::this_thread::get_id();  ///< of the program, which host knows

  template <class F>
  int guarded(const F& work) {
    try {
      work();
      return 0;
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!fails.exchange(true)) failure = std::current_exception();
      return 1;
    }
  }
};

Running& running(RegionCalls* calls) {
  return *static_cast<Running*>(calls);
}

int call(RegionCalls* calls, Index statement) {
  Running& self = running(calls);
  return self.guarded([&] {
    self.host->look(static_cast<std::size_t>(statement));  // it may take long
    self.host->call(static_cast<std::size_t>(statement), self.data);
  });
}

void bad_index(RegionCalls* calls, Index statement, double index, Index size) {
  Running& self = running(calls);
  self.guarded([&] { self.host->bad_index(static_cast<std::size_t>(statement), index, size); });
}

int look(RegionCalls* calls, Index loop) {
  Running& self = running(calls);
  if (std::this_thread::get_id() != self.owner) return int(self.fails.load());
  return self.guarded([&] { self.host->look(static_cast<std::size_t>(loop)); });
}

/// Parts are a multiple of the threads, long enough to be worth a thread, and no longer than one
/// waits for another.
void share(RegionCalls* calls, const npmat::SharedIterations& all) {
  constexpr Index kLeast = 50'000, kMost = 5'000'000, kUnit = 10'000;  // nanoseconds
  constexpr Index kParts = 8;                                          // a thread
  Running& self = running(calls);
  const Index count = all.step > 0 ? (all.end - all.start + all.step - 1) / all.step
                                   : (all.end - all.start + all.step + 1) / all.step;
  if (count <= 0) return;
  const Index work = saturating_multiply(count, all.cost);
  const bool backwards = shared_backwards.load();
  const Index threads = work < 4 * kLeast ? 1 : npmat::thread_count();
  const Index parts =
      backwards ? count
      : threads == 1
          ? 1
          : std::min({count, Index(1) << 20,
                      std::max(std::min(kParts * threads, work / kLeast), work / kMost)});
  const auto run = [&](Index part) noexcept {
    if (self.fails.load()) return;
    const Index first = count / parts * part + std::min(part, count % parts);
    const Index last = count / parts * (part + 1) + std::min(part + 1, count % parts);
    self.guarded([&] {
      constexpr Index kLine = 64;
      std::vector<char> room(static_cast<std::size_t>(all.room + kLine));
      const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(room.data()) % kLine);
      all.run(&self, all.start + first * all.step, all.start + last * all.step,
              room.data() + (kLine - past) % kLine, part == parts - 1);
    });
  };
  for (Index part = parts; backwards && part > 0; --part) run(part - 1);
  if (backwards) return;
  npmat::for_parts(parts, threads, work / kUnit, run);
}

/// The engine's functions.
template <class T>
constexpr npmat::RegionEngine<T> kEngine = {
    .map = [](int op, const T* a, T b, T* out,
              Index n) { npmat::map_tile<T>(Op(op)).scalar(a, b, T(1), out, n); },
    .map_arrays = [](int op, const T* a, const T* b, T* out,
                     Index n) { npmat::map_tile<T>(Op(op)).matrix(a, b, T(1), out, n); },
    .product =
        [](RegionCalls* calls, int flags, Index m, Index n, Index k, const T* a, const T* b, T beta,
           T alpha, T* c) {
          return running(calls).guarded([&] {
            npmat::Engine<T>::gemm(
                {(flags & 1) != 0, (flags & 2) != 0, m, n, k, alpha, a, b, beta, c});
          });
        },
    .reduce =
        [](RegionCalls* calls, int op, int axis, Index rows, Index cols, const T* a, T beta, T mult,
           T* target) {
          return running(calls).guarded([&] {
            npmat::Engine<T>::reduce({Op(op), axis, rows, cols, a, mult, beta, target});
          });
        },
    .reduce_all =
        [](RegionCalls* calls, int op, Index n, const T* a, const T* b, T beta, T mult, T* target) {
          return running(calls).guarded([&] {
            npmat::Engine<T>::reduce_all({Op(op), n, a, b, mult, beta, target});
          });
        },
    .rounded = number_in<T>,
};

}  // namespace

struct CompiledRegions::Parts {
  /// A region, and what became of it.
  struct State {
    Region region{};
    std::vector<Var> memory{};  ///< the variables whose memory it needs
    std::vector<Var> made{};    ///< those that it defines for others
    std::optional<npmat::fused::LoopCode> code;
    std::shared_ptr<CompiledFunction> function;
    Clock::duration spent{};  ///< without a function, by this runner
    std::int64_t run = 0;     ///< statements, likewise
    Clock::time_point began;  ///< what was not added to these yet
    std::int64_t first = 0;   ///< the count then
    std::int64_t iterations = 0;
    bool accounted = false;  ///< in this run

    [[nodiscard]] bool is_compiled() const { return function && function->address() != nullptr; }
  };

  const StatementList& list;
  std::function<std::string(const Region&)> text;
  const void* engine;  ///< kEngine<T>
  std::vector<State> states;
  Table<int> begins, ends;  // by statement: which region's, or -1
  Table<void*> data;
  bool all_compiled = false;  // with Compile::Now, or it failed

  [[nodiscard]] const ListLoop& loop_at(std::size_t statement) const {
    return list.loops[list.statements[statement].loop];
  }

  void find_function(State& state) {
    if (state.function) return;
    state.code = npmat::fused::named_function(text(state.region));
    state.function = npmat::compiled_function(*state.code);
  }

  /// The first ones together, once. What else takes long is compiled in the background.
  void compile_all() {
    constexpr std::size_t kMost = 512;  // functions: a few seconds
    if (std::exchange(all_compiled, true)) return;
    std::vector<npmat::fused::LoopCode> missing;
    std::map<std::string, std::size_t> places;
    for (State& state : states) {
      find_function(state);
      if (state.is_compiled() || !places.try_emplace(state.code->name, missing.size()).second)
        continue;
      missing.push_back(*state.code);
      if (missing.size() == kMost) break;
    }
    const auto objects = npmat::compiled_objects(missing);
    for (State& state : states) {
      const auto place = state.code ? places.find(state.code->name) : places.end();
      if (place == places.end() || place->second >= objects.size()) continue;
      const auto& object = objects[place->second];
      if (object != nullptr && !state.is_compiled()) state.function->load(object, place->first);
    }
  }

  void spend(State& state, std::int64_t count) {
    const Clock::time_point now = Clock::now();
    const auto time = now - std::exchange(state.began, now);
    state.spent += time;
    state.run += count - std::exchange(state.first, count);
    if (state.spent < kAsk || state.spent > kLongStatement * state.run) return;
    find_function(state);
    state.function->spend(time, [&] { return *state.code; });
  }

  std::size_t run(State& state, Index start, LoopVariables& variables, RegionHost& host) {
    if (!std::exchange(state.accounted, true)) host.account(state.region.first, state.region.last);
    for (const Var var : state.memory) data[var] = host.memory(var);
    runs.fetch_add(1, std::memory_order_relaxed);
    Running self;
    self.data = data.data();
    self.loops = variables.data();
    self.numbers = host.numbers();
    self.engine = engine;
    self.doubles = &kEngine<double>;
    self.call = call;
    self.bad_index = bad_index;
    self.look = look;
    self.share = share;
    self.host = &host;
    reinterpret_cast<void (*)(RegionCalls*, Index)>(state.function->address())(&self, start);
    if (self.failure) std::rethrow_exception(self.failure);
    for (const Var var : state.made) host.made(var, data[var]);
    return state.region.last + 1;
  }
};

void set_shared_backwards(bool backwards) {
  shared_backwards = backwards;
}

std::int64_t compiled_region_runs() {
  return runs.load();
}

CompiledRegions::CompiledRegions(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CompiledRegions::~CompiledRegions() = default;
CompiledRegions::CompiledRegions(CompiledRegions&&) noexcept = default;

template <class T>
CompiledRegions CompiledRegions::of(const StatementList& list, const HostNumbers& numbers) {
  const Compile mode = npmat::fused::compile_mode();
  if (mode != Compile::Auto && mode != Compile::Now) return CompiledRegions(nullptr);
  const std::vector<Region> all = regions(list);
  if (all.empty()) return CompiledRegions(nullptr);
  const std::size_t statements = list.statements.size();
  const auto text = [&list, &numbers,
                     texts = std::optional<RegionTexts<T>>()](const Region& region) mutable {
    if (!texts) texts.emplace(list, numbers);
    return texts->text(region);
  };
  auto parts = std::make_unique<Parts>(Parts{list,
                                             text,
                                             &kEngine<T>,
                                             {},
                                             Table<int>(statements, -1),
                                             Table<int>(statements, -1),
                                             Table<void*>(list.variables.size()),
                                             false});
  const Table<std::size_t> named = last_named(list);
  for (const Region& region : all) {
    parts->begins[region.first] = parts->ends[region.last] = static_cast<int>(parts->states.size());
    Parts::State& state = parts->states.emplace_back();
    state.region = region;
    state.memory = memory_of(list, region);
    state.made = made_by(list, region, named);
  }
  return CompiledRegions(std::move(parts));
}

void CompiledRegions::begin() {
  if (!parts_) return;
  for (Parts::State& state : parts_->states) state.accounted = false;
}

std::size_t CompiledRegions::enter(std::size_t statement, std::int64_t count,
                                   LoopVariables& variables, RegionHost& host) {
  if (!parts_ || parts_->begins[statement] < 0) return statement;
  Parts::State& state = parts_->states[static_cast<std::size_t>(parts_->begins[statement])];
  if (npmat::fused::compile_mode() == Compile::Now && !state.is_compiled()) parts_->compile_all();
  if (!state.is_compiled()) {
    state.began = Clock::now();
    state.first = count;
    return statement;
  }
  const Index start =
      state.region.is_loop ? value_in(variables, parts_->loop_at(statement).first()) : 0;
  return parts_->run(state, start, variables, host);
}

std::size_t CompiledRegions::after(std::size_t done, std::size_t next, std::int64_t count,
                                   LoopVariables& variables, RegionHost& host) {
  if (!parts_ || parts_->ends[done] < 0) return next;
  Parts::State& state = parts_->states[static_cast<std::size_t>(parts_->ends[done])];
  constexpr std::int64_t kSome = 8;  // iterations between two looks at the clock
  const bool is_over = next == done + 1;
  if (++state.iterations % kSome != 0 && !is_over) return next;
  parts_->spend(state, count);
  if (is_over || !state.is_compiled()) return next;
  return parts_->run(state, variables[parts_->list.statements[done].loop], variables, host);
}

template CompiledRegions CompiledRegions::of<float>(const StatementList&, const HostNumbers&);
template CompiledRegions CompiledRegions::of<double>(const StatementList&, const HostNumbers&);
template CompiledRegions CompiledRegions::of<long double>(const StatementList&, const HostNumbers&);

}  // namespace rewriter
