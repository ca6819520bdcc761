// The steps of whole numbers on arrays.
#include <algorithm>
#include <functional>
#include <type_traits>

#include "npmat/npmat.hpp"
#include "npmat/target_clones.hpp"
#include "rewriter/module/whole_numbers.hpp"
#include "rewriter/module/with_type.hpp"

namespace rewriter::module {

namespace {

template <class L>
using Unsigned = std::make_unsigned_t<L>;

template <class L>
constexpr int kBits = 8 * sizeof(L);

#define BINARY(NAME, EXPRESSION)                                     \
  struct NAME {                                                      \
    int bits;                                                        \
    template <class L>                                               \
    L operator()([[maybe_unused]] L x, [[maybe_unused]] L y) const { \
      using U [[maybe_unused]] = Unsigned<L>;                        \
      return static_cast<L>(EXPRESSION);                             \
    }                                                                \
  };
BINARY(AddOf, U(x) + U(y))
BINARY(SubtractOf, U(x) - U(y))
BINARY(MultOf, 1U * U(x) * U(y))
BINARY(AndOf, x& y)
BINARY(OrOf, x | y)
BINARY(XorOf, x ^ y)
BINARY(LessOf, x < y)
BINARY(GreaterOf, x > y)
BINARY(EqualOf, x == y)
BINARY(MinimumOf, x < y ? x : y)
BINARY(MaximumOf, x > y ? x : y)
BINARY(AbsOf, x < 0 ? U(0) - U(x) : U(x))
BINARY(LeftOf, U(x) << bits)
BINARY(RightOf, x >> bits)
BINARY(SignedOf, static_cast<L>(U(x) << (kBits<L> - bits)) >> (kBits<L> - bits))
BINARY(UnsignedOf, U(x) & static_cast<U>((std::uint64_t{1} << bits) - 1))
#undef BINARY

template <class L, class F>
CUDAMAT_TARGET_CLONES void map_run(const L* x, const L* y, std::int64_t n, F f, L* target) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) target[i] = f(x[i], y[i]);
}

template <class L>
CUDAMAT_TARGET_CLONES void choose_run(const L* condition, const L* x, const L* y, std::int64_t n,
                                      L* target) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) target[i] = condition[i] != 0 ? x[i] : y[i];
}

/// f(x, y) of floats; without y of a number.
template <class L, class F>
CUDAMAT_TARGET_CLONES void compare_run(const double* x, const double* y, double number,
                                       std::int64_t n, F f, L* target) {
  if (y == nullptr)
    for (std::int64_t i = 0; i < n; ++i) target[i] = f(x[i], number) ? 1 : 0;
  else
    for (std::int64_t i = 0; i < n; ++i) target[i] = f(x[i], y[i]) ? 1 : 0;
}

template <class To, class From>
CUDAMAT_TARGET_CLONES void convert_run(const From* from, std::int64_t n, To* target) {
  for (std::int64_t i = 0; i < n; ++i) target[i] = static_cast<To>(from[i]);
}

/// Whether one is beyond a limit, in either direction if the type is signed.
template <class L>
CUDAMAT_TARGET_CLONES bool is_one_beyond(const L* x, std::int64_t n, Unsigned<L> limit) {
  const Unsigned<L> shift = std::is_signed_v<L> ? limit : 0;
  Unsigned<L> beyond = 0;
  for (std::int64_t i = 0; i < n; ++i)
    beyond |= Unsigned<L>(Unsigned<L>(x[i]) + shift) > Unsigned<L>(limit + shift) ? 1 : 0;
  return beyond != 0;
}

template <class T>
bool is_beyond(const T* x, std::int64_t n, std::uint64_t limit) {
  if constexpr (sizeof(T) == 8)
    return is_one_beyond(x, n, limit);
  else
    return false;
}

/// The sum of up to a strip, in which no partial sum leaves the type.
template <class L>
CUDAMAT_TARGET_CLONES std::int64_t sum_run(const L* x, std::int64_t n) {
  std::conditional_t<sizeof(L) < 4, std::int32_t, std::int64_t> sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

template <class L, class F>
CUDAMAT_TARGET_CLONES L fold_run(const L* x, std::int64_t n, F f) {
  L value = x[0];
  for (std::int64_t i = 1; i < n; ++i) value = f(value, x[i]);
  return value;
}

template <class L>
CUDAMAT_TARGET_CLONES std::int64_t count_run(const L* x, std::int64_t n) {
  std::conditional_t<sizeof(L) == 1, std::int32_t, std::int64_t> count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += x[i] != 0 ? 1 : 0;
  return count;
}

/// Calls f with a null pointer to the integer type of `code`; bool's elements are numbers, too.
template <class F>
void with_integer(Code code, const F& f) {
  with_type(code == '?' ? 'B' : code, [&](auto* type) {
    if constexpr (std::is_integral_v<std::remove_pointer_t<decltype(type)>>) f(type);
  });
}

template <class F>
auto in_integers(int bytes, const F& f) {
  return bytes == 1   ? f(static_cast<std::uint8_t*>(nullptr))
         : bytes == 2 ? f(static_cast<std::int16_t*>(nullptr))
         : bytes == 4 ? f(static_cast<std::int32_t*>(nullptr))
                      : f(static_cast<std::int64_t*>(nullptr));
}

constexpr std::int64_t kStripBytes = 8192;
constexpr std::uint64_t kLimit = std::uint64_t{1} << 53;

}  // namespace

/// On one thread, in integers of type L.
template <class L>
class WholeNumbers::Run {
 public:
  explicit Run(const WholeNumbers& whole)
      : whole_(whole),
        strips_(npmat::CUDAMatrix<double>::empty(
            {kStripBytes / Index(sizeof(double)), std::max(whole.places_, 1)})),
        at_(whole.values_.size()) {
    for (const Value& value : whole.values_)
      if (value.is) std::fill_n(strip(value.place), kLength, static_cast<L>(*value.is));
  }

  bool operator()(std::span<const void* const> inputs, std::span<void* const> outputs,
                  std::int64_t first, std::int64_t n) {
    const auto last = first + n;
    for (; first < last; first += kLength) {
      const std::int64_t count = std::min(kLength, last - first);
      if (!read(inputs, outputs, first, count)) return false;
      take_steps(inputs, first, count);
      if (!write(outputs, first, count)) return false;
    }
    return true;
  }

  std::optional<std::vector<std::int64_t>> totals(std::span<const void* const> inputs,
                                                  std::int64_t first, std::int64_t n) {
    std::vector<std::int64_t> result;
    for (const auto last = first + n; first < last; first += kLength) {
      const std::int64_t count = std::min(kLength, last - first);
      if (!read(inputs, {}, first, count)) return std::nullopt;
      take_steps(inputs, first, count);
      std::vector<std::int64_t> some;
      for (const Total& total : whole_.totals_) {
        if (total.op == Total::Op::Sum && is_beyond(at(total.value), count, kSummed))
          return std::nullopt;
        some.push_back(total_of(total.op, at(total.value), count));
      }
      if (result.empty())
        result = std::move(some);
      else
        whole_.join(result, some);
      if (are_decided(result)) break;
    }
    return result;
  }

 private:
  /// Whether other elements change none of the totals.
  bool are_decided(const std::vector<std::int64_t>& totals) const {
    for (std::size_t i = 0; i < totals.size(); ++i)
      if (whole_.totals_[i].op != (totals[i] != 0 ? Total::Op::Any : Total::Op::All)) return false;
    return true;
  }

  static constexpr std::uint64_t kSummed = std::uint64_t{1} << 31;
  static std::int64_t total_of(Total::Op op, const L* x, std::int64_t n) {
    switch (op) {
      case Total::Op::Sum:
        return sum_run(x, n);
      case Total::Op::Minimum:
        return fold_run(x, n, [](L a, L b) { return a < b ? a : b; });
      case Total::Op::Maximum:
        return fold_run(x, n, [](L a, L b) { return a > b ? a : b; });
      case Total::Op::Any:
        return count_run(x, n) > 0 ? 1 : 0;
      case Total::Op::All:
        return count_run(x, n) == n ? 1 : 0;
    }
    return 0;
  }

  static constexpr std::int64_t kLength = kStripBytes / static_cast<std::int64_t>(sizeof(L));

  L* strip(int place) { return reinterpret_cast<L*>(strips_.data()) + kLength * place; }
  L* at(int value) const { return at_[static_cast<std::size_t>(value)]; }

  /// Where the values are, and what is read of them.
  bool read(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t first,
            std::int64_t n) {
    bool is_beyond_doubles = false;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const Value& value = whole_.values_[i];
      if (value.output >= 0)
        at_[i] = static_cast<L*>(outputs[static_cast<std::size_t>(value.output)]) + first;
      else if (value.place >= 0)
        at_[i] = strip(value.place);
      if (value.input < 0) continue;
      const auto input = static_cast<std::size_t>(value.input);
      with_integer(whole_.inputs_[input], [&]<class From>(From*) {
        const From* const from = static_cast<const From*>(inputs[input]) + first;
        is_beyond_doubles = is_beyond_doubles || is_beyond(from, n, kLimit);
        if (value.place >= 0)
          convert_run(from, n, at_[i]);
        else
          at_[i] = const_cast<L*>(reinterpret_cast<const L*>(from));
      });
    }
    return !is_beyond_doubles;
  }

  bool write(std::span<void* const> outputs, std::int64_t first, std::int64_t n) {
    bool is_beyond_doubles = false;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Output& output = whole_.outputs_[i];
      const L* const made = at(output.value);
      if (output.checked) is_beyond_doubles = is_beyond_doubles || is_beyond(made, n, kLimit - 1);
      if (whole_.values_[static_cast<std::size_t>(output.value)].output == static_cast<int>(i))
        continue;
      with_integer(output.code, [&]<class To>(To*) {
        convert_run(made, n, static_cast<To*>(outputs[i]) + first);
      });
    }
    return !is_beyond_doubles;
  }

  void take_steps(std::span<const void* const> inputs, std::int64_t first, std::int64_t n) {
    for (const Step& step : whole_.steps_)
      if (step.of_floats)
        compare(step, inputs, first, n);
      else
        compute(step, n);
  }

  void compare(const Step& step, std::span<const void* const> inputs, std::int64_t first,
               std::int64_t n) {
    const auto floats = [&](int operand) {
      const int input = whole_.values_[static_cast<std::size_t>(operand)].input;
      return input < 0
                 ? nullptr
                 : static_cast<const double*>(inputs[static_cast<std::size_t>(input)]) + first;
    };
    const double* const x = floats(step.operands[0]);
    const double* const y = floats(step.operands[1]);
    const double number =
        whole_.values_[static_cast<std::size_t>(step.operands[1])].real.value_or(0);
    L* const target = at(step.target);
    const auto map = [&](auto f) { compare_run(x, y, number, n, f, target); };
    if (step.op == Op::Less)
      map(std::less());
    else if (step.op == Op::Greater)
      map(std::greater());
    else
      map(std::equal_to());
  }

  void compute(const Step& step, std::int64_t n) {
    L* const target = at(step.target);
    const L* const x = at(step.operands[0]);
    const L* const y = at(step.operands[step.operands.size() > 1 ? 1 : 0]);
    const auto map = [&](auto f) { map_run(x, y, n, f, target); };
    switch (step.op) {
      case Op::Add:
        return map(AddOf{step.bits});
      case Op::Subtract:
        return map(SubtractOf{step.bits});
      case Op::Mult:
        return map(MultOf{step.bits});
      case Op::And:
        return map(AndOf{step.bits});
      case Op::Or:
        return map(OrOf{step.bits});
      case Op::Xor:
        return map(XorOf{step.bits});
      case Op::Less:
        return map(LessOf{step.bits});
      case Op::Greater:
        return map(GreaterOf{step.bits});
      case Op::Equal:
        return map(EqualOf{step.bits});
      case Op::Minimum:
        return map(MinimumOf{step.bits});
      case Op::Maximum:
        return map(MaximumOf{step.bits});
      case Op::Abs:
        return map(AbsOf{step.bits});
      case Op::ShiftLeft:
        return map(LeftOf{step.bits});
      case Op::ShiftRight:
        return map(RightOf{step.bits});
      case Op::Signed:
        return map(SignedOf{step.bits});
      case Op::Unsigned:
        return map(UnsignedOf{step.bits});
      case Op::Where:
        return choose_run(x, y, at(step.operands[2]), n, target);
    }
  }

  const WholeNumbers& whole_;
  npmat::CUDAMatrix<double> strips_;
  std::vector<L*> at_;
};

bool WholeNumbers::run(std::span<const void* const> inputs, std::span<void* const> outputs,
                       std::int64_t first, std::int64_t n) const {
  return in_integers(bytes_, [&]<class L>(L*) { return Run<L>(*this)(inputs, outputs, first, n); });
}

std::optional<std::vector<std::int64_t>> WholeNumbers::totals_of(
    std::span<const void* const> inputs, std::int64_t first, std::int64_t n) const {
  return in_integers(bytes_, [&]<class L>(L*) { return Run<L>(*this).totals(inputs, first, n); });
}

void WholeNumbers::join(std::vector<std::int64_t>& totals,
                        const std::vector<std::int64_t>& others) const {
  for (std::size_t i = 0; i < totals.size(); ++i) {
    std::int64_t& total = totals[i];
    switch (totals_[i].op) {
      case Total::Op::Sum:
        total += others[i];
        break;
      case Total::Op::Minimum:
      case Total::Op::All:
        total = std::min(total, others[i]);
        break;
      case Total::Op::Maximum:
      case Total::Op::Any:
        total = std::max(total, others[i]);
        break;
    }
  }
}

}  // namespace rewriter::module
