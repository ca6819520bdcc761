// The engine of garrays over any cudamat::Matrix. Internal to gnumpy; instantiated in
// engine_npmat.cpp and engine_cuda.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "cudamat/exchange.hpp"
#include "gnumpy/engine.hpp"
#include "gnumpy/plan_replay.hpp"
#include "gnumpy/scratch.hpp"
#include "rewriter/run/execute_call.hpp"
#include "rewriter/run/execute_fused.hpp"
#include "rewriter/run/replay.hpp"

namespace gnumpy::detail {

template <class M>
class MatrixEngine : public Engine {
 public:
  using E = typename M::engine;
  using T = typename M::value_type;

  [[nodiscard]] const char* name() const override { return E::name(); }
  [[nodiscard]] int bytes_per_element() const override { return sizeof(T); }
  [[nodiscard]] Index most_exact() const override {
    return Index{1} << std::min(std::numeric_limits<T>::digits, 62);
  }

  [[nodiscard]] std::optional<cudamat::dlpack::DataType> element_type() const override {
    return cudamat::exchange::type_of<T>();
  }
  [[nodiscard]] const cudamat::Sharing& sharing() const override {
    return cudamat::exchange::sharing_of<E>();
  }

  void* allocate(Index n) override { return E::allocate(n); }
  void deallocate(void* data, Index n) noexcept override {
    E::deallocate(static_cast<T*>(data), n);
  }

  void to_device(HostSource source, void* target, Index offset) override {
    std::visit(
        [&](auto from) {
          if constexpr (std::is_same_v<decltype(from), std::span<const T>>) {
            E::copy_to_device(from.data(), at(target, offset), count(from));
          } else {
            const std::vector<T> rounded(from.begin(), from.end());
            E::copy_to_device(rounded.data(), at(target, offset), count(from));
          }
        },
        source);
  }
  void to_host(const void* source, Index offset, HostTarget target) override {
    std::visit(
        [&](auto to) {
          const T* const from = static_cast<const T*>(source) + offset;
          if constexpr (std::is_same_v<decltype(to), std::span<T>>) {
            E::copy_to_host(from, to.data(), count(to));
          } else {
            std::vector<T> numbers(to.size());
            E::copy_to_host(from, numbers.data(), count(to));
            std::transform(numbers.begin(), numbers.end(), to.begin(), [](T number) {
              return static_cast<typename decltype(to)::value_type>(number);
            });
          }
        },
        target);
  }

  void fill(void* target, Index offset, Index n, double value) override {
    E::fill(at(target, offset), n, static_cast<T>(value));
  }
  void copy_block(Index rows, Index cols, Block source, Block target) override {
    E::copy_block({rows, cols, at(source), source.ld, at(target), target.ld});
  }
  void pick(const Picks& picks, Block source, Block target) override {
    if (const Pieces pieces(picks); pieces.count > 0) {
      source.offset += picks.start * picks.after;
      return copy_block(pieces.size, pieces.count, with_ld(source, pieces.distance),
                        with_ld(target, pieces.size));
    }
    const std::vector<Index> columns = columns_of(picks);
    const Index rows = picks.after, cols = picks.before * picks.extent;
    if (cols <= most_exact()) {
      const M where = on_device(columns);
      E::gather_columns({rows, cols, count(columns), at(source), where.data(), at(target)});
    } else {
      for (std::size_t k = 0; k < columns.size(); ++k)
        E::copy(at(source) + columns[k] * rows, at(target) + static_cast<Index>(k) * rows, rows);
    }
  }
  void put(const Picks& picks, Block source, Block target) override {
    if (const Pieces pieces(picks); pieces.count > 0) {
      target.offset += picks.start * picks.after;
      return copy_block(pieces.size, pieces.count, with_ld(source, pieces.size),
                        with_ld(target, pieces.distance));
    }
    const std::vector<Index> columns = columns_of(picks);
    const Index rows = picks.after, cols = picks.before * picks.extent;
    if (cols <= most_exact()) {
      const M where = on_device(columns);
      E::scatter_columns({rows, cols, count(columns), at(source), where.data(), at(target)});
    } else {
      for (std::size_t k = 0; k < columns.size(); ++k)
        E::copy(at(source) + static_cast<Index>(k) * rows, at(target) + columns[k] * rows, rows);
    }
  }
  void transpose(Block source, Block target, Index rows, Index cols, Index inner) override {
    E::transpose(at(source), at(target), rows, cols, inner);
  }
  void cumsum(Block source, Block target, Index rows, Index cols) override {
    E::cumsum(at(source), at(target), rows, cols);
  }

  void sort(Block data, Index rows, Index cols) override { E::sort(at(data), rows, cols); }

  void gather(Index rows, Index cols, Index count, Block columns, Block source,
              Block target) override {
    E::gather_columns({rows, cols, count, at(source), at(columns), at(target)});
  }
  void scatter(Index rows, Index cols, Index count, Block columns, Block source,
               Block target) override {
    E::scatter_columns({rows, cols, count, at(source), at(columns), at(target)});
  }

  Index nonzero(Block source, Block target, Index n) override {
    return E::nonzero(at(source), at(target), n);
  }
  Index unique(Block source, Block target, Block counts, Index n) override {
    return E::unique(at(source), at(target), at_or_null(counts), n);
  }
  void search(cudamat::Side side, Block edges, Index count, Block source, Block target,
              Index n) override {
    E::search(side, at(edges), count, at(source), at(target), n);
  }
  void bincount(Block source, Block weights, Index n, Block target, Index size) override {
    E::solver(
        {cudamat::Op::bincount, 1, n, at(source), n, at_or_null(weights), T(0), size, at(target)});
  }

  void seed(std::uint64_t seed) override { E::seed(seed); }
  void uniform(void* target, Index n) override { E::uniform(static_cast<T*>(target), n); }
  void normal(void* target, Index n) override { E::normal(static_cast<T*>(target), n); }

  std::pair<double, double> extremes(const void* data, Index offset, Index n) override {
    const M elements = M::borrow(at(const_cast<void*>(data), offset), {n, 1});
    const auto number = [](M one) { return static_cast<double>(one.asarray()(0, 0)); };
    return {number(elements.min(0)), number(elements.max(0))};
  }

  void run(const Plan& plan, std::span<void* const> memory, const After& after) override {
    ScratchMemory<1024> scratch;
    std::pmr::vector<M> matrices(&scratch);
    matrices.reserve(plan.places.size());
    for (std::size_t var = 0; var < plan.places.size(); ++var) {
      const auto& [block, offset] = plan.places[var];
      matrices.push_back(M::borrow(at(memory[block], offset), plan.list.variables[var].shape));
    }
    rewriter::FusedExecutor<M> fused;
    const auto execute = [&] {
      for (const std::size_t call : plan.calls) {
        const rewriter::Statement& s = plan.list.statements[call];
        if (s.kind == rewriter::Statement::Kind::Fused)
          fused(s, matrices);
        else
          rewriter::execute_call<M>(s, matrices);
        if (after) after(s);
      }
    };
    if constexpr (rewriter::detail::kRecords<E>) {
      using Replay = PlanReplay<typename E::Recorder>;
      if (const auto settings = replay_settings();
          settings && !after && plan.launches >= Replay::kLaunches && replays())
        return Replay::run(plan, memory, *settings, execute);
    }
    execute();
  }

 protected:
  /// Where graphs are launched and how calls compute, as far as graphs depend on it; nothing: none
  /// are made.
  [[nodiscard]] virtual std::optional<int> replay_settings() const { return std::nullopt; }

  static T* at(void* data, Index offset) { return static_cast<T*>(data) + offset; }
  static T* at(const Block& block) { return at(block.data, block.offset); }
  static T* at_or_null(const Block& block) { return block.data == nullptr ? nullptr : at(block); }

 private:
  /// Equally long pieces of the memory, equally far apart, that are picked; `count` of them is 0
  /// where it is others.
  struct Pieces {
    Index size = 0, count = 0, distance = 0;

    explicit Pieces(const Picks& picks) {
      if (!picks.indices.empty() || picks.stride < 1) return;
      if (picks.stride == 1) {
        size = picks.count * picks.after;
        count = picks.before;
        distance = picks.extent * picks.after;
      } else if (picks.before == 1 || picks.count * picks.stride == picks.extent) {
        size = picks.after;
        count = picks.before * picks.count;
        distance = picks.stride * picks.after;
      }
    }
  };
  /// The numbers of the picked elements, counted through all that comes before the axis.
  static std::vector<Index> columns_of(const Picks& picks) {
    std::vector<Index> columns;
    columns.reserve(static_cast<std::size_t>(picks.before * picks.count));
    for (Index b = 0; b < picks.before; ++b)
      for (Index k = 0; k < picks.count; ++k) columns.push_back(b * picks.extent + picks(k));
    return columns;
  }
  static Block with_ld(Block block, Index ld) { return {block.data, block.offset, ld}; }
  static M on_device(std::span<const Index> indices) {
    return M(cudamat::reformat<T>(indices, {1, count(indices)}));
  }
  template <class Span>
  static Index count(const Span& span) {
    return static_cast<Index>(span.size());
  }
};

}  // namespace gnumpy::detail
