// cuRAND's generators, by npmat's, which give the same values.
//
// The device's generators ask for more than the host's: an even number of normals, and an aligned
// place for their pairs. Arguments raise an error here where they would, or might, in cuRAND.
#include <curand.h>
#include <optional>

#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"
#include "npmat/random.hpp"

struct curandGenerator_st {
  int device = 0;
  cudaStream_t stream = nullptr;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> offset = 0;  ///< set and not yet drawn from
  curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;
  bool placed = false;  ///< whether `values` is where seed, offset and ordering say
  npmat::Generator values;
};

namespace simt {
namespace {

curandStatus_t status_of(cudaError_t error, curandStatus_t fault = CURAND_STATUS_LAUNCH_FAILURE) {
  if (error == cudaSuccess) return CURAND_STATUS_SUCCESS;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
             ? CURAND_STATUS_INITIALIZATION_FAILED
             : fault;
}

void place(curandGenerator_t generator) {
  if (generator->placed) return;
  // Other orderings give other streams, each in its way: not the one that npmat has.
  constexpr std::uint64_t kOther = 0x5DEECE66Du;
  const bool legacy = generator->ordering == CURAND_ORDERING_PSEUDO_LEGACY;
  // A seed alone does not lead a generator that has drawn back to the beginning. Where it does lead
  // is not documented: somewhere else.
  const std::uint64_t position = generator->offset.value_or(generator->values.position() + 1);
  generator->values.seed(legacy ? generator->seed : generator->seed ^ kOther);
  generator->values.seek(position);
  generator->offset.reset();
  generator->placed = true;
}

/// Draws at once, as the state must go on, and queues the writing.
template <class T, class Draw>
curandStatus_t generate(const char* name, curandGenerator_t generator, T* out, std::size_t n,
                        bool pairs, Draw draw) {
  if (const cudaError_t error = begin(name)) return status_of(error);
  if (!generators().has(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (pairs && n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  const Stream stream = find_stream(generator->stream);
  if (stream == nullptr || stream->device != generator->device ||
      current_device() != generator->device)
    return CURAND_STATUS_LAUNCH_FAILURE;
  if (n == 0) return CURAND_STATUS_SUCCESS;
  const Doing doing(name);
  if (reinterpret_cast<std::uintptr_t>(out) % (pairs ? 16 : sizeof(T)) != 0)
    fail("the target %p is not aligned for pairs (16 bytes)", static_cast<void*>(out));
  place(generator);
  auto values = std::make_shared<std::vector<T>>(n);
  draw(generator->values, *values);
  submit(stream, name, {{out, Access::kWrite}}, [values, out] {
    check_device_range(out, values->size() * sizeof(T), "writes");
    std::copy(values->begin(), values->end(), out);
  });
  return CURAND_STATUS_SUCCESS;
}

template <class T>
curandStatus_t uniform(const char* name, curandGenerator_t generator, T* out, std::size_t n) {
  return generate(name, generator, out, n, false, [](npmat::Generator& from, std::vector<T>& to) {
    from.uniform(to.data(), static_cast<std::int64_t>(to.size()));
  });
}

template <class T>
curandStatus_t normal(const char* name, curandGenerator_t generator, T* out, std::size_t n, T mean,
                      T stddev) {
  return generate(name, generator, out, n, true, [=](npmat::Generator& from, std::vector<T>& to) {
    from.normal(to.data(), static_cast<std::int64_t>(to.size()));
    for (T& x : to) x = mean + stddev * x;
  });
}

}  // namespace
}  // namespace simt

using simt::begin;

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  if (const cudaError_t error = begin("curandCreateGenerator"))
    return simt::status_of(error, CURAND_STATUS_ALLOCATION_FAILED);
  if (type != CURAND_RNG_PSEUDO_PHILOX4_32_10) return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st;
  (*generator)->device = simt::current_device();
  simt::generators().add(*generator);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  const cudaError_t error = begin("curandDestroyGenerator");
  if (generator == nullptr || !simt::generators().remove(generator))
    return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return simt::status_of(error);
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (const cudaError_t error = begin("curandSetStream")) return simt::status_of(error);
  if (!simt::generators().has(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (const cudaError_t error = begin("curandSetPseudoRandomGeneratorSeed"))
    return simt::status_of(error);
  if (!simt::generators().has(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->placed = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (const cudaError_t error = begin("curandSetGeneratorOffset")) return simt::status_of(error);
  if (!simt::generators().has(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->placed = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (const cudaError_t error = begin("curandSetGeneratorOrdering")) return simt::status_of(error);
  if (!simt::generators().has(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
    return CURAND_STATUS_OUT_OF_RANGE;
  generator->ordering = order;
  generator->placed = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, std::size_t n) {
  return simt::uniform("curandGenerateUniform", generator, out, n);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out,
                                           std::size_t n) {
  return simt::uniform("curandGenerateUniformDouble", generator, out, n);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, std::size_t n,
                                    float mean, float stddev) {
  return simt::normal("curandGenerateNormal", generator, out, n, mean, stddev);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, std::size_t n,
                                          double mean, double stddev) {
  return simt::normal("curandGenerateNormalDouble", generator, out, n, mean, stddev);
}
