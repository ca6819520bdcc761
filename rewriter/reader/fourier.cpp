// np.fft: Fourier transforms, as products with matrices of cosines and sines. A length n1 * n2
// takes two small matrices and factors between them (Cooley and Tukey's first step), not one large
// one.
#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/complex.hpp"
#include "rewriter/reader/compose.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Complex numbers; without an imaginary part, real ones.
struct Spectrum {
  Array real;
  std::optional<Array> imag;

  template <class F>
  [[nodiscard]] Spectrum each(const F& f) const {
    return {f(real), imag ? std::optional<Array>(f(*imag)) : std::nullopt};
  }
  [[nodiscard]] Array imaginary() const { return imag ? *imag : full(real.shape(), 0); }
};

Spectrum argument(const Call& call, const Value* value) {
  const auto* z = value->as<Complex>();
  const Spectrum x{
      array_argument(call, z == nullptr ? value : &z->parts[0], "a"),
      z == nullptr ? std::nullopt : std::optional(array_argument(call, &z->parts[1], "a"))};
  if (x.real.ndim() == 0) misuse(call.name, "takes an array of one dimension or more");
  return x.each([](const Array& a) { return a.dtype() == DType::Float ? a : a.as_float(); });
}

Value result(const Spectrum& x) {
  return new_complex(new_array(x.real), new_array(x.imaginary()));
}

/// exp(sign * 2 pi i j k / n) for j below `rows` and k below `cols`; of small angles, which round
/// less.
Spectrum roots(Index n, Index rows, Index cols, int sign) {
  const auto count = [](Index extent) { return arange(0, static_cast<double>(extent)); };
  const Array turns = map(Op::wrap, outer(count(rows), count(cols)), Array(n));
  const Array angles = turns * Array(sign * 2 * M_PI / static_cast<double>(n));
  return {map(Op::cos, angles), map(Op::sin, angles)};
}

template <class F>
Spectrum product(const F& f, const Spectrum& x, const Spectrum& y) {
  if (!x.imag) return {f(x.real, y.real), f(x.real, *y.imag)};
  return {f(x.real, y.real) - f(*x.imag, *y.imag), f(x.real, *y.imag) + f(*x.imag, y.real)};
}

/// The largest divisor up to the root.
Index divisor(Index n) {
  auto found = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (n % found != 0) --found;
  return found;
}

/// Of rows, along them.
Spectrum transformed(const Call& call, const Spectrum& x, int sign) {
  const Index rows = x.real.shape(0), n = x.real.shape(1);
  constexpr Index kSmall = 64, kMost = 4096;
  const Index first = n <= kSmall ? 1 : divisor(n), second = n / first;
  if (second > kMost)
    misuse(
        call.name,
        "of {0} elements it is a product with a matrix of {1} x {1}, {2} x {2} at most; a length "
        "with two factors up to {2} is computed, as a power of 2 is",
        n, second, kMost);
  const auto times = [](const Array& a, const Array& b) { return matmul(a, b); };
  if (first == 1) return product(times, x, roots(n, n, n, sign));
  const auto turned = [](const Array& a) { return a.transpose({0, 2, 1}); };
  Spectrum y = x.each([&](const Array& a) { return turned(a.reshape({rows, first, second})); });
  y = product(times, y, roots(first, first, first, sign));
  y = product([](const Array& a, const Array& b) { return a * b; }, y,
              roots(n, second, first, sign));
  y = product(times, y.each(turned), roots(second, second, second, sign));
  return y.each([&](const Array& a) { return turned(a).reshape({rows, n}); });
}

/// The axis last, as rows.
struct Rows {
  Rows(const Array& a, int axis) {
    for (int k = 0; k < a.ndim(); ++k)
      if (k != axis) axes_.push_back(k);
    axes_.push_back(axis);
    for (const int k : axes_) dims_.push_back(a.shape()[static_cast<std::size_t>(k)]);
  }
  [[nodiscard]] Array of(const Array& a) const {
    return a.transpose(axes_).reshape(
        {npmat::element_count({dims_.begin(), dims_.end() - 1}), dims_.back()});
  }
  [[nodiscard]] Array back(const Array& rows) const {
    Dims dims(dims_.begin(), dims_.end() - 1);
    dims.push_back(rows.shape(1));
    std::vector<int> axes(axes_.size());
    for (std::size_t k = 0; k < axes.size(); ++k)
      axes[static_cast<std::size_t>(axes_[k])] = static_cast<int>(k);
    return rows.reshape(std::move(dims)).transpose(std::move(axes));
  }

 private:
  std::vector<int> axes_;
  Dims dims_;
};

/// Cut to n elements of each row, or with zeros behind.
Array of_length(const Array& rows, Index n) {
  const Index held = rows.shape(1);
  if (n <= held) return n == held ? rows : part(rows, 1, 0, n);
  return concatenate({rows, full({rows.shape(0), n - held}, 0)}, 1);
}

/// What norm= makes of a sum of n elements.
double scale_of(const Call& call, const Value* norm, bool inverts, Index n) {
  const auto* name = norm->as<std::string>();
  const bool is_root = name != nullptr && *name == "ortho";
  const bool is_forward = name != nullptr && *name == "forward";
  if (name == nullptr || (*name != "backward" && !is_forward && !is_root))
    misuse(call.name, "norm should be \"backward\", \"ortho\" or \"forward\"");
  const auto count = static_cast<double>(n);
  return is_root ? 1 / std::sqrt(count) : is_forward != inverts ? 1 / count : 1;
}

Index length_argument(const Call& call, const Value* n, Index otherwise) {
  const Index length = n == nullptr ? otherwise : n->integer(call.name + "'s n");
  if (length < 1) misuse(call.name, "Invalid number of FFT data points ({}) specified.", length);
  return length;
}

enum class Form : std::uint8_t { Complex, FromReal, ToReal };

/// Along one axis; `n` elements of it, or all.
Spectrum along(const Call& call, const Spectrum& x, int axis, const Value* n, const Value* norm,
               bool inverts, Form form) {
  const int at = detail::normalize_axis(call.name, axis, x.real.ndim());
  const Rows rows(x.real, at);
  const Index held = x.real.shape(at);
  const Index length = length_argument(call, n, form == Form::ToReal ? 2 * (held - 1) : held);
  const Index half = length / 2 + 1;
  Spectrum given = x.each(
      [&](const Array& a) { return of_length(rows.of(a), form == Form::ToReal ? half : length); });
  if (form == Form::ToReal) {  // the other half has the conjugates
    const auto mirrored = [&](const Array& a) {
      return part(a, 1, 1, (length + 1) / 2)
          .stepped(1, {Affine{(length + 1) / 2 - 2, {}}, -1, (length + 1) / 2 - 1});
    };
    if (length > 2)
      given = {concatenate({given.real, mirrored(given.real)}, 1),
               given.imag ? std::optional(concatenate({*given.imag, -mirrored(*given.imag)}, 1))
                          : std::nullopt};
    given = given.each([&](const Array& a) { return of_length(a, length); });
  }
  Spectrum made = transformed(call, given, inverts ? 1 : -1);
  if (form == Form::FromReal) made = made.each([&](const Array& a) { return part(a, 1, 0, half); });
  const double scale = scale_of(call, norm, inverts, length);
  return made.each([&](const Array& a) { return rows.back(scale == 1 ? a : a * Array(scale)); });
}

Value of_one_axis(const Call& call, bool inverts, Form form) {
  const auto bound = call.bind();
  const Spectrum x = argument(call, bound[0]);
  if (form == Form::FromReal && x.imag)
    misuse(call.name, "discards the imaginary part; write a.real");
  const int axis = bound[2] == nullptr ? -1 : static_cast<int>(bound[2]->integer("the axis"));
  const Spectrum made = along(call, x, axis, bound[1], bound[3], inverts, form);
  return form == Form::ToReal ? new_array(made.real) : result(made);
}

/// Axis after axis, the last one first.
Value of_several_axes(const Call& call, bool inverts, bool real, bool of_two) {
  const auto bound = call.bind();
  Spectrum x = argument(call, bound[0]);
  if (real && x.imag) misuse(call.name, "discards the imaginary part; write a.real");
  const auto listed = [&](const Value* value) -> std::vector<Value> {
    if (value == nullptr || value->is_none()) return {};
    return elements_of(*value);
  };
  const std::vector<Value> lengths = listed(bound[1]);
  std::vector<int> axes;
  for (const Value& axis : listed(bound[2]))
    axes.push_back(static_cast<int>(axis.integer("an axis")));
  const auto count = axes.empty() ? of_two            ? 2
                                    : lengths.empty() ? x.real.ndim()
                                                      : static_cast<int>(lengths.size())
                                  : 0;
  for (int k = count; k > 0; --k) axes.push_back(-k);
  if (!lengths.empty() && lengths.size() != axes.size())
    misuse(call.name, "Shape and axes have different lengths.");
  for (std::size_t k = axes.size(); k-- > 0;)
    x = along(call, x, axes[k], lengths.empty() ? nullptr : &lengths[k], bound[3], inverts,
              real && k + 1 == axes.size() ? Form::FromReal : Form::Complex);
  return result(x);
}

/// The frequencies of n samples; of the half that real ones have.
Value frequencies(const Call& call, bool half) {
  const auto bound = call.bind();
  const Index n = length_argument(call, bound[0], 0);
  const Index positive = half ? n / 2 + 1 : (n + 1) / 2;
  const auto whole = [](Index from, Index to) {
    return arange(static_cast<double>(from), static_cast<double>(to));
  };
  Array places = whole(0, positive);
  if (!half && n > 1) places = concatenate({places, whole(-(n / 2), 0)});
  const Value unit = binary_operator(
      ast::Operator::Divide, {1.0},
      binary_operator(ast::Operator::Multiply, *bound[1], {static_cast<double>(n)}));
  return new_array(places * array_argument(call, &unit, "d"));
}

}  // namespace

void enter_fourier(FunctionTable& table) {
  const char* const one = "a, n=None, axis=-1, norm='backward'";
  const char* const several = "a, s=None, axes=None, norm='backward'";
  enter(table, Topic::Fourier,
        {{"np.fft.fft", one, with(of_one_axis, false, Form::Complex), kOfOneAxis},
         {"np.fft.ifft", one, with(of_one_axis, true, Form::Complex), kOfOneAxis},
         {"np.fft.rfft", one, with(of_one_axis, false, Form::FromReal), kOfOneAxis},
         {"np.fft.irfft", one, with(of_one_axis, true, Form::ToReal), kOfOneAxis},
         {"np.fft.fft2", several, with(of_several_axes, false, false, true)},
         {"np.fft.ifft2", several, with(of_several_axes, true, false, true)},
         {"np.fft.rfft2", several, with(of_several_axes, false, true, true)},
         {"np.fft.fftn", several, with(of_several_axes, false, false, false)},
         {"np.fft.ifftn", several, with(of_several_axes, true, false, false)},
         {"np.fft.fftfreq", "n, d=1.0", with(frequencies, false)},
         {"np.fft.rfftfreq", "n, d=1.0", with(frequencies, true)}});
}

}  // namespace rewriter
