// Functions of CUDA's that are formulas of others. Part of simt_user.h.
#pragma once

// ---- roots, norms, quotients ----

inline double rcbrt(double x) {
  return 1 / cbrt(x);
}
inline double rhypot(double x, double y) {
  return 1 / hypot(x, y);
}
inline double norm3d(double x, double y, double z) {
  return hypot(hypot(x, y), z);
}
inline double norm4d(double x, double y, double z, double w) {
  return hypot(hypot(x, y), hypot(z, w));
}
inline double rnorm3d(double x, double y, double z) {
  return 1 / norm3d(x, y, z);
}
inline double rnorm4d(double x, double y, double z, double w) {
  return 1 / norm4d(x, y, z, w);
}
inline float rcbrtf(float x) {
  return static_cast<float>(rcbrt(x));
}
inline float rhypotf(float x, float y) {
  return static_cast<float>(rhypot(x, y));
}
inline float norm3df(float x, float y, float z) {
  return static_cast<float>(norm3d(x, y, z));
}
inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
inline float rnorm3df(float x, float y, float z) {
  return static_cast<float>(rnorm3d(x, y, z));
}
inline float rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(rnorm4d(x, y, z, w));
}
inline float fdividef(float a, float b) {
  return a / b;
}
inline float __frcp_rn(float x) {
  return 1 / x;
}
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1 / sqrt(static_cast<double>(x)));
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __drcp_rn(double x) {
  return 1 / x;
}
inline double __dsqrt_rn(double x) {
  return sqrt(x);
}

// ---- the normal distribution ----

/// exp(x * x) * erfc(x); from 25 on by the asymptotic series, whose next term is below 1e-16.
inline double erfcx(double x) {
  const double square = x * x;
  if (x < 25) return exp(square) * (1 + fma(x, x, -square)) * erfc(x);
  const double s = 1 / (2 * square);
  double sum = 1;
  for (int odd = 13; odd > 0; odd -= 2) sum = 1 - odd * s * sum;
  return 0.56418958354775628695 / x * sum;
}
/// The inverse of normcdf: P. J. Acklam's rational approximation, and one step of Halley's method.
inline double normcdfinv(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  const auto tail = [](double q) {
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q +
             3.754408661907416) *
                q +
            1);
  };
  double x = 0;
  if (p < 0.02425) {
    x = tail(sqrt(-2 * log(p)));
  } else if (p > 1 - 0.02425) {
    x = -tail(sqrt(-2 * log1p(-p)));
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
           1.383577518672690e+02) *
              r -
          3.066479806614716e+01) *
             r +
         2.506628277459239) *
        q /
        (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
           6.680131188771972e+01) *
              r -
          1.328068155288572e+01) *
             r +
         1);
  }
  const double error = 0.5 * erfc(-x * 0.70710678118654752440) - p;
  const double step = error * 2.50662827463100050242 * exp(x * x / 2);
  return x - step / (1 + x * step / 2);
}
inline double erfcinv(double y) {
  return -0.70710678118654752440 * normcdfinv(y / 2);
}
/// Near 0 by Newton's method, which keeps the digits of y.
inline double erfinv(double y) {
  if (!(fabs(y) < 0.5)) return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
  double x = 0.88622692545275801365 * y;
  for (int i = 0; i < 5; ++i) x -= (erf(x) - y) * 0.88622692545275801365 * exp(x * x);
  return x;
}
inline float erfcxf(float x) {
  return static_cast<float>(erfcx(x));
}
inline float normcdfinvf(float p) {
  return static_cast<float>(normcdfinv(p));
}
inline float erfcinvf(float y) {
  return static_cast<float>(erfcinv(y));
}
inline float erfinvf(float y) {
  return static_cast<float>(erfinv(y));
}

// ---- integers ----

inline unsigned umin(unsigned a, unsigned b) {
  return a < b ? a : b;
}
inline unsigned umax(unsigned a, unsigned b) {
  return a > b ? a : b;
}
inline long long llmin(long long a, long long b) {
  return a < b ? a : b;
}
inline long long llmax(long long a, long long b) {
  return a > b ? a : b;
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
inline unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a)) + c;
}
inline int __hadd(int a, int b) {
  return static_cast<int>((long long){a} + b >> 1);
}
inline int __rhadd(int a, int b) {
  return static_cast<int>((long long){a} + b + 1 >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((unsigned long long){a} + b >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((unsigned long long){a} + b + 1 >> 1);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
/// Bytes of x, 0 to 3, and y, 4 to 7, that the four halves of bytes of s name.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(both >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
/// c and the products of the four bytes of a and b.
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8)
    c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (by & 31));
}

// ---- conversions ----

inline unsigned __float2uint_rn(float x) {
  return static_cast<unsigned>(rintf(x));
}
inline unsigned __float2uint_rz(float x) {
  return static_cast<unsigned>(x);
}
inline long long __float2ll_rn(float x) {
  return llrintf(x);
}
inline int __double2int_rn(double x) {
  return static_cast<int>(rint(x));
}
inline int __double2int_rz(double x) {
  return static_cast<int>(x);
}
inline long long __double2ll_rn(double x) {
  return llrint(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<long long>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(std::bit_cast<long long>(x));
}
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<unsigned long long>(unsigned(high)) << 32 |
                               unsigned(low));
}

// ---- control ----

__forceinline__ void __trap() {
  __builtin_trap();
}
inline void __nanosleep(unsigned /*nanoseconds*/) {}
