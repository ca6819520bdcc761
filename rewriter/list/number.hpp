// A number of a statement, and which number of the program it is.
#pragma once

#include <initializer_list>

namespace rewriter {

/// A program may name numbers that its user replaces later (Program::parameters). One of them, or
/// minus one of them, says so in every statement that it comes to; what is computed of it is
/// `mixed`: the statements hold for this value alone. No rule may decide by the value of a mixed
/// number to leave it out, so none is equal to any number.
class Number {
 public:
  Number(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  Number(double value, int parameter) : value_(value), parameter_(parameter) {}
  /// What is computed of others.
  static Number computed(double value, std::initializer_list<Number> of) {
    Number result(value);
    for (const Number& number : of)
      if (number.parameter_ != kNone) result.parameter_ = kMixed;
    return result;
  }

  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] bool is_parameter() const { return parameter_ >= 0; }
  [[nodiscard]] bool is_mixed() const { return parameter_ == kMixed; }
  /// Of a parameter: which one, and whether minus it.
  [[nodiscard]] int parameter() const { return parameter_; }
  [[nodiscard]] bool is_negated() const { return is_negated_; }

  Number operator-() const {
    Number result = *this;
    result.value_ = -value_;
    result.is_negated_ = !is_negated_;
    return result;
  }
  friend bool operator==(const Number& a, const Number& b) {
    return a.value_ == b.value_ && !a.is_mixed() && !b.is_mixed();
  }

 private:
  static constexpr int kNone = -1;
  static constexpr int kMixed = -2;

  double value_;
  int parameter_ = kNone;
  bool is_negated_ = false;
};

}  // namespace rewriter
