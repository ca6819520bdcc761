// The C interface: life and memory of the structs, shapes, slices.
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cudamat/capi/cudamat.h"
#include "cudamat/capi/operands.hpp"

using cudamat::Index;
using cudamat::misuse;
using cudamat::Reason;
using cudamat::Shape;
using cudamat::capi::guarded;
using cudamat::capi::not_null;
using cudamat::capi::Operands;
using cudamat::capi::run;
using Struct = cudamat_struct;

namespace {

/// The device memory that structs own, by its address. What a struct says of its size may have been
/// changed since the memory was allocated, and copies of it may free the memory twice; this does
/// not believe it.
class Blocks {
 public:
  void add(const float* data, std::shared_ptr<void> matrix) {
    const std::lock_guard lock(mutex_);
    blocks_.insert_or_assign(data, std::move(matrix));
  }

  /// Frees the memory; false if it is not ours (any more).
  bool remove(const float* data) {
    std::unique_lock lock(mutex_);
    const auto freed_after_unlocking = blocks_.extract(data);
    lock.unlock();
    return !freed_after_unlocking.empty();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const float*, std::shared_ptr<void>> blocks_;
};

/// Never destroyed: a program may free its matrices after static objects.
Blocks& blocks() {
  static Blocks& all = *new Blocks;
  return all;
}

/// Gives the struct memory of its own unless it has some.
template <class E>
void allocate(const Operands<E>& at, Struct* mat) {
  const Shape shape = at.header("mat", mat).set_trans(false).shape();
  if (mat->on_device != 0) return;
  if (mat->owns_data == 0)
    misuse(Reason::View, at.op(), "mat {} is a view; only a matrix can be given memory", shape);
  auto matrix = std::make_shared<cudamat::Matrix<E>>(cudamat::Matrix<E>::empty(shape));
  float* const data = matrix->data();
  if (data != nullptr) blocks().add(data, std::move(matrix));
  mat->data_device = data;
  mat->on_device = 1;
}

void check_host(std::string_view op, const Struct* mat, Index size) {
  if (mat->data_host == nullptr && size != 0) misuse(op, "mat has no host memory");
}

/// Makes `view` a view of these elements.
void set_view(Struct* view, float* data, Shape shape) {
  *view = {nullptr, data, 1, 0, {static_cast<int>(shape.rows), static_cast<int>(shape.cols)}, 0, 0};
}

/// The original has no empty slices.
void check_not_empty(std::string_view op, unsigned first, unsigned last) {
  if (first >= last)
    misuse(Reason::Shape, op, "a slice must have elements; {}:{} has none", first, last);
}

/// The numbers without their fractions, as C turns floats into integers. Nothing waits for the
/// numbers.
template <class E>
cudamat::Matrix<E> truncated(const cudamat::Matrix<E>& numbers) {
  constexpr float kAllWhole = 8388608;  // 2^23: from here on floats have no fractions
  auto magnitude = cudamat::Matrix<E>::empty(numbers.shape());
  auto whole = cudamat::Matrix<E>::empty(numbers.shape());
  numbers.abs(magnitude);
  magnitude.add(kAllWhole, whole).subtract(kAllWhole);  // rounded to the nearest
  auto choice = cudamat::Matrix<E>::empty(numbers.shape());
  whole.subtract(whole.greater_than(magnitude, choice));
  magnitude.less_than(kAllWhole, choice);
  cudamat::where(choice, whole, magnitude, whole);
  return std::move(whole.mult(numbers.sign()));
}

/// A view of the columns that `count` indices name one by one; those after them stay as they are.
template <class E>
cudamat::Matrix<E> first_columns(std::string_view op, std::string_view what,
                                 const cudamat::Matrix<E>& matrix, Index count) {
  if (matrix.cols() < count)
    misuse(Reason::Shape, op, "{} must have a column for each of the {} indices; got {}", what,
           count, matrix.shape());
  return matrix.slice(0, count);
}

void check_view(std::string_view op, const Struct* source, const Struct* view) {
  not_null(op, "view", view);
  if (view == source) misuse(op, "view and source must be different structs");
}

}  // namespace

extern "C" {

// ---- life and memory ----

int init_empty(Struct* mat, int m, int n) noexcept {
  return run("init_empty", [&](const auto& at) {
    not_null(at.op(), "mat", mat);
    *mat = {nullptr, nullptr, 0, 0, {m, n}, 0, 1};
    allocate(at, mat);
  });
}

void init_from_array(Struct* mat, float* data, int m, int n) noexcept {
  guarded([&] {
    not_null("init_from_array", "mat", mat);
    *mat = {data, nullptr, 0, 1, {m, n}, 0, 1};
  });
}

int allocate_device_memory(Struct* mat) noexcept {
  return run("allocate_device_memory", [&](const auto& at) { allocate(at, mat); });
}

int free_device_memory(Struct* mat) noexcept {
  return guarded([&] {
    not_null("free_device_memory", "mat", mat);
    if (mat->owns_data == 0 || mat->on_device == 0) return;
    const float* const data = std::exchange(mat->data_device, nullptr);
    mat->on_device = 0;
    if (data != nullptr && !blocks().remove(data))
      misuse("free_device_memory",
             "the memory of mat was freed already, by a copy of the struct, or is not "
             "this library's");
  });
}

int copy_to_host(Struct* mat) noexcept {
  return run("copy_to_host", [&]<class E>(const Operands<E>& at) {
    const auto matrix = at("mat", mat);
    check_host(at.op(), mat, matrix.size());
    E::copy_to_host(matrix.data(), mat->data_host, matrix.size());
  });
}

int copy_to_device(Struct* mat) noexcept {
  return run("copy_to_device", [&]<class E>(const Operands<E>& at) {
    check_host(at.op(), mat, at.header("mat", mat).size());
    allocate(at, mat);
    const auto matrix = at("mat", mat);
    E::copy_to_device(mat->data_host, matrix.data(), matrix.size());
  });
}

// ---- shape ----

int get_leading_dimension(Struct* mat) noexcept {
  const int status = guarded([&] { not_null("get_leading_dimension", "mat", mat); });
  return status != CUDAMAT_OK ? status : mat->size[mat->is_trans != 0 ? 1 : 0];
}

int get_nonleading_dimension(Struct* mat) noexcept {
  const int status = guarded([&] { not_null("get_nonleading_dimension", "mat", mat); });
  return status != CUDAMAT_OK ? status : mat->size[mat->is_trans != 0 ? 0 : 1];
}

void set_transpose(Struct* mat, int is_trans) noexcept {
  guarded([&] {
    not_null("set_transpose", "mat", mat);
    mat->is_trans = is_trans;
  });
}

int reshape(Struct* mat, unsigned m, unsigned n) noexcept {
  return run("reshape", [&](const auto& at) {
    constexpr unsigned kMost = std::numeric_limits<int>::max();
    if (m > kMost || n > kMost)
      misuse(Reason::Shape, at.op(), "{}x{} is beyond 2^31-1 rows or columns", m, n);
    at.header("mat", mat).set_trans(false).reshape({m, n});
    mat->size[0] = static_cast<int>(m);
    mat->size[1] = static_cast<int>(n);
  });
}

// ---- slices, copies, selections ----

int get_slice(Struct* source, Struct* view, unsigned first_col, unsigned last_col) noexcept {
  return run("get_slice", [&](const auto& at) {
    check_view(at.op(), source, view);
    const auto columns = at("source", source).slice(first_col, last_col);
    check_not_empty(at.op(), first_col, last_col);
    set_view(view, columns.data(), columns.shape());
  });
}

int get_vector_slice(Struct* source, Struct* view, unsigned first, unsigned last) noexcept {
  return run("get_vector_slice", [&](const auto& at) {
    check_view(at.op(), source, view);
    const Shape shape = at.header("source", source).shape();
    if (shape.rows > 1 && shape.cols > 1)
      misuse(at.op(), "source must be a vector, m x 1 or 1 x n; got {}", shape);
    const auto vector = at("source", source);
    const auto elements = vector.view({1, vector.size()}).slice(first, last);
    check_not_empty(at.op(), first, last);
    set_view(view, elements.data(),
             shape.rows == 1 ? elements.shape() : elements.shape().transposed());
  });
}

int get_row_slice(Struct* source, Struct* target, unsigned start, unsigned end) noexcept {
  return run("get_row_slice", [&](const auto& at) {
    const auto mat = at.stored("mat", source);
    auto rows = at.stored("target", target);
    check_not_empty(at.op(), start, end);
    mat.get_row_slice(start, end, rows);
  });
}

int set_row_slice(Struct* source, Struct* target, unsigned start, unsigned end) noexcept {
  return run("set_row_slice", [&](const auto& at) {
    const auto rows = at.stored("mat", source);
    auto self = at.stored("self", target);
    check_not_empty(at.op(), start, end);
    self.set_row_slice(start, end, rows);
  });
}

int copy_on_device(Struct* source, Struct* target) noexcept {
  return run("copy_on_device",
             [&](const auto& at) { at.stored("self", target).assign(at.stored("val", source)); });
}

int copy_transpose(Struct* source, Struct* target) noexcept {
  return run("copy_transpose", [&](const auto& at) {
    at.stored("mat", source).transpose(at.stored("target", target));
  });
}

int selectRows(Struct* source, Struct* target, Struct* indices) noexcept {
  return run("selectRows", [&](const auto& at) {
    const auto mat = at.stored("mat", source);
    const auto whole = truncated(at.stored("indices", indices));
    mat.select_columns(whole,
                       first_columns(at.op(), "target", at.stored("target", target), whole.size()));
  });
}

int setSelectedRows(Struct* target, Struct* source, Struct* indices) noexcept {
  return run("setSelectedRows", [&](const auto& at) {
    auto self = at.stored("self", target);
    const auto whole = truncated(at.stored("indices", indices));
    self.set_selected_columns(
        whole, first_columns(at.op(), "source", at.stored("source", source), whole.size()));
  });
}

}  // extern "C"
