// Names that Python and NumPy have, in the notation or not: none of them is an input that lacks its
// shape, or another name misspelt.
#include <algorithm>
#include <string_view>
#include <vector>

#include "rewriter/reader/functions.hpp"

namespace rewriter {

namespace {

// clang-format off
constexpr std::string_view kBuiltins =
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod "
    "compile complex delattr dict dir divmod enumerate eval exec filter float format frozenset "
    "getattr globals hasattr hash help hex id input int isinstance issubclass iter len list "
    "locals map max memoryview min next object oct open ord pow print property range repr "
    "reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip ";
constexpr std::string_view kNumpy =
    "abs absolute add add_docstring add_newdoc add_newdoc_ufunc all allclose alltrue amax amin "
    "angle any append apply_along_axis apply_over_axes arange arccos arccosh arcsin arcsinh "
    "arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array2string "
    "array_equal array_equiv array_repr array_split array_str asanyarray asarray "
    "asarray_chkfinite ascontiguousarray asfarray asfortranarray asmatrix atleast_1d atleast_2d "
    "atleast_3d average bartlett base_repr binary_repr bincount bitwise_and bitwise_not "
    "bitwise_or bitwise_xor blackman block bmat bool_ broadcast broadcast_arrays broadcast_shapes "
    "broadcast_to busday_count busday_offset busdaycalendar byte byte_bounds bytes_ can_cast cbrt "
    "cdouble ceil cfloat character chararray choose clip clongdouble clongfloat column_stack "
    "common_type compare_chararrays complex128 complex256 complex64 complex_ complexfloating "
    "compress concatenate conj conjugate convolve copy copysign copyto corrcoef correlate cos "
    "cosh count_nonzero cov cross csingle cumprod cumproduct cumsum datetime64 datetime_as_string "
    "datetime_data deg2rad degrees delete deprecate deprecate_with_doc diag diag_indices "
    "diag_indices_from diagflat diagonal diff digitize disp divide divmod dot double dsplit "
    "dstack dtype ediff1d einsum einsum_path empty empty_like equal errstate exp exp2 expand_dims "
    "expm1 extract eye fabs fastCopyAndTranspose fill_diagonal find_common_type finfo fix "
    "flatiter flatnonzero flexible flip fliplr flipud float128 float16 float32 float64 float_ "
    "float_power floating floor floor_divide fmax fmin fmod format_float_positional "
    "format_float_scientific format_parser frexp from_dlpack frombuffer fromfile fromfunction "
    "fromiter frompyfunc fromregex fromstring full full_like gcd generic genfromtxt geomspace "
    "get_array_wrap get_include get_printoptions getbufsize geterr geterrcall geterrobj gradient "
    "greater greater_equal half hamming hanning heaviside histogram histogram2d "
    "histogram_bin_edges histogramdd hsplit hstack hypot i0 identity iinfo imag in1d indices "
    "inexact info inner insert int16 int32 int64 int8 int_ intc integer interp intersect1d intp "
    "invert is_busday isclose iscomplex iscomplexobj isfinite isfortran isin isinf isnan isnat "
    "isneginf isposinf isreal isrealobj isscalar issctype issubclass_ issubdtype issubsctype "
    "iterable ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort linspace load loadtxt "
    "log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor "
    "logspace longcomplex longdouble longfloat longlong lookfor mask_indices mat matmul matrix "
    "max maximum maximum_sctype may_share_memory mean median memmap meshgrid min min_scalar_type "
    "minimum mintypecode mod modf moveaxis msort multiply nan_to_num nanargmax nanargmin "
    "nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile "
    "nanstd nansum nanvar ndarray ndenumerate ndim ndindex nditer negative nested_iters nextafter "
    "nonzero not_equal number obj2sctype object_ ones ones_like outer packbits pad partition "
    "percentile piecewise place poly poly1d polyadd polyder polydiv polyfit polyint polymul "
    "polysub polyval positive power printoptions prod product promote_types ptp put "
    "put_along_axis putmask quantile rad2deg radians ravel ravel_multi_index real real_if_close "
    "recarray recfromcsv recfromtxt reciprocal record remainder repeat require reshape resize "
    "result_type right_shift rint roll rollaxis roots rot90 round round_ row_stack safe_eval save "
    "savetxt savez savez_compressed sctype2char searchsorted select set_numeric_ops "
    "set_printoptions set_string_function setbufsize setdiff1d seterr seterrcall seterrobj "
    "setxor1d shape shares_memory short show_config show_runtime sign signbit signedinteger sin "
    "sinc single singlecomplex sinh size sometrue sort sort_complex source spacing split sqrt "
    "square squeeze stack std str_ string_ subtract sum swapaxes take take_along_axis tan tanh "
    "tensordot test tile timedelta64 trace transpose trapz tri tril tril_indices "
    "tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc typename "
    "ubyte ufunc uint uint16 uint32 uint64 uint8 uintc uintp ulonglong unicode_ union1d unique "
    "unpackbits unravel_index unsignedinteger unwrap ushort vander var vdot vectorize void vsplit "
    "vstack where who zeros zeros_like fft linalg random ma polynomial testing char rec lib emath "
    "ctypeslib ";
constexpr std::string_view kLinalg =
    "cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_power matrix_rank multi_dot "
    "norm pinv qr slogdet solve svd tensorinv tensorsolve test ";
constexpr std::string_view kFft =
    "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft "
    "rfft2 rfftfreq rfftn ";
constexpr std::string_view kRandom =
    "beta binomial bytes chisquare choice default_rng dirichlet exponential f gamma geometric "
    "get_bit_generator get_state gumbel hypergeometric laplace logistic lognormal logseries "
    "multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal "
    "pareto permutation poisson power rand randint randn random random_integers random_sample "
    "ranf rayleigh sample seed set_bit_generator set_state shuffle standard_cauchy "
    "standard_exponential standard_gamma standard_normal standard_t test triangular uniform "
    "vonmises wald weibull zipf ";
constexpr std::string_view kAttributes =
    "T all any argmax argmin argpartition argsort astype base byteswap choose clip compress conj "
    "conjugate copy ctypes cumprod cumsum data diagonal dot dtype dump dumps fill flags flat "
    "flatten getfield imag item itemset itemsize max mean min nbytes ndim newbyteorder nonzero "
    "partition prod ptp put ravel real repeat reshape resize round searchsorted setfield setflags "
    "shape size sort squeeze std strides sum swapaxes take tobytes tofile tolist tostring trace "
    "transpose var view ";
// clang-format on

}  // namespace

bool is_known_elsewhere(std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return false;
  if (name.starts_with("np.linalg.")) return has_word(kLinalg, name.substr(10));
  if (name.starts_with("np.fft.")) return has_word(kFft, name.substr(7));
  if (name.starts_with("np.random.")) return has_word(kRandom, name.substr(10));
  if (name.starts_with("np.")) return has_word(kNumpy, name.substr(3));
  if (name.starts_with('.')) return has_word(kAttributes, name.substr(1));
  return has_word(kBuiltins, name);
}

}  // namespace rewriter
