// Random numbers on the CPU: the same stream as cuRAND's Philox generator, value for value.
#pragma once

#include <cstdint>
#include <vector>

namespace npmat {

/// The generator that curandCreateGenerator(CURAND_RNG_PSEUDO_PHILOX4_32_10) makes, with
/// CURAND_ORDERING_PSEUDO_LEGACY and seeded once. cudamat/philox.hpp describes the layout of the
/// stream, as measured.
///
/// A call draws n values, T = float, double or long double, into out[0 .. n) and advances the
/// stream by n, so that draws of 3 and 4 give the same as one of 7. Calls of different types and
/// kinds may be mixed. Every value depends only on the seed, its position and the calls before it,
/// not on the number of threads or the machine. n = 0 draws nothing.
///
/// Throws cudamat::CUDAMatException for n < 0 and past position 2^63; then nothing was drawn. One
/// object must not be used by two threads at the same time. Large draws use OpenMP's threads.
class Generator {
 public:
  /// The start of the stream of this seed.
  explicit Generator(std::uint64_t seed = 0) : seed_(seed) {}

  /// Restarts at the beginning of the stream of another (or the same) seed.
  void seed(std::uint64_t seed);

  /// Moves to the position after `position` floats and nothing else. This is
  /// curandSetGeneratorOffset.
  void seek(std::uint64_t position);

  /// The number of values drawn so far.
  std::uint64_t position() const { return position_; }

  /// Uniform in (0, 1]. float and double: the bits of curandGenerateUniform and
  /// curandGenerateUniformDouble. long double: the values of double.
  template <class T>
  void uniform(T* out, std::int64_t n);

  /// Standard normal. float and double: within rounding of curandGenerateNormal and
  /// curandGenerateNormalDouble with mean 0 and standard deviation 1, whose logarithm, sine and
  /// cosine differ from ours in the last places. long double: the values of double.
  ///
  /// Values 2k and 2k + 1 of the stream are a pair of Box and Muller's, wherever calls begin and
  /// end. So n may be odd: the next call starts with the other half of a pair if it draws normals
  /// of this type, and past it in any case. (cuRAND's host generator does the same; its manual asks
  /// for an even n.)
  template <class T>
  void normal(T* out, std::int64_t n);

  /// The values [first, end) of what uniform, or normal, would draw next into an array of at least
  /// `end`; out[0] is value `first`. Draws nothing: several threads may ask at the same time.
  template <class T>
  void peek_uniform(T* out, std::int64_t first, std::int64_t end) const;
  template <class T>
  void peek_normal(T* out, std::int64_t first, std::int64_t end) const;

  /// Advances the stream as a draw of n would.
  template <class T>
  void skip(std::int64_t n);

 private:
  // Quads finished as doubles so far, on the subsequences from `first` to the next entry's: 0
  // throughout unless doubles were drawn, else two entries, and more after calls of mixed types.
  struct Doubles {
    std::uint32_t first;
    std::uint64_t quads;
  };

  template <class T, class Fill>
  void draw(T* out, std::int64_t n, const Fill& fill);
  template <class T, class Fill>
  void peek(T* out, std::int64_t first, std::int64_t end, const Fill& fill) const;
  void check(const char* op, std::int64_t n) const;
  void finish_doubles(std::uint64_t first_quad, std::uint64_t end_quad);
  void add_doubles(std::uint32_t first, std::uint32_t end, std::uint64_t quads);

  std::uint64_t seed_;
  std::uint64_t position_ = 0;
  std::vector<Doubles> doubles_{{0, 0}};
};

}  // namespace npmat
