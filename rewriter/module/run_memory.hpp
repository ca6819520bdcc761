// Where the outputs of a run lie.
#pragma once

#include <algorithm>
#include <limits>

#include "rewriter/module/conversion.hpp"
#include "rewriter/module/numpy.hpp"

namespace rewriter::module {

template <class T>
struct Conversion::Memory {
  std::vector<nb::object> arrays;
  std::vector<Buffer> buffers;
  std::vector<nb::object> joined;  // by Conversion::joined_
  std::vector<Buffer> joined_buffers;
  std::vector<std::optional<npmat::CUDAMatrix<T>>> numbers;  // of what is not made in its array
  std::vector<void*> places;                                 // in strips null for the same

  Memory(Conversion& conversion, std::vector<Leaf>& leaves, bool in_strips) {
    const std::vector<Output>& outputs = conversion.outputs_;
    arrays.resize(outputs.size());
    buffers.resize(outputs.size());
    numbers.resize(outputs.size());
    places.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Output& output = outputs[i];
      if (!output.wanted) continue;
      if (output.code != 0) arrays[i] = made(output, output.code, buffers[i]);
      const Buffer* buffer = output.leaf        ? &leaves[output.leaf->leaf].buffer
                             : output.code != 0 ? &buffers[i]
                                                : nullptr;
      const bool both = output.leaf && output.code != 0;
      if (buffer != nullptr && !both && buffer->code() == conversion.floating_ &&
          buffer->is_c_order()) {
        places[i] = buffer->data();
      } else if (!in_strips) {
        numbers[i] = npmat::CUDAMatrix<T>::empty({1, std::max<std::int64_t>(output.size, 1)});
        places[i] = numbers[i]->data();
      }
    }
    for (const Joined& each : conversion.joined_)
      joined.push_back(made(outputs[each.real], each.code, joined_buffers.emplace_back()));
  }

  /// What the run did not write in place.
  void finish(const Conversion& conversion, std::vector<Leaf>& leaves) {
    const std::vector<Output>& outputs = conversion.outputs_;
    write(conversion, places, 0, std::numeric_limits<std::int64_t>::max());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const auto& leaf = outputs[i].leaf; leaf && numbers[i])
        leaves[leaf->leaf].buffer.write(numbers[i]->data(), leaf->part);
  }

  /// Writes elements of the results, n of each or as many as it has, from `first` on: what the run
  /// made `at` these places, by output.
  void write(const Conversion& conversion, std::span<void* const> at, std::int64_t first,
             std::int64_t n) const {
    const auto made = [&](std::size_t i) { return static_cast<const T*>(at[i]); };
    const auto count = [&](std::size_t i) { return std::min(n, conversion.outputs_[i].size); };
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (const Code code = conversion.outputs_[i].code; code != 0 && casts(i))
        cast_elements(made(i), count(i), code, element(buffers[i], first));
    for (std::size_t i = 0; i < joined.size(); ++i) {
      const auto& [real, imag, code] = conversion.joined_[i];
      join_elements(made(real), made(imag), count(real), code, element(joined_buffers[i], first));
    }
  }

  /// Whether this output is computed in other memory than the array's.
  [[nodiscard]] bool casts(std::size_t i) const { return numbers[i] || places[i] == nullptr; }

 private:
  static nb::object made(const Output& output, Code code, Buffer& buffer) {
    nb::object array = new_array(output.shape, code, output.size);
    if (!buffer.take(array.ptr())) throw nb::python_error();
    return array;
  }
  static char* element(const Buffer& buffer, std::int64_t i) {
    return static_cast<char*>(buffer.data()) + i * buffer.element_bytes();
  }
};

}  // namespace rewriter::module
