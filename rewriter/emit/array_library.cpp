#include "rewriter/emit/array_library.hpp"

#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "cudamat/fused.hpp"

namespace rewriter::emit {

namespace {

using cudamat::Family;

struct Spelling {
  Op op;
  std::string_view numpy;
  std::string_view torch;      // empty: as in NumPy
  std::string_view cupy = {};  // empty: as in NumPy
};

constexpr std::string_view kNone = "-";  // the library has no such operation

// What the name of a function of NumPy does not say. The other operations are np.exp({a}, out={t})
// and np.add({a}, {x}, out={t}).
// clang-format off
constexpr Spelling kSpellings[] = {
    {Op::sigmoid, "_sigmoid({a}, out={t})", "torch.sigmoid({a}, out={t})"},
    {Op::log_1_plus_exp, "np.logaddexp({a}, 0, out={t})", "torch.logaddexp({a}, _number(0), out={t})"},
    {Op::sign, "np.sign({a}, out={t})", "{t}[:] = torch.where(torch.isnan({a}), {a}, torch.sign({a}))"},
    {Op::gamma, "{t}[:] = _gamma({a})", kNone, "cupyx.scipy.special.gamma({a}, {t})"},
    {Op::lgamma, "{t}[:] = _lgamma({a})", "torch.lgamma({a}, out={t})", "cupyx.scipy.special.gammaln({a}, {t})"},
    {Op::erf, "{t}[:] = _erf({a})", "torch.erf({a}, out={t})", "cupyx.scipy.special.erf({a}, {t})"},
    {Op::cbrt, "np.cbrt({a}, out={t})", "{t}[:] = torch.copysign(torch.abs({a}) ** (1 / 3), {a})"},
    {Op::rint, "np.rint({a}, out={t})", "torch.round({a}, out={t})"},
    {Op::isnan, "np.isnan({a}, out={t})", "{t}[:] = torch.isnan({a})"},
    {Op::isinf, "np.isinf({a}, out={t})", "{t}[:] = torch.isinf({a})"},
    {Op::equals, "np.equal({a}, {x}, out={t})", "torch.eq({a}, {x}, out={t})"},
    {Op::pow, "np.power({a}, {x}, out={t})", "torch.pow({a}, {x}, out={t})"},
    {Op::arctan2, "np.arctan2({a}, {x}, out={t})", "torch.arctan2({a}, {y}, out={t})"},
    {Op::hypot, "np.hypot({a}, {x}, out={t})", "torch.hypot({a}, {y}, out={t})"},
    {Op::minimum, "np.minimum({a}, {x}, out={t})", "torch.minimum({a}, {y}, out={t})"},
    {Op::maximum, "np.maximum({a}, {x}, out={t})", "torch.maximum({a}, {y}, out={t})"},
    {Op::mod, "np.mod({a}, {x}, out={t})", "_mod({a}, {y}, out={t})"},
    {Op::floor_divide, "np.floor_divide({a}, {x}, out={t})", "_floor_divide({a}, {y}, out={t})"},
    {Op::wrap, "_wrap({a}, {x}, out={t})", ""},
    {Op::wrap_unsigned, "_wrap_unsigned({a}, {x}, out={t})", ""},
    {Op::to_int, "_to_int({a}, {x}, out={t})", ""},
    {Op::bit_and, "{t}[:] = _whole({a}) & _whole({x})", ""},
    {Op::bit_or, "{t}[:] = _whole({a}) | _whole({x})", ""},
    {Op::bit_xor, "{t}[:] = _whole({a}) ^ _whole({x})", ""},
    {Op::mult_int32, "_mult_int32(_whole({a}), _whole({x}), out={t})", ""},
    {Op::shift, "_shift({a}, {x}, out={t})", "_shift({a}, {y}, out={t})"},
    {Op::integer_mod, "_integer_mod({a}, {x}, out={t})", "_integer_mod({a}, {y}, out={t})"},
    {Op::integer_divide, "_integer_divide({a}, {x}, out={t})", "_integer_divide({a}, {y}, out={t})"},
    {Op::soft_threshold, "_soft_threshold({a}, {n0}, out={t})", ""},
    {Op::mult_by_sigmoid_deriv, "_times_sigmoid_derivative({t}, {a})", ""},
    {Op::add_col_mult, kNone, "torch.add({a}, {b}, alpha={n0}, out={t})"},
    {Op::add_mult, kNone, "torch.add({t}, {a}, alpha={n0}, out={t})"},
    {Op::subtract_mult, kNone, "torch.sub({t}, {a}, alpha={n0}, out={t})"},
    {Op::where, "{t}[:] = np.where({a}, {b}, {c})", "{t}[:] = torch.where({a} != 0, {b}, {c})"},

    {Op::sum, "np.sum({a}, axis={axis}, keepdims=True, out={t})", "torch.sum({a}, dim={axis}, keepdim=True, out={t})"},
    {Op::mean, "np.mean({a}, axis={axis}, keepdims=True, out={t})", "torch.mean({a}, dim={axis}, keepdim=True, out={t})"},
    {Op::max, "np.max({a}, axis={axis}, keepdims=True, out={t})", "torch.amax({a}, dim={axis}, keepdim=True, out={t})"},
    {Op::min, "np.min({a}, axis={axis}, keepdims=True, out={t})", "torch.amin({a}, dim={axis}, keepdim=True, out={t})"},
    {Op::prod, "np.prod({a}, axis={axis}, keepdims=True, out={t})", "torch.prod({a}, dim={axis}, keepdim=True, out={t})"},
    {Op::any, "np.any({a}, axis={axis}, keepdims=True, out={t})", "{t}[:] = torch.sum({a} != 0, dim={axis}, keepdim=True) > 0",
     "{t}[:] = np.any({a}, axis={axis}, keepdims=True)"},
    {Op::all, "np.all({a}, axis={axis}, keepdims=True, out={t})", "{t}[:] = torch.sum({a} == 0, dim={axis}, keepdim=True) == 0",
     "{t}[:] = np.all({a}, axis={axis}, keepdims=True)"},
    {Op::argmax, "{t}[:] = np.argmax({a}, axis={axis}, keepdims=True)", "{t}[:] = torch.argmax({a}, dim={axis}, keepdim=True)"},
    {Op::argmin, "{t}[:] = np.argmin({a}, axis={axis}, keepdims=True)", "{t}[:] = torch.argmin({a}, dim={axis}, keepdim=True)"},
    {Op::euclid_norm, "{t}[:] = np.linalg.norm({a})", "{t}[:] = torch.linalg.norm({a})"},
    {Op::manhattan_norm, "{t}[:] = np.abs({a}).sum()", "{t}[:] = torch.abs({a}).sum()"},
    {Op::allfinite, "{t}[:] = np.isfinite({a}).all()", "{t}[:] = torch.isfinite({a}).all()"},
    {Op::vdot, "{t}[:] = np.vdot({a}, {b})", "{t}[:] = ({a} * {b}).sum()"},
    {Op::total_sum, "np.sum({a}, keepdims=True, out={t})", "{t}[:] = torch.sum({a})"},
    {Op::total_max, "np.max({a}, keepdims=True, out={t})", "{t}[:] = torch.max({a})"},
    {Op::total_mean, "np.mean({a}, keepdims=True, out={t})", "{t}[:] = torch.mean({a})"},

    {Op::assign, "{t}[:] = {x}", ""},
    {Op::fill_with_rand, "_rand({rng}, out={t})", ""},
    {Op::fill_with_randn, "_randn({rng}, out={t})", ""},
    {Op::dot, "np.matmul({a}, {b}, out={t})", "torch.matmul({a}, {b}, out={t})"},
    {Op::add_dot, kNone, "torch.addmm({t}, {a}, {b}, beta={n1}, alpha={n0}, out={t})"},
    {Op::transpose, "{t}[:] = {a}.T", ""},
    {Op::get_row_slice, "{t}[:] = {a}[{first}:{last}]", ""},
    {Op::get_col_slice, "{t}[:] = {a}[:, {first}:{last}]", ""},
    {Op::set_row_slice, "{t}[{first}:{last}] = {a}", ""},
    {Op::set_col_slice, "{t}[:, {first}:{last}] = {a}", ""},
    {Op::select_columns, "np.take({a}, _places({b}, {a}.shape[1]), axis=1, out={t})", "{t}[:] = {a}[:, _places({b}, {a}.shape[1])]"},
    {Op::set_selected_columns, "{t}[:, _places({a}, {t}.shape[1])] = {b}", "_set_columns({t}, {a}, {b})", "_set_columns({t}, {a}, {b})"},
    {Op::cumsum, "np.cumsum({a}, axis=1, out={t})", "{t}[:] = torch.cumsum({a}, dim=1)"},
    {Op::sort, "{t}[:] = np.sort({a}, axis=0)", "{t}[:] = torch.sort({a}, dim=0).values"},
    {Op::argsort, "{t}[:] = np.argsort({a}, axis=0, kind=\"stable\")", "{t}[:] = torch.sort({a}, dim=0, stable=True).indices"},

    {Op::solve, "{t}[:] = np.linalg.solve({a}, {b})", "{t}[:] = torch.linalg.solve({a}, {b})"},
    {Op::inv, "{t}[:] = np.linalg.inv({a})", "{t}[:] = torch.linalg.inv({a})"},
    {Op::cholesky, "{t}[:] = np.linalg.cholesky({a})", "{t}[:] = torch.linalg.cholesky({a})"},
    {Op::det, "{t}[:] = np.linalg.det({a})", "{t}[:] = torch.linalg.det({a})"},
    {Op::slogdet, "{t}[0, 0], {t}[0, 1] = np.linalg.slogdet({a})", "{t}[0, 0], {t}[0, 1] = torch.linalg.slogdet({a})"},
    {Op::lstsq, "_lstsq({a}, {b}, {n0}, out={t})", ""},
    {Op::eigh, "_eigh({a}, out={t})", ""},
    {Op::svd, "_svd({a}, out={t})", ""},
    {Op::qr, "_qr({a}, out={t})", ""},
    {Op::bincount, "_bincount({a}, {b}, out={t})", ""},
};

constexpr Helper kHelpers[] = {
    {"_number", "", R"py(def _number(x):
    """A number as the functions want it that only take tensors."""
    return torch.tensor(x, dtype=dtype, device=device)
)py", ""},
    {"_sigmoid", R"py(def _sigmoid(x, out):
    """1 / (1 + exp(-x))"""
    np.negative(x, out=out)
    np.exp(out, out=out)
    np.add(out, 1, out=out)
    np.reciprocal(out, out=out)
)py", "", ""},
    {"_times_sigmoid_derivative", R"py(def _times_sigmoid_derivative(x, y):
    """x *= y * (1 - y), for y = sigmoid(...)"""
    x *= y
    x *= 1 - y
)py", "", ""},
    {"_soft_threshold", R"py(def _soft_threshold(x, alpha, out):
    """x moved towards 0 by alpha, but not beyond it."""
    size = np.maximum(np.abs(x) - alpha, 0)
    np.multiply(np.sign(x), size, out=out)
)py", R"py(def _soft_threshold(x, alpha, out):
    """x moved towards 0 by alpha, but not beyond it."""
    torch.multiply(torch.sign(x), torch.clamp(torch.abs(x) - alpha, min=0), out=out)
    out[torch.isnan(x)] = torch.nan
)py", ""},
    {"_gamma", R"py(def _gamma_of_number(x):
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0 else math.nan


_gamma = np.frompyfunc(_gamma_of_number, 1, 1)
)py", "", ""},
    {"_lgamma", R"py(def _lgamma_of_number(x):
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


_lgamma = np.frompyfunc(_lgamma_of_number, 1, 1)
)py", "", ""},
    {"_erf", R"py(_erf = np.frompyfunc(math.erf, 1, 1)
)py", "", ""},
    {"_mod", "", R"py(def _mod(x, y, out):
    """Python's x % y, with the sign of y."""
    rest = torch.fmod(x, y)
    turned = torch.where((rest < 0) != (y < 0), rest + y, rest)
    out[:] = torch.where(rest == 0, torch.copysign(torch.zeros_like(rest), y), turned)
)py", ""},
    {"_floor_divide", "", R"py(def _floor_divide(x, y, out):
    """Python's x // y"""
    rest = torch.fmod(x, y)
    quotient = (x - rest) / y
    quotient = torch.where((rest != 0) & ((rest < 0) != (y < 0)), quotient - 1, quotient)
    whole = torch.floor(quotient)
    whole = torch.where(quotient - whole > 0.5, whole + 1, whole)
    out[:] = torch.where(y == 0, x / y, torch.where(whole == 0, torch.copysign(whole, x / y), whole))
)py", ""},
    {"_wrap", R"py(def _wrap(x, size, out):
    """The whole number x in a type of integers that has `size` values."""
    rest, size = np.fmod(x, size) + 0.0, abs(size)
    rest = np.where(rest >= size - rest, rest - size, np.where(-rest > size + rest, rest + size, rest))
    out[:] = rest
)py", R"py(def _wrap(x, size, out):
    """The whole number x in a type of integers that has `size` values."""
    rest, size = torch.fmod(x, size) + 0.0, abs(size)
    rest = torch.where(rest >= size - rest, rest - size, torch.where(-rest > size + rest, rest + size, rest))
    out[:] = rest
)py", ""},
    {"_wrap_unsigned", R"py(def _wrap_unsigned(x, size, out):
    """The whole number x in a type of integers from 0 to below size."""
    out[:] = np.mod(x, size) + 0.0
)py", R"py(def _wrap_unsigned(x, size, out):
    """The whole number x in a type of integers from 0 to below size."""
    out[:] = torch.remainder(x, size) + 0.0
)py", ""},
    {"_whole", R"py(def _whole(x):
    """Whole numbers as int64."""
    return np.asarray(x).astype(np.int64)
)py", R"py(def _whole(x):
    """Whole numbers as int64."""
    return torch.as_tensor(x, device=device).long()
)py", ""},
    {"_mult_int32", R"py(def _mult_int32(x, y, out):
    """The last 32 bits of the products."""
    out[:] = (x * y).astype(np.int32)
)py", R"py(def _mult_int32(x, y, out):
    """The last 32 bits of the products."""
    out[:] = (x * y).to(torch.int32)
)py", ""},
    {"_shift", R"py(def _shift(x, by, out):
    """x << by, and x >> -by"""
    out[:] = np.floor(np.ldexp(x, np.clip(np.asarray(by), -100, 100).astype(np.int32)))
)py", R"py(def _shift(x, by, out):
    """x << by, and x >> -by"""
    out[:] = torch.floor(torch.ldexp(x, torch.clamp(by, -100, 100)))
)py", ""},
    {"_integer_mod", R"py(def _integer_mod(x, y, out):
    """x % y of integers; 0 where y is 0."""
    out[:] = np.where(np.equal(y, 0), 0, np.mod(x, y) + 0.0)
)py", R"py(def _integer_mod(x, y, out):
    """x % y of integers; 0 where y is 0."""
    out[:] = torch.where(y == 0, torch.zeros_like(x), torch.remainder(x, y) + 0.0)
)py", ""},
    {"_integer_divide", R"py(def _integer_divide(x, y, out):
    """x // y of integers; 0 where y is 0."""
    out[:] = np.where(np.equal(y, 0), 0, np.floor_divide(x, y) + 0.0)
)py", R"py(def _integer_divide(x, y, out):
    """x // y of integers; 0 where y is 0."""
    out[:] = torch.where(y == 0, torch.zeros_like(x), torch.floor(x / y) + 0.0)
)py", ""},
    {"_to_int", R"py(def _to_int(x, limit, out):
    """x without its fraction; -limit where that is not below limit."""
    whole = np.trunc(x) + 0.0
    out[:] = np.where((whole >= -limit) & (whole < limit), whole, -limit)
)py", R"py(def _to_int(x, limit, out):
    """x without its fraction; -limit where that is not below limit."""
    whole = torch.trunc(x) + 0.0
    out[:] = torch.where((whole >= -limit) & (whole < limit), whole, -limit)
)py", ""},
    {"_rand", R"py(def _rand(rng, out):
    """Uniform random numbers above 0, up to 1."""
    if out.flags.forc and dtype != np.longdouble:
        rng.random(dtype=dtype, out=out)
        np.subtract(1, out, out=out)
    else:
        out[:] = 1 - rng.random(out.shape)
)py", R"py(def _rand(rng, out):
    """Uniform random numbers above 0, up to 1."""
    out[:] = torch.as_tensor(1 - rng.random(tuple(out.shape)))
)py", R"py(def _rand(rng, out):
    """Uniform random numbers above 0, up to 1."""
    out[:] = cp.asarray(1 - rng.random(out.shape))
)py"},
    {"_randn", R"py(def _randn(rng, out):
    """Normal random numbers."""
    if out.flags.forc and dtype != np.longdouble:
        rng.standard_normal(dtype=dtype, out=out)
    else:
        out[:] = rng.standard_normal(out.shape)
)py", R"py(def _randn(rng, out):
    """Normal random numbers."""
    out[:] = torch.as_tensor(rng.standard_normal(tuple(out.shape)))
)py", R"py(def _randn(rng, out):
    """Normal random numbers."""
    out[:] = cp.asarray(rng.standard_normal(out.shape))
)py"},
    {"_places", R"py(def _places(indices, extent):
    """The indices as integers; as everywhere, they count from the end if they are negative."""
    indices = indices.ravel()
    for index in indices[~((indices >= -extent) & (indices < extent) & (indices == np.trunc(indices)))]:
        raise IndexError(f"index {index:g} is out of bounds for axis with size {extent}")
    return indices.astype(int)
)py", R"py(def _places(indices, extent):
    """The indices as integers; as everywhere, they count from the end if they are negative."""
    indices = indices.ravel()
    for index in indices[~((indices >= -extent) & (indices < extent) & (indices == torch.trunc(indices)))]:
        raise IndexError(f"index {index:g} is out of bounds for axis with size {extent}")
    return indices.long()
)py", ""},
    {"_set_columns", R"py(def _set_columns(x, indices, columns):
    """x[:, indices] = columns; of indices that are equal the last counts, as in NumPy."""
    extent = x.shape[1]
    last = {place % extent: k for k, place in enumerate(_places(indices, extent).tolist())}
    x[:, list(last)] = columns[:, list(last.values())]
)py", "", ""},
    {"_store", R"py(def _store(out, *parts):
    """The parts one after the other, each column by column, as far as there is room in out."""
    out[0] = np.concatenate([part.ravel(order="F") for part in parts])[:out.shape[1]]
)py", R"py(def _store(out, *parts):
    """The parts one after the other, each column by column, as far as there is room in out."""
    out[0] = torch.cat([(part.T if part.ndim == 2 else part).ravel() for part in parts])[:out.shape[1]]
)py", ""},
    {"_lstsq", R"py(def _lstsq(a, b, rcond, out):
    x, _, rank, singular_values = np.linalg.lstsq(a, b, rcond=rcond)
    _store(out, x, singular_values, np.asarray(rank, dtype).reshape(1))
)py", R"py(def _lstsq(a, b, rcond, out):
    on_host = torch.linalg.lstsq(a.cpu(), b.cpu(), rcond=rcond, driver="gelsd")
    parts = on_host.solution, on_host.singular_values, on_host.rank.to(dtype).reshape(1)
    _store(out, *(part.to(device) for part in parts))
)py", ""},
    {"_eigh", R"py(def _eigh(a, out):
    if out.shape[1] == len(a):
        out[0] = np.linalg.eigvalsh(a)
    else:
        _store(out, *np.linalg.eigh(a))
)py", R"py(def _eigh(a, out):
    if out.shape[1] == len(a):
        out[0] = torch.linalg.eigvalsh(a)
    else:
        _store(out, *torch.linalg.eigh(a))
)py", ""},
    {"_svd", R"py(def _svd(a, out):
    k = min(a.shape)
    if out.shape[1] == k:
        out[0] = np.linalg.svd(a, compute_uv=False)
    else:
        u, s, v = np.linalg.svd(a, full_matrices=out.shape[1] != k * (1 + sum(a.shape)))
        _store(out, s, u, v)
)py", R"py(def _svd(a, out):
    k = min(a.shape)
    if out.shape[1] == k:
        out[0] = torch.linalg.svdvals(a)
    else:
        u, s, v = torch.linalg.svd(a, full_matrices=out.shape[1] != k * (1 + sum(a.shape)))
        _store(out, s, u, v)
)py", ""},
    {"_qr", R"py(def _qr(a, out):
    k = min(a.shape)
    q, r = np.linalg.qr(a, mode="reduced" if out.shape[1] <= k * sum(a.shape) else "complete")
    _store(out, r, q)
)py", R"py(def _qr(a, out):
    k = min(a.shape)
    q, r = torch.linalg.qr(a, mode="reduced" if out.shape[1] <= k * sum(a.shape) else "complete")
    _store(out, r, q)
)py", ""},
    {"_bincount", R"py(def _bincount(places, weights, out):
    places = places.ravel()
    if not np.all((places >= 0) & (places < out.shape[1]) & (places == np.trunc(places))):
        raise ValueError(f"bincount: the elements of x must be whole numbers from 0 to {out.shape[1] - 1}")
    weights = None if weights is None else weights.ravel()
    out[0] = np.bincount(places.astype(int), weights, out.shape[1])
)py", R"py(def _bincount(places, weights, out):
    places = places.ravel()
    if not torch.all((places >= 0) & (places < out.shape[1]) & (places == torch.trunc(places))):
        raise ValueError(f"bincount: the elements of x must be whole numbers from 0 to {out.shape[1] - 1}")
    weights = None if weights is None else weights.ravel()
    out[0] = torch.bincount(places.long(), weights, out.shape[1])
)py", ""},
};
// clang-format on

/// np.exp({a}, out={t})
std::string plain_call(Op op) {
  const std::string_view name = cudamat::numpy_name(op);
  const bool unary = cudamat::row(op).family == Family::Unary;
  return fmt::format("np.{}({{a}}, {}out={{t}})", name, unary ? "" : "{x}, ");
}

std::string_view chosen(const Spelling& spelling, ArrayLibrary library) {
  if (library == ArrayLibrary::Torch && !spelling.torch.empty()) return spelling.torch;
  if (library == ArrayLibrary::Cupy && !spelling.cupy.empty()) return spelling.cupy;
  return spelling.numpy;
}

/// By operation; empty where there is none.
std::array<std::string, cudamat::kOpCount> calls_of(ArrayLibrary library) {
  std::array<std::string, cudamat::kOpCount> calls;
  const auto at = [&](Op op) -> std::string& { return calls[static_cast<std::size_t>(op)]; };
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if ((row.family == Family::Unary || row.family == Family::Binary) && cudamat::is_numpys(row.op))
      at(row.op) = plain_call(row.op);
  for (const Spelling& spelling : kSpellings) {
    const std::string_view text = chosen(spelling, library);
    at(spelling.op) = text == kNone ? "" : std::string(text);
  }
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (const auto binary = cudamat::without_vector(row.op)) at(row.op) = at(*binary);
  for (std::string& call : calls) call = with_module(call, library);
  return calls;
}

}  // namespace

std::string_view Helper::text(ArrayLibrary library) const {
  if (library == ArrayLibrary::Torch && !torch.empty()) return torch;
  if (library == ArrayLibrary::Cupy && !cupy.empty()) return cupy;
  return numpy;
}

std::span<const Helper> helpers() {
  return kHelpers;
}

std::string_view module_of(ArrayLibrary library) {
  switch (library) {
    case ArrayLibrary::Numpy:
      return "np";
    case ArrayLibrary::Cupy:
      return "cp";
    case ArrayLibrary::Torch:
      return "torch";
  }
  return "np";
}

std::string_view negation(ArrayLibrary library) {
  return library == ArrayLibrary::Torch  ? "torch.negative({a}, out={t})"
         : library == ArrayLibrary::Cupy ? "cp.negative({a}, out={t})"
                                         : "np.negative({a}, out={t})";
}

std::string with_module(std::string_view text, ArrayLibrary library) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool starts_word =
        i == 0 || (std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0 &&
                   text[i - 1] != '_' && text[i - 1] != '.');
    if (starts_word && text.substr(i).starts_with("np.")) {
      result += module_of(library);
      i += 2;
    } else {
      result += text[i++];
    }
  }
  return result;
}

std::string_view call_of(Op op, ArrayLibrary library) {
  static const auto numpy = calls_of(ArrayLibrary::Numpy);
  static const auto cupy = calls_of(ArrayLibrary::Cupy);
  static const auto torch = calls_of(ArrayLibrary::Torch);
  const auto at = static_cast<std::size_t>(op);
  return library == ArrayLibrary::Torch  ? torch[at]
         : library == ArrayLibrary::Cupy ? cupy[at]
                                         : numpy[at];
}

}  // namespace rewriter::emit
