// A vector by variable, by loop or by position in a list: ints of either sign are its indices.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace rewriter {

template <class T>
class Table : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  Table(std::vector<T> rows) : std::vector<T>(std::move(rows)) {}  // NOLINT(*-explicit-*)

  template <std::integral I>
  decltype(auto) operator[](I i) {
    return std::vector<T>::operator[](static_cast<std::size_t>(i));
  }
  template <std::integral I>
  decltype(auto) operator[](I i) const {
    return std::vector<T>::operator[](static_cast<std::size_t>(i));
  }
};

}  // namespace rewriter
