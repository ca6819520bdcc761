// Names that Python and NumPy have and the notation has not: none of them is an input that lacks
// its shape, or another name misspelt.
#include <algorithm>
#include <string_view>
#include <vector>

#include "rewriter/reader/values/functions.hpp"

namespace rewriter {
namespace {

// clang-format off
constexpr std::string_view kBuiltins =
    "aiter anext ascii breakpoint bytearray bytes callable classmethod compile delattr "
    "dir eval exec format getattr globals hasattr hash help id input issubclass iter locals "
    "memoryview next object open property repr setattr staticmethod super vars";
constexpr std::string_view kNumpy =
    "add_docstring add_newdoc add_newdoc_ufunc alltrue array2string array_equiv array_repr "
    "array_str asarray_chkfinite asfarray asfortranarray asmatrix base_repr binary_repr bmat "
    "broadcast busday_count busday_offset busdaycalendar byte_bounds bytes_ cfloat character "
    "chararray clongdouble clongfloat common_type compare_chararrays complex256 cumproduct "
    "datetime64 datetime_as_string datetime_data deprecate deprecate_with_doc disp einsum_path "
    "errstate fastCopyAndTranspose find_common_type flatiter flexible float128 float16 "
    "format_float_positional format_float_scientific format_parser from_dlpack frombuffer "
    "fromfile frompyfunc fromregex fromstring genfromtxt get_array_wrap get_include "
    "get_printoptions getbufsize geterr geterrcall geterrobj half histogramdd i0 info is_busday "
    "isfortran isnat issctype issubclass_ issubsctype iterable "
    "load loadtxt longcomplex longfloat lookfor mask_indices mat matrix maximum_sctype "
    "may_share_memory memmap min_scalar_type mintypecode msort nested_iters nextafter "
    "obj2sctype object_ poly poly1d polydiv printoptions product promote_types "
    "recarray recfromcsv recfromtxt record roots round_ safe_eval save "
    "savetxt savez savez_compressed sctype2char set_numeric_ops set_string_function setbufsize "
    "seterrcall seterrobj shares_memory show_config show_runtime singlecomplex sometrue "
    "sort_complex source spacing str_ string_ test timedelta64 typename ufunc unicode_ "
    "void who fft linalg random ma polynomial testing char rec lib emath ctypeslib";
constexpr std::string_view kLinalg =
    "eig eigvals test";
constexpr std::string_view kRandom =
    "beta bytes chisquare dirichlet f gamma geometric get_bit_generator get_state gumbel "
    "hypergeometric laplace logistic logseries multinomial negative_binomial noncentral_chisquare "
    "noncentral_f pareto poisson power rayleigh set_bit_generator set_state standard_cauchy "
    "standard_gamma standard_t test triangular vonmises wald weibull zipf";
constexpr std::string_view kAttributes =
    "base byteswap ctypes data dump dumps flags getfield itemset newbyteorder "
    "resize setfield setflags strides tobytes tofile tostring view";
// clang-format on

}  // namespace

bool is_known_elsewhere(std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return false;
  if (name.starts_with("np.linalg.")) return has_word(kLinalg, name.substr(10));
  if (name.starts_with("np.random.")) return has_word(kRandom, name.substr(10));
  if (name.starts_with("np.")) return has_word(kNumpy, name.substr(3));
  if (name.starts_with('.')) return has_word(kAttributes, name.substr(1));
  return has_word(kBuiltins, name);
}

}  // namespace rewriter
