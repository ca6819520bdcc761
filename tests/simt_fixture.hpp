// What the tests of the execution share.
#pragma once

#include <cmath>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "cudamat/simt/simt.hpp"

namespace simt_test {

/// Starts with the settings of a program that sets none, and leaves nothing behind.
class Simt : public testing::Test {
 protected:
  Simt() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    reset();
  }
  ~Simt() override { reset(); }

  static void reset() {
    simt::set_order(simt::Order::kForward);
    simt::set_streams(simt::Streams::kEager);
    simt::set_strict(false);
    simt::set_memory(std::size_t{4} << 30);
    simt::set_devices(2);
    simt::set_driver_version(13000);
    simt::set_compute_capability(9, 0);
    simt::fail_call(0);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    (void)cudaGetLastError();
  }
};

/// Device memory.
template <class T>
class Device {
 public:
  explicit Device(std::size_t n) : size_(n) {
    EXPECT_EQ(cudaMalloc(&data_, n * sizeof(T)), cudaSuccess);
  }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  ~Device() { (void)cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  operator T*() const { return data_; }

  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> result(size_);
    EXPECT_EQ(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return result;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// 1, 2, 3, ...
inline std::vector<float> counting(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

/// With NaN equal to NaN.
inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace simt_test
