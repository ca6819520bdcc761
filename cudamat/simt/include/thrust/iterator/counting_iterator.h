// Stands in for Thrust's header of this name: numbers one after the other, for what CUB reads.
#pragma once

namespace thrust {

template <class Number>
struct counting_iterator {
  explicit counting_iterator(Number from) : first(from) {}
  Number first;
};

}  // namespace thrust
