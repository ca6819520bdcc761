// garrays, views and shapes for {fmt}: fmt::format("{}", a), with a string's alignment and width.
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <string_view>

#include "gnumpy/garray.hpp"

template <class A>
requires std::derived_from<A, gnumpy::garray_base> || std::same_as<A, gnumpy::Shape>
struct fmt::formatter<A> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const A& a, Context& context) const {
    return fmt::formatter<std::string_view>::format(a.str(), context);
  }
};
