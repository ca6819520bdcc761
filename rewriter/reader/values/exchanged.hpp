// A variable that has another value for a while. Internal to the reader.
#pragma once

#include <type_traits>
#include <utility>

namespace rewriter {

/// While it lives, the variable has this value; then again the one before, also after an error.
template <class T>
class Exchanged {
 public:
  Exchanged(T& variable, std::type_identity_t<T> value)
      : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Exchanged() { variable_ = std::move(before_); }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace rewriter
