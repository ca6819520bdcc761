// Functions of the notation that draw random numbers. All of them draw from one stream, that of
// rand and randn; np.random's functions, a Generator's and a RandomState's methods are the same.
// tools/numpy_check.py computes each from the same draws with the same formulas.
#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Array drawn(const Call& call, const Array& numbers) {
  call.steps.push_back(numbers.node());
  note_draws(call.steps);
  return numbers;
}

/// Of `size`, or if that is omitted of the parameters' common shape.
Dims size_of(const Call& call, const Value* size, const std::vector<Array>& parameters) {
  if (size != nullptr) return dims_of(call, *size);
  Dims dims;
  for (const Array& parameter : parameters)
    dims = detail::broadcast_or_refuse(call.name, dims, parameter.shape());
  return dims;
}

bool is_number(const Array& a, double number) {
  return a.is_number() && a.node()->number == number;
}

/// NumPy draws one number of Python's where no size is asked for.
Value made(const Array& numbers, const Value* size) {
  return size == nullptr && numbers.ndim() == 0 ? python_number(numbers) : new_array(numbers);
}

void refuse_negative_scale(const Call& call, const Array& scale) {
  if (detail::bounds(*scale.node()).greatest < 0)
    misuse(Exception::ValueError, call.name, "scale < 0");
}

Value normal(const Call& call) {
  const auto bound = call.bind();
  const Array loc = array_argument(call, bound[0], "loc");
  const Array scale = array_argument(call, bound[1], "scale");
  refuse_negative_scale(call, scale);
  Array numbers = drawn(call, randn(size_of(call, bound[2], {loc, scale})));
  if (!is_number(scale, 1)) numbers = numbers * scale;
  return made(is_number(loc, 0) ? numbers : numbers + loc, bound[2]);
}

/// mean + z L', where L L' is the covariance.
Value multivariate_normal(const Call& call) {
  const auto bound = call.bind();
  const Array mean = array_argument(call, bound[0], "mean");
  const Array cov = array_argument(call, bound[1], "cov");
  if (mean.ndim() != 1 || cov.shape() != Dims{mean.size(), mean.size()})
    misuse(call.name, "takes a mean of shape (n,) and a covariance of shape (n, n); got {} and {}",
           to_string(mean.shape()), to_string(cov.shape()));
  Dims dims = bound[2] == nullptr ? Dims{} : dims_of(call, *bound[2]);
  dims.push_back(mean.size());
  const Array numbers = drawn(call, randn(dims));
  const Value root = call_function({"np.linalg.cholesky", {new_array(cov)}, {}, call.steps});
  return new_array(dot(numbers, to_array(root, "a root").T()) + mean);
}

Value lognormal(const Call& call) {
  const auto bound = call.bind();
  const Array mean = array_argument(call, bound[0], "mean");
  const Array sigma = array_argument(call, bound[1], "sigma");
  const Array numbers = drawn(call, randn(size_of(call, bound[2], {mean, sigma})));
  return made(map(Op::exp, numbers * sigma + mean), bound[2]);
}

Value uniform(const Call& call) {
  const auto bound = call.bind();
  const Array low = array_argument(call, bound[0], "low");
  const Array high = array_argument(call, bound[1], "high");
  Array numbers = drawn(call, rand(size_of(call, bound[2], {low, high})));
  const Array range = high - low;
  if (!is_number(range, 1)) numbers = numbers * range;
  return made(is_number(low, 0) ? numbers : numbers + low, bound[2]);
}

Value exponential(const Call& call) {
  const auto bound = call.bind();
  const Array scale = bound.size() == 1 ? Array(1.0) : array_argument(call, bound[0], "scale");
  refuse_negative_scale(call, scale);
  const Array numbers = drawn(call, rand(size_of(call, bound.back(), {scale})));
  return made(map(Op::log, numbers) * -scale, bound.back());
}

/// Whole numbers from 0 to `count` - 1. The draws are above 0, up to 1: their multiple, rounded up,
/// is 1 to `count`.
Array whole_numbers(const Array& draws, const Array& count) {
  return map(Op::ceil, draws * count) - Array(1.0);
}

enum class Ints : std::uint8_t { Python, Numpy, NumpyToHigh };

/// ToHigh includes the upper bound, which endpoint= may ask for as well.
Value integers(const Call& call, Ints kind) {
  const auto bound = call.bind();
  const std::optional<DType> dtype = dtype_argument(bound[3]);
  const bool is_lone = bound[1] == nullptr;
  const Array low = is_lone ? Array(0) : array_argument(call, bound[0], "low");
  Array high = array_argument(call, bound[is_lone ? 0 : 1], is_lone ? "low" : "high");
  if (kind == Ints::NumpyToHigh || (bound.size() == 5 && flag(bound[4]))) high = high + Array(1);
  if (low.dtype() == DType::Float || high.dtype() == DType::Float)
    misuse(call.name, "the bounds must be ints");
  if (low.is_number() && high.is_number() && low.node()->number >= high.node()->number)
    misuse(Exception::ValueError, call.name, "low >= high");
  const Array draws = drawn(call, rand(size_of(call, bound[2], {low, high})));
  Array numbers = whole_numbers(draws, high - low);
  if (!is_number(low, 0)) numbers = numbers + low;
  numbers = detail::as_integers(numbers.as_type(DType::Int), dtype.value_or(DType::Int));
  return kind == Ints::Python && bound[3] == nullptr ? made(numbers, bound[2]) : new_array(numbers);
}

/// The trials that succeed, each a draw.
Value binomial(const Call& call) {
  const auto bound = call.bind();
  const Index trials = bound[0]->integer("binomial's n");
  if (trials < 0)
    misuse(Exception::ValueError, call.name, "n < 0: the number of trials is {}", trials);
  const Array p = array_argument(call, bound[1], "p");
  Dims dims = size_of(call, bound[2], {p});
  if (trials == 1) return made((drawn(call, rand(dims)) <= p).as_type(DType::Int), bound[2]);
  dims.insert(dims.begin(), trials);
  return made(reduce(Op::sum, (drawn(call, rand(dims)) <= p).as_type(DType::Int), 0), bound[2]);
}

// ---- orders ----

Value sorted_places(const Call& call, Index count) {
  const Value draws = new_array(drawn(call, rand({count})));
  return call_function(
      {"np.argsort", {draws}, {{"kind", Value{std::string("stable")}}}, call.steps, call.written});
}

/// The number of elements that there are to choose from: an int, or an array's rows.
Index population(const Call& call, const Value& x) {
  if (x.is_number() && !x.is_real()) return x.integer("");
  const Array a = array_argument(call, &x, "a");
  if (a.ndim() == 0) misuse(call.name, "expects an int or an array; got {}", x.description());
  return a.shape(0);
}

Value taken(const Call& call, const Value& x, const Value& places) {
  if (x.is_number()) return places;
  const Value array = x.as<ObjectPtr>() != nullptr ? x : new_array(array_argument(call, &x, "a"));
  return subscript(array, {places});
}

Value permutation(const Call& call) {
  const auto bound = call.bind();
  return taken(call, *bound[0], sorted_places(call, population(call, *bound[0])));
}

Value shuffle(const Call& call) {
  const auto bound = call.bind();
  const auto* object = bound[0]->as<ObjectPtr>();
  if (object == nullptr) misuse(call.name, "of an array; got {}", bound[0]->description());
  const Value places = sorted_places(call, population(call, *bound[0]));
  const Value mixed = taken(call, *bound[0], places);
  write_whole(call, *bound[0], array_argument(call, &mixed, "x"));
  return {};
}

Value chosen(const Call& call) {
  const auto bound = call.bind();
  const auto* from = bound[0]->as<ObjectPtr>();
  if (call.name == "np.random.choice" && from != nullptr && (*from)->shape().size() > 1)
    misuse(Exception::ValueError, call.name, "a must be 1-dimensional");
  const Index count = population(call, *bound[0]);
  if (count <= 0) misuse(Exception::ValueError, call.name, "a cannot be empty");
  const Dims dims = bound[1] == nullptr ? Dims{} : dims_of(call, *bound[1]);
  Value places;
  if (!flag(bound[2])) {
    const Index size = npmat::element_count(dims);
    if (bound[3] != nullptr) misuse(call.name, "p= with replace=False is not supported");
    if (size > count)
      misuse(Exception::ValueError, call.name,
             "Cannot take a larger sample than population when replace is False");
    const Value all = sorted_places(call, count);
    places = new_array(array_argument(call, &all, "a").slice({Range{0, size}}).reshape(dims));
  } else {
    const Array draws = drawn(call, rand(dims));
    if (bound[3] == nullptr) {
      places = made(whole_numbers(draws, Array(static_cast<double>(count))).as_type(DType::Int),
                    bound[1]);
    } else {
      const Array p = array_argument(call, bound[3], "p") * Array(1.0);
      if (p.shape() != Dims{count})
        misuse(Exception::ValueError, call.name, "'a' and 'p' must have same size");
      const auto* shares = bound[3]->as<Sequence>();
      if (shares != nullptr && std::ranges::all_of(shares->items, &Value::is_number)) {
        double sum = -1;
        for (const Value& share : shares->items) sum += share.real();
        if (std::abs(sum) > 1e-8)
          misuse(Exception::ValueError, call.name, "probabilities do not sum to 1");
      }
      Dims column = dims;
      column.push_back(1);
      const Array below = running(Op::add, p, 0) < draws.reshape(column);
      places =
          made(minimum(reduce(Op::sum, below, static_cast<int>(dims.size())), Array(count - 1)),
               bound[1]);
    }
  }
  return taken(call, *bound[0], places);
}

Value plain(const Call& call, bool is_normal) {
  const auto bound = call.bind();
  if (dtype_argument(bound[1]).value_or(DType::Float) != DType::Float)
    misuse(call.name, "draws floats");
  const Dims dims = bound[0] == nullptr ? Dims{} : dims_of(call, *bound[0]);
  return made(drawn(call, is_normal ? randn(dims) : rand(dims)), bound[0]);
}

// ---- generators ----

/// A seed of default_rng starts another stream than the same number of np.random.seed.
constexpr std::uint64_t kGeneratorSeed = 0x5DEECE66;

/// np.random.default_rng(seed), np.random.RandomState(seed).
Value generator(const Call& call, bool is_legacy) {
  const auto bound = call.bind();
  Module module{is_legacy ? "numpy.random.RandomState()" : "numpy.random.Generator()"};
  const auto* other = bound[0] == nullptr ? nullptr : bound[0]->as<Module>();
  if (other != nullptr && !is_legacy && other->name == module.name) return *bound[0];
  if (bound[0] != nullptr) {
    const Index number = bound[0]->integer("the seed");
    if (number < 0)
      misuse(Exception::ValueError, call.name, "expected non-negative integer; got {}", number);
    const auto given = static_cast<std::uint64_t>(number);
    const Array stream = seed(is_legacy ? given : (given ^ kGeneratorSeed) & 0xffffffffU);
    const auto started = Node::create_like(*stream.node());
    if (!is_legacy) started->text = fmt::format("{}", given);
    call.steps.push_back(started);
    note_draws(call.steps);
    module.seed = started;
  }
  return {module};
}

/// A type to ask for.
Value class_of_generators(const Call& call) {
  misuse(call.name, "bit generators are not supported; use np.random.default_rng(seed)");
}

}  // namespace

void refuse_interleaved(const Module& generator, const std::vector<NodePtr>& steps) {
  if (generator.seed == nullptr) return;
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const NodePtr& node) { return node->kind == Kind::Seed; });
  if (last != steps.rend() && *last != generator.seed && (*last)->number == generator.seed->number)
    misuse("random",
           "two generators with the same seed draw in turn, which is not supported: in NumPy both "
           "draw the same numbers; use different seeds");
}

void enter_draws(FunctionTable& table) {
  const auto everywhere = [](std::string_view name) {
    return fmt::format("np.random.{0} np.random.RandomState().{0} np.random.Generator().{0}", name);
  };
  const char* const of_integers = "low, high=None, size=None, dtype=None";
  enter(table, Topic::Draw,
        {{everywhere("normal"), "loc=0.0, scale=1.0, size=None", normal, kMakesDoubles},
         {everywhere("lognormal"), "mean=0.0, sigma=1.0, size=None", lognormal, kMakesDoubles},
         {everywhere("multivariate_normal"), "mean, cov, size=None, check_valid='warn', tol=1e-8",
          multivariate_normal, kMakesDoubles},
         {everywhere("uniform"), "low=0.0, high=1.0, size=None", uniform, kMakesDoubles},
         {everywhere("exponential"), "scale=1.0, size=None", exponential, kMakesDoubles},
         {everywhere("standard_exponential"), "size=None", exponential, kMakesDoubles},
         {everywhere("binomial"), "n, p, size=None", binomial},
         {everywhere("permutation"), "x", permutation},
         {everywhere("shuffle"), "x", shuffle},
         {everywhere("choice"), "a, size=None, replace=True, p=None", chosen},
         {everywhere("standard_normal"), "size=None, dtype=None", with(plain, true), kMakesDoubles},
         {everywhere("random") + " np.random.RandomState().random_sample np.random.sample "
                                 "np.random.ranf",
          "size=None, dtype=None", with(plain, false), kMakesDoubles},
         {"np.random.randint np.random.RandomState().randint", of_integers,
          with(integers, Ints::Python)},
         {"np.random.random_integers", of_integers, with(integers, Ints::NumpyToHigh)},
         {"np.random.Generator().integers", fmt::format("{}, endpoint=False", of_integers),
          with(integers, Ints::Numpy)},
         {"np.random.Generator", "bit_generator", class_of_generators},
         {"np.random.default_rng", "seed=None", with(generator, false)},
         {"np.random.RandomState", "seed=None", with(generator, true)}});
}

}  // namespace rewriter
