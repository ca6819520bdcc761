#include "rewriter/expr/affine.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cudamat/error.hpp"

namespace rewriter {

Index checked_sum(Index a, Index b) {
  if (__builtin_add_overflow(a, b, &a)) cudamat::misuse("program", "the integer exceeds 64 bits");
  return a;
}

Index checked_product(Index a, Index b) {
  if (__builtin_mul_overflow(a, b, &a)) cudamat::misuse("program", "the integer exceeds 64 bits");
  return a;
}

Index Loop::count() const {
  if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
  return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

Affine operator+(const Affine& a, const Affine& b) {
  Affine sum{checked_sum(a.constant, b.constant), a.terms};
  for (const LoopTerm& term : b.terms) {
    const auto same = std::find_if(sum.terms.begin(), sum.terms.end(),
                                   [&](const LoopTerm& t) { return t.loop == term.loop; });
    if (same == sum.terms.end())
      sum.terms.push_back(term);
    else if ((same->factor = checked_sum(same->factor, term.factor)) == 0)
      sum.terms.erase(same);
  }
  return sum;
}

Affine operator*(const Affine& a, Index factor) {
  if (factor == 0) return {};
  Affine product{checked_product(a.constant, factor), a.terms};
  for (LoopTerm& term : product.terms) term.factor = checked_product(term.factor, factor);
  return product;
}

Affine Affine::with(const LoopPtr& loop, Index value) const {
  Affine result{constant, {}};
  for (const LoopTerm& term : terms)
    result = result + (term.loop == loop ? Affine{checked_product(term.factor, value), {}}
                                         : Affine{0, {term}});
  return result;
}

std::optional<Affine> Affine::divided(Index divisor) const {
  Affine quotient = *this;
  if (divisor == -1) return *this * -1;
  if (divisor == 0 || constant % divisor != 0) return std::nullopt;
  quotient.constant /= divisor;
  for (LoopTerm& term : quotient.terms) {
    if (term.factor % divisor != 0) return std::nullopt;
    term.factor /= divisor;
  }
  return quotient;
}

Index Affine::bound(bool lower) const {
  Index result = constant;
  for (const auto& [loop, factor] : terms) {
    const Index first = checked_product(factor, loop->start);
    const Index last = checked_product(factor, loop->last());
    result = checked_sum(result, lower ? std::min(first, last) : std::max(first, last));
  }
  return result;
}

std::string to_string(const Affine& value) {
  std::vector<NamedTerm> terms;
  for (const auto& [loop, factor] : value.terms) terms.push_back({factor, loop->name});
  return affine_text(value.constant, terms);
}

std::string affine_text(Index constant, const std::vector<NamedTerm>& terms) {
  std::string text;
  const auto add = [&](Index number, const std::string& name) {
    const bool negative = number < 0;
    if (text.empty())
      text = negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    const std::string digits = fmt::format("{}", number).substr(negative ? 1 : 0);
    text += name.empty() ? digits : digits == "1" ? name : digits + " * " + name;
  };
  // j - i, 5 - k: what is added before what is taken away.
  const bool constant_first =
      constant > 0 && !terms.empty() &&
      std::all_of(terms.begin(), terms.end(), [](const NamedTerm& t) { return t.factor < 0; });
  if (constant_first) add(constant, "");
  for (const bool negative : {false, true})
    for (const auto& [factor, name] : terms)
      if ((factor < 0) == negative) add(factor, name);
  if (!constant_first && (constant != 0 || text.empty())) add(constant, "");
  return text;
}

}  // namespace rewriter
