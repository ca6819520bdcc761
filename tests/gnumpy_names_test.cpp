// What symdump's notation has, garrays have: every name of the reader's table is called here, or
// stands in the list of what is written otherwise.
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "gnumpy/gnumpy.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/walk/library.hpp"

namespace {

namespace gpu = gnumpy;
using gpu::garray;

/// What C++ spells otherwise, and how.
const std::map<std::string, std::string>& spelled_otherwise() {
  static const std::map<std::string, std::string> names{
      {"np.array", "garray(...)"},
      {"np.asarray", "as_garray(...)"},
      {"gpu.garray", "garray(...)"},
      {"np.copy", "a.copy(), copy(a)"},
      {".astype", "a.astype<float>(), numbers of the host"},
      {".item", "a.item(), of one element"},
      {"np.linalg.norm", "norm(a, axes)"},
      {"np.random.random", "rand(shape)"},
      {"np.random.random_sample", "rand(shape)"},
      {"np.random.standard_normal", "randn(shape)"},
      {"np.random.seed", "seed_rand(seed)"},
      {".randn", "a.rand(Distribution::normal)"},
      {"np.float32", "GNUMPY_CPU_PRECISION"},
      {"np.float64", "GNUMPY_CPU_PRECISION"},
      // of matrices: cm::solve(a, b, t) and its kin
      {"np.linalg.solve", "cm::solve(a, b, t)"},
      {"np.linalg.inv", "cm::inv(a, t)"},
      {"np.linalg.cholesky", "cm::cholesky(a, t)"},
      {"np.linalg.det", "cm::det(a, t)"},
      {"np.linalg.slogdet", "cm::slogdet(a, t)"},
      {"np.linalg.lstsq", "cm::lstsq(a, b, rcond, t)"},
      {"np.linalg.eigh", "cm::eigh(a, t)"},
      {"np.linalg.eigvalsh", "cm::eigh(a, t)"},
      {"np.linalg.svd", "cm::svd(a, t)"},
      {"np.linalg.qr", "cm::qr(a, t)"},
      {"np.linalg.pinv", "cm::svd(a, t)"},
      {"np.linalg.matrix_rank", "cm::lstsq(a, b, rcond, t)"},
      {"np.linalg.matrix_power", "dot(a, a)"},
      {"np.linalg.multi_dot", "dot(a, dot(b, c))"},
      {"np.linalg.cond", "cm::svd(a, t)"},
      {"np.partition", "sort(a)"},
      {".partition", "a.sort()"},
      {"np.argpartition", "argsort(a)"},
      {".argpartition", "a.argsort()"},
      {"np.median", "sort(a)"},
      {"np.percentile", "sort(a)"},
      {"np.quantile", "sort(a)"},
      {"np.searchsorted", "sum(less(a, v))"},
      {".searchsorted", "sum(less(a, v))"},
      {"np.digitize", "sum(less_equal(a, x))"},
      {"np.histogram_bin_edges", "min(a), max(a)"},
      // of Python, which C++ has itself
      {"len", "a.len()"},
      {"range", "for"},
      {"float", "a.item()"},
      {"int", "a.item()"},
      {"str", "a.str()"},
      {"print", "std::cout << a"},
      {"mean", "mean(garray(numbers))"},
  };
  return names;
}

/// What programs alone have, beside the library in the notation: composed of others while they are
/// read, and not functions of garrays.
constexpr std::string_view kOfPrograms =
    "complex np.angle np.cdouble np.complex128 np.complex64 np.complex_ np.csingle np.imag "
    "np.iscomplexobj np.real np.flatnonzero dict divmod enumerate frozenset isinstance list "
    "issubclass "
    "reversed .choose .put np.add.reduceat np.argwhere np.choose np.lexsort "
    "np.lib.stride_tricks.sliding_window_view np.maximum.reduceat np.minimum.reduceat "
    "np.nditer np.place np.put np.putmask np.vectorize .compress np.complexfloating "
    "np.compress np.dtype np.inexact np.isscalar np.issubdtype np.signedinteger "
    "np.unsignedinteger set tuple type zip np.add.at np.einsum np.floating np.generic "
    "np.integer np.maximum.at np.minimum.at np.apply_along_axis np.number np.subtract.at "
    ".cumprod .fill .repeat .tolist bool np.asanyarray np.ascontiguousarray np.bool_ "
    "np.broadcast_to np.byte np.conj np.conjugate np.copyto np.cumprod np.delete "
    "np.diag_indices np.double np.fill_diagonal np.finfo np.fromfunction np.geomspace "
    "np.iinfo np.indices np.int16 np.int32 np.int64 np.int8 np.int_ np.intc np.intp "
    "np.logspace np.longlong np.ndarray np.ndim np.positive np.random.Generator "
    "np.random.RandomState "
    "np.random.binomial np.random.choice np.random.default_rng np.random.exponential "
    "np.random.lognormal np.random.normal np.random.permutation np.random.randint "
    "np.random.random_integers np.random.ranf np.random.sample np.random.shuffle "
    "np.random.standard_exponential np.random.uniform np.repeat np.roll np.set_printoptions "
    "np.seterr np.shape np.short np.single np.size np.tri np.tril_indices "
    "np.tril_indices_from np.triu_indices np.triu_indices_from np.ubyte np.uint np.uint16 "
    "np.uint32 np.uint64 np.uint8 scipy.special.expit scipy.special.gammaln filter map slice "
    "sorted np.piecewise np.c_ np.r_ np.s_ np.index_exp np.mgrid np.ogrid np.ndindex "
    "np.ndenumerate np.unravel_index np.ravel_multi_index np.diag_indices_from "
    "np.bitwise_and np.bitwise_not np.bitwise_or np.bitwise_xor np.invert np.left_shift "
    "np.right_shift np.isin np.in1d np.polyfit np.random.multivariate_normal np.uintc "
    "np.uintp np.ulonglong np.ushort np.can_cast np.result_type np.float_ np.longdouble "
    "ord chr bin oct hex format hash repr bytes np.frombuffer ";

bool is_of_programs(const std::string& name) {
  if (rewriter::is_of_library(name)) return true;
  for (const std::string_view ending : {".outer", ".reduce", ".accumulate"})
    if (name.ends_with(ending)) return true;
  for (const std::string_view module :
       {"math.", "itertools.", "functools.", "collections.", "heapq.", "np.fft.",
        "np.random.Generator().", "np.random.RandomState().", "list.", "tuple.", "set.", "dict.",
        "str.", "bytes.", "int.", "float.", "pprint.", "np.nditer.", "np.vectorize()"})
    if (name.starts_with(module)) return true;
  return (" " + std::string(kOfPrograms)).find(" " + name + " ") != std::string::npos;
}

/// The names that are called, as functions without their module and as methods with their dot.
const std::set<std::string>& called() {
  static const std::set<std::string> names = [] {
    std::set<std::string> made;
    garray a{{1, 2}, {3, 4}};
    const garray v{1, 2};
#define FUNCTION(name, ...) \
  made.insert(#name);       \
  (void)gpu::name(__VA_ARGS__)
#define METHOD(name, ...) \
  made.insert("." #name); \
  (void)a.name(__VA_ARGS__)
#define UNARY(name)  \
  FUNCTION(name, a); \
  METHOD(name)
#define ROW(name, ...) UNARY(name);
    GNUMPY_UNARY_FUNCTIONS(ROW)
    GNUMPY_REDUCTIONS(ROW)
    GNUMPY_POSITIONS(ROW)
    GNUMPY_MOMENTS(ROW)
#undef ROW
    UNARY(round);
    UNARY(euclid_norm);
    UNARY(all_real);
    UNARY(nonzero);
    FUNCTION(unique, a);
    FUNCTION(unique_counts, a);
    FUNCTION(bincount, v);
    FUNCTION(histogram, a);
    UNARY(cumsum);
    UNARY(argsort);
    UNARY(copy);
    UNARY(ravel);
    UNARY(transpose);
    UNARY(squeeze);
    UNARY(diagonal);
    UNARY(diag);
    UNARY(diagflat);
    UNARY(trace);
    UNARY(as_numpy_array);
#define BINARY(name)    \
  FUNCTION(name, a, v); \
  METHOD(name, v)
#define ROW(name, ...) BINARY(name);
    GNUMPY_BINARY_METHODS(ROW)
#undef ROW
    BINARY(eq2);
    FUNCTION(tensordot, a, v, 1);
    METHOD(tensordot, v, 1);
    FUNCTION(clip, a, 0, 1);
    METHOD(clip, 0, 1);
    FUNCTION(reshape, a, {4});
    METHOD(reshape, {4});
    FUNCTION(reshape_2d, a, 1);
    METHOD(reshape_2d, 1);
    FUNCTION(expand_dims, a, 0);
    METHOD(expand_dims, 0);
    FUNCTION(swapaxes, a, 0, 1);
    METHOD(swapaxes, 0, 1);
    FUNCTION(moveaxis, a, 0, 1);
    METHOD(moveaxis, 0, 1);
    FUNCTION(take, a, {1});
    METHOD(take, {1});
    FUNCTION(tile, a, {2});
    METHOD(tile, {2});
    FUNCTION(sort, a);
    made.insert(".sort");
    a.sort();
    METHOD(T);
    METHOD(flatten);
    METHOD(asarray);
    METHOD(rand);
    FUNCTION(absolute, a);
    FUNCTION(fabs, a);
    FUNCTION(fix, a);
    FUNCTION(around, a);
    FUNCTION(amax, a);
    FUNCTION(amin, a);
    FUNCTION(norm, a);
    FUNCTION(add, a, v);
    FUNCTION(subtract, a, v);
    FUNCTION(multiply, a, v);
    FUNCTION(divide, a, v);
    FUNCTION(true_divide, a, v);
    FUNCTION(remainder, a, v);
    FUNCTION(power, a, v);
    FUNCTION(float_power, a, v);
    FUNCTION(less, a, v);
    FUNCTION(less_equal, a, v);
    FUNCTION(greater, a, v);
    FUNCTION(greater_equal, a, v);
    FUNCTION(equal, a, v);
    FUNCTION(not_equal, a, v);
    FUNCTION(logical_and, a, v);
    FUNCTION(logical_or, a, v);
    FUNCTION(logical_xor, a, v);
    FUNCTION(logical_not, a);
    FUNCTION(where, a, a, v);
    FUNCTION(concatenate, {v, v});
    FUNCTION(as_garray, a);
    FUNCTION(stack, {v, v});
    FUNCTION(hstack, {v, v});
    FUNCTION(vstack, {v, v});
    FUNCTION(dstack, {v, v});
    FUNCTION(column_stack, {v, v});
    FUNCTION(arange, 3);
    FUNCTION(linspace, 0, 1, 3);
    FUNCTION(empty, 2);
    FUNCTION(empty_like, a);
    FUNCTION(zeros, 2);
    FUNCTION(ones, 2);
    FUNCTION(full, 2, 0);
    FUNCTION(eye, 2);
    FUNCTION(identity, 2);
    FUNCTION(zeros_like, a);
    FUNCTION(ones_like, a);
    FUNCTION(full_like, a, 3);
    FUNCTION(rand, 2, 3, 4, 5);
    FUNCTION(randn, 2, 3, 4, 5);
    made.insert("seed_rand");
    gpu::seed_rand(1);
#undef FUNCTION
#undef METHOD
#undef UNARY
#undef BINARY
    return made;
  }();
  return names;
}

/// A function without its module, a method with its dot.
std::string short_name(const std::string& name) {
  for (const std::string module : {"np.random.", "np.linalg.", "np.", "gpu.", "scipy.special."})
    if (name.starts_with(module)) return name.substr(module.size());
  return name;
}

TEST(GnumpyNames, HaveAllThatTheNotationHas) {
  const std::vector<std::string> names = rewriter::function_names();
  EXPECT_GT(names.size(), 150U);
  for (const std::string& name : names)
    EXPECT_TRUE(called().contains(short_name(name)) || spelled_otherwise().contains(name) ||
                is_of_programs(name))
        << name << " is in symdump's notation";
}

TEST(GnumpyNames, WhatProgramsAloneHaveIsNotCalledHere) {
  std::istringstream names{std::string(kOfPrograms)};
  for (std::string name; names >> name;) {
    EXPECT_TRUE(rewriter::is_function(name)) << name << " is not supported any more";
    EXPECT_FALSE(called().contains(short_name(name))) << name << " is called";
  }
}

TEST(GnumpyNames, OthersAreSpelledOtherwiseForAReason) {
  for (const auto& [name, how] : spelled_otherwise())
    EXPECT_TRUE(rewriter::is_function(name)) << name << " is not supported any more";
}

}  // namespace
