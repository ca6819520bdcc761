// The engine of garrays over any cudamat::Matrix. Internal to gnumpy; instantiated in
// engine_npmat.cpp and engine_cuda.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "gnumpy/engine.hpp"
#include "rewriter/execute_call.hpp"

namespace gnumpy::detail {

template <class M>
class EngineOf : public Engine {
 public:
  using E = typename M::engine;
  using T = typename M::value_type;

  [[nodiscard]] const char* name() const override { return E::name(); }
  [[nodiscard]] int bytes_per_element() const override { return sizeof(T); }
  [[nodiscard]] Index most_exact() const override {
    return Index{1} << std::min(std::numeric_limits<T>::digits, 62);
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
  void gather(Index rows, Index cols, Block source, std::span<const Index> indices,
              Block target) override {
    if (cols <= most_exact()) {
      const M where = on_device(indices);
      E::gather_columns({rows, cols, count(indices), at(source), where.data(), at(target)});
    } else {
      for (std::size_t k = 0; k < indices.size(); ++k)
        E::copy(at(source) + indices[k] * rows, at(target) + static_cast<Index>(k) * rows, rows);
    }
  }
  void scatter(Index rows, Index cols, Block source, std::span<const Index> indices,
               Block target) override {
    if (cols <= most_exact()) {
      const M where = on_device(indices);
      E::scatter_columns({rows, cols, count(indices), at(source), where.data(), at(target)});
    } else {
      for (std::size_t k = 0; k < indices.size(); ++k)
        E::copy(at(source) + static_cast<Index>(k) * rows, at(target) + indices[k] * rows, rows);
    }
  }
  void transpose(Block source, Block target, Index rows, Index cols, Index inner) override {
    E::transpose(at(source), at(target), rows, cols, inner);
  }
  void cumsum(Block source, Block target, Index rows, Index cols) override {
    E::cumsum(at(source), at(target), rows, cols);
  }

  void sort(Block data, Index rows, Index cols) override { E::sort(at(data), rows, cols); }

  void seed(std::uint64_t seed) override { E::seed(seed); }
  void uniform(void* target, Index n) override { E::uniform(static_cast<T*>(target), n); }
  void normal(void* target, Index n) override { E::normal(static_cast<T*>(target), n); }

  std::pair<double, double> extremes(const void* data, Index offset, Index n) override {
    const M elements = M::borrow(at(const_cast<void*>(data), offset), {n, 1});
    const auto number = [](M one) { return static_cast<double>(one.asarray()(0, 0)); };
    return {number(elements.min(0)), number(elements.max(0))};
  }

  void run(const Plan& plan, std::span<void* const> memory, const After& after) override {
    std::vector<M> matrices;
    matrices.reserve(plan.places.size());
    for (std::size_t var = 0; var < plan.places.size(); ++var) {
      const auto& [block, offset] = plan.places[var];
      matrices.push_back(M::borrow(at(memory[block], offset), plan.list.variables[var].shape));
    }
    for (const std::size_t call : plan.calls) {
      rewriter::execute_call(plan.list.statements[call], matrices);
      if (after) after(plan.list.statements[call]);
    }
  }

 private:
  static T* at(void* data, Index offset) { return static_cast<T*>(data) + offset; }
  static T* at(const Block& block) { return at(block.data, block.offset); }
  static M on_device(std::span<const Index> indices) {
    return M(cudamat::reformat<T>(indices, {1, count(indices)}));
  }
  template <class Span>
  static Index count(const Span& span) {
    return static_cast<Index>(span.size());
  }
};

}  // namespace gnumpy::detail
