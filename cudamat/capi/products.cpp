// The C interface: products, norms, random numbers, devices, errors.
#include <cstdint>

#include "cudamat/capi/cudamat.h"
#include "cudamat/capi/operands.hpp"

using cudamat::capi::run;
using Struct = cudamat_struct;

namespace {

/// Runs f, which gives a number, `failed` if it throws; its status goes to *err, unless err is
/// null.
template <class F>
float number(std::string_view op, int* err, float failed, F&& f) noexcept {
  float result = failed;
  const int status = run(op, [&](const auto& at) { result = f(at); });
  if (err != nullptr) *err = status;
  return result;
}

/// The target of a product. The memory of a vector is the same with the flag and without; any other
/// flagged target of the right shape raises an error.
template <class E>
cudamat::Matrix<E> target_of_product(const cudamat::capi::Operands<E>& at, const Struct* mat,
                                     cudamat::Shape product) {
  const auto target = at("target", mat);
  const cudamat::Shape shape = target.shape();
  const bool vector = shape.rows <= 1 || shape.cols <= 1;
  if (!vector && shape == product) at.plain("target", mat);
  return cudamat::Matrix<E>::borrow(target.data(), shape);
}

}  // namespace

extern "C" {

int dot(Struct* m1, Struct* m2, Struct* target, float beta, float alpha) noexcept {
  return run("dot", [&](const auto& at) {
    const auto a = at("m1", m1);
    const auto b = at("m2", m2);
    cudamat::dot(a, b, target_of_product(at, target, {a.rows(), b.cols()}), beta, alpha);
  });
}

int correlate(Struct* mat, Struct* kernel, Struct* target) noexcept {
  return run("correlate", [&](const auto& at) {
    const auto source = at.stored("mat", mat);
    const auto weights = at.stored("kernel", kernel);
    auto result = at.stored("target", target);
    const cudamat::Shape shape = weights.shape();
    if (shape.rows % 2 == 0 || shape.cols % 2 == 0 || shape.rows > source.rows() ||
        shape.cols > source.cols())
      cudamat::misuse(cudamat::Reason::Shape, at.op(),
                      "kernel must have odd extents, none larger than mat's {}; got {}",
                      source.shape(), shape);
    cudamat::correlate(source, weights, result);
  });
}

float vdot(Struct* m1, Struct* m2, int* err) noexcept {
  return number("vdot", err, 0, [&](const auto& at) {
    const auto a = at.stored("m1", m1);
    const auto b = at.stored("m2", m2);
    at.alike("m2", m2, "m1", m1);
    return cudamat::vdot(a, b);
  });
}

float euclid_norm(Struct* mat, int* err) noexcept {
  return number("euclid_norm", err, -1,
                [&](const auto& at) { return at("mat", mat).euclid_norm(); });
}

float manhattan_norm(Struct* mat, int* err) noexcept {
  return number("manhattan_norm", err, -1,
                [&](const auto& at) { return at("mat", mat).manhattan_norm(); });
}

// ---- random numbers ----

int init_random(rnd_struct* rnd, int seed, const char* /*path*/) noexcept {
  return run("init_random", [&]<class E>(const cudamat::capi::Operands<E>& at) {
    cudamat::capi::not_null(at.op(), "rnd", rnd);
    E::seed(static_cast<std::uint64_t>(seed));
    *rnd = {};
  });
}

int fill_with_rand(rnd_struct* rnd, Struct* mat) noexcept {
  return run("fill_with_rand", [&](const auto& at) {
    cudamat::capi::not_null(at.op(), "rnd", rnd);
    at("self", mat).fill_with_rand();
  });
}

int fill_with_randn(rnd_struct* rnd, Struct* mat) noexcept {
  return run("fill_with_randn", [&](const auto& at) {
    cudamat::capi::not_null(at.op(), "rnd", rnd);
    at("self", mat).fill_with_randn();
  });
}

// ---- device ----

int cublas_init() noexcept {
  return run("cublas_init",
             []<class E>(const cudamat::capi::Operands<E>&) { cudamat::capi::Device<E>::start(); });
}

int cublas_shutdown() noexcept {
  return run("cublas_shutdown", []<class E>(const cudamat::capi::Operands<E>&) {
    cudamat::capi::Device<E>::shutdown();
  });
}

int cuda_set_device(int device) noexcept {
  return run("cuda_set_device", [&]<class E>(const cudamat::capi::Operands<E>& at) {
    const int count = cudamat::capi::Device<E>::count();
    if (device < 0 || device >= count)
      throw cudamat::LibraryError(
          cudamat::LibraryError::Library::Cuda,
          fmt::format("[{}] there is no device {}: {} has {}", at.op(), device, E::name(), count));
    cudamat::capi::Device<E>::set(device);
  });
}

void cuda_sync_threads() noexcept {
  run("cuda_sync_threads", []<class E>(const cudamat::capi::Operands<E>&) { E::synchronize(); });
}

// ---- errors ----

const char* get_last_cuda_error() noexcept {
  return cudamat::capi::last_error();
}

const char* get_last_clib_error() noexcept {
  return cudamat::capi::last_error();
}

}  // extern "C"
