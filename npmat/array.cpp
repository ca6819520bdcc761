#include "npmat/array.hpp"

namespace npmat {

std::int64_t element_count(std::span<const std::int64_t> shape) {
  if (shape.size() > kMaxDimensions) {
    cudamat::misuse("shape", "{} dimensions; at most {} are possible", shape.size(),
                    kMaxDimensions);
  }
  bool is_empty = false;
  std::int64_t product = 1;
  for (const std::int64_t n : shape) {
    if (n < 0) cudamat::misuse("shape", "{} has a negative dimension", shape_text(shape));
    if (n == 0) is_empty = true;
    if (n > 0 && __builtin_mul_overflow(product, n, &product)) {
      cudamat::misuse("shape", "{} has more than 2^63-1 elements", shape_text(shape));
    }
  }
  return is_empty ? 0 : product;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (const std::int64_t n : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(n);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace npmat
