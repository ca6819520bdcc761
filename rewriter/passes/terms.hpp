// Patterns of calls and what takes their place, written as expressions: x + a * s. Internal to the
// passes whose rules are data (rules.hpp).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cudamat/op_table.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter::terms {

/// A number: a literal or, with `found`, `factor` times one that the pattern found (or over it).
struct Number {
  Number(double literal) : factor(literal) {}  // NOLINT(google-explicit-constructor)
  Number(double times, int number, bool over = false)
      : factor(times), found(number), inverse(over) {}

  double factor;
  int found = -1;
  bool inverse = false;
};
inline Number operator-(Number a) {
  a.factor = -a.factor;
  return a;
}
inline Number operator/(double a, const Number& b) {
  return {a, b.found, true};
}

struct Term {
  static constexpr int kNoLeaf = -1;

  int leaf = kNoLeaf;            ///< any matrix, the same wherever the number stands; or a call:
  Op op = Op::assign;            ///< of `operands` and `numbers`
  std::optional<Op> or_op = {};  ///< does the same with these numbers
  std::vector<Term> operands = {};
  std::vector<Number> numbers = {};
  bool optional_factor = false;  ///< numbers[0] is a factor that the call may have
  bool any_order = false;        ///< of two operands
  bool shared = false;           ///< others may read what it computes; else only the match does
  int updates = kNoLeaf;         ///< of a result: it is computed in this leaf's memory
};

// What patterns have in common: matrices, a number, and how many numbers a sum adds up.
inline const Term x{.leaf = 0}, y{.leaf = 1}, a{.leaf = 2}, b{.leaf = 3};
inline constexpr int kLeaves = 4;
inline const Number s(1, 0), n(1, 1);
inline constexpr int kNumbers = 2;

inline Term call(Op op, std::vector<Term> operands, std::vector<Number> numbers = {}) {
  return {.op = op, .operands = std::move(operands), .numbers = std::move(numbers)};
}
inline Term update(const Term& target, Op op, std::vector<Term> operands,
                   std::vector<Number> numbers = {}) {
  Term term = call(op, std::move(operands), std::move(numbers));
  term.updates = target.leaf;
  return term;
}
/// Whichever of the two operands comes first.
inline Term either_way(Term term) {
  term.any_order = true;
  return term;
}
inline Term shared(Term term) {
  term.shared = true;
  return term;
}

inline Term operator+(const Term& l, const Term& r) {
  return call(Op::add, {l, r});
}
inline Term operator-(const Term& l, const Term& r) {
  return call(Op::subtract, {l, r});
}
inline Term operator*(const Term& l, const Term& r) {
  return call(Op::mult, {l, r});
}
inline Term operator/(const Term& l, const Term& r) {
  return call(Op::divide, {l, r});
}
inline Term operator+(const Term& l, const Number& r) {
  return call(Op::add, {l}, {r});
}
inline Term operator-(const Term& l, const Number& r) {
  return call(Op::subtract, {l}, {r});
}
inline Term operator*(const Term& l, const Number& r) {
  return call(Op::mult, {l}, {r});
}
inline Term operator/(const Term& l, const Number& r) {
  return call(Op::divide, {l}, {r});
}
/// Times or over -1.
inline Term operator-(const Term& l) {
  Term term = l * -1;
  term.or_op = Op::divide;
  return term;
}
inline Term pow(const Term& l, const Number& r) {
  return call(Op::pow, {l}, {r});
}
inline Term transposed(const Term& l) {
  return call(Op::transpose, {l});
}
inline Term exp(const Term& l) {
  return call(Op::exp, {l});
}
inline Term log(const Term& l) {
  return call(Op::log, {l});
}
inline Term reciprocal(const Term& l) {
  return call(Op::reciprocal, {l});
}
/// All elements are this number.
inline Term filled(const Number& number) {
  return shared(call(Op::assign, {}, {number}));
}
inline Term mean(const Term& l) {
  return call(Op::mean, {l});
}
inline Term sum(const Term& l) {
  return call(Op::sum, {l});
}
inline Term dot(const Term& l, const Term& r) {
  return call(Op::dot, {l, r});
}
// Times a number, where the call has one.
inline Term sum(const Term& l, const Number& factor) {
  Term term = call(Op::sum, {l}, {factor});
  term.optional_factor = true;
  return term;
}
inline Term dot(const Term& l, const Term& r, const Number& factor) {
  Term term = call(Op::dot, {l, r}, {factor});
  term.optional_factor = true;
  return term;
}

}  // namespace rewriter::terms
