// What bodies of fused statements are found by in memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "cudamat/fused.hpp"

namespace cudamat::code {

/// Of things added one after the other.
class Hash {
 public:
  template <class X>
  Hash& add(X x) {
    sum_ = (std::rotl(sum_, 5) ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u;
    return *this;
  }
  Hash& add(const FusedValue& value) {
    return add(16 * std::int64_t{value.index} + static_cast<int>(value.kind));
  }
  Hash& add(const FusedBody& body) {
    add(body.numbers);
    for (const Spread spread : body.inputs) add(spread);
    for (const FusedStep& step : body.steps) {
      add(step.op).add(step.axis);
      for (const FusedValue& value : step.values()) add(value);
    }
    for (const FusedTarget& target : body.targets)
      add(target.value).add(target.op).add(target.axis).add(target.lies);
    return *this;
  }
  [[nodiscard]] std::size_t value() const { return sum_ ^ sum_ >> 32; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace cudamat::code
