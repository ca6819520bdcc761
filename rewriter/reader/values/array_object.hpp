// NumPy's arrays as names share them: memory, and views of it. Internal to the reader.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"

namespace rewriter {

/// How a view's array is made from its base's.
struct ViewStep {
  enum class Kind : std::uint8_t { Slice, Transpose, Reshape, Steps, Diagonal, Broadcast };
  Kind kind = Kind::Reshape;
  std::vector<Range> ranges{};  ///< Slice
  Dims dims{};                  ///< Reshape, Broadcast
  std::vector<int> axes{};      ///< Transpose: of Array::transpose
  int axis = 0;                 ///< Steps
  Steps steps{};                ///< Steps
  Index diagonal = 0;           ///< Diagonal: which one

  [[nodiscard]] Array apply(const Array& base) const;
  /// The base after `value` was written to the view.
  [[nodiscard]] Array write_back(const Array& base, const Array& value) const;
};

/// A NumPy array as names share it: memory of its own, or a view of another's. What it holds
/// changes when NumPy would write in place; every name and view of the memory then sees the new
/// value.
class ArrayObject;
using ObjectPtr = std::shared_ptr<ArrayObject>;

class ArrayObject {
 public:
  /// `contiguous`: in C order in NumPy's memory, so that reshape() gives a view. `python`: no array
  /// but a Python number that is known only at run time.
  ArrayObject(Array value, bool contiguous, bool python = false);
  ArrayObject(std::shared_ptr<ArrayObject> base, ViewStep step, bool contiguous);
  ArrayObject(const ArrayObject&) = delete;
  ArrayObject& operator=(const ArrayObject&) = delete;
  ~ArrayObject();  // long chains of views are destroyed iteratively

  /// The array that it holds now.
  Array read();
  /// Writes in place: a value of the same shape.
  void write(const Array& value);

  /// The owner of the memory; this one, if it is not a view.
  [[nodiscard]] static ObjectPtr root_of(const ObjectPtr& object);
  [[nodiscard]] const ArrayObject* owner() const { return root_ ? root_.get() : this; }
  /// Of an owner: how often the program wrote into its memory.
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  /// Of an owner: it now holds this value, and counts as written so often.
  void replace(const Array& value, std::uint64_t writes);
  /// The views between this and the owner show what they show when the loop's variable has this
  /// value.
  void fix(const LoopPtr& loop, Index value);

  /// What views of the memory show is computed anew if its node is not older than this one.
  void forget(std::uint64_t since);

  /// Of an owner: how wide NumPy's floats are in this memory, where that was said.
  [[nodiscard]] int float_bits() { return root().float_bits_; }
  void set_float_bits(int bits) { root().float_bits_ = bits; }
  [[nodiscard]] bool contiguous() const { return contiguous_; }
  /// NumPy made it in an order that follows from things which are not modelled here.
  void forget_order() { contiguous_ = false; }
  [[nodiscard]] bool is_python() const { return python_; }
  /// NumPy's a.flat, of which parts are copies.
  [[nodiscard]] bool is_flat() const { return flat_; }
  void become_flat() { flat_ = true; }
  /// Whether it is immutable: a Python number or a NumPy scalar.
  [[nodiscard]] bool is_scalar() { return python_ || is_numpy_scalar(read()); }
  [[nodiscard]] const Dims& shape() const { return value_.shape(); }
  /// Writing would reach an array that may share the memory in NumPy, depending on its layout: it
  /// raises an error with this text.
  void refuse_writes(std::string why) {
    root().refusal_ = std::move(why);
    root().refused_for_.clear();
  }
  /// The same as long as that array is there, which a program may still read.
  void refuse_writes_beside(const std::shared_ptr<ArrayObject>& other, const std::string& why);
  /// In NumPy this is a view of `of` at an index known only at run time; here it is a copy, which
  /// must not be read after `of` is written.
  void stands_for_part_of(const ObjectPtr& of);
  [[nodiscard]] bool stands_for_part() const { return part_of_ != nullptr; }
  /// Whether it is such a copy, of an array that was written since.
  [[nodiscard]] bool is_outdated() {
    const ArrayObject& owner = root();
    return owner.part_of_ != nullptr && owner.part_of_->writes_ != owner.part_writes_;
  }
  /// The memory is this owner's or one of these, from before a condition; which is known only at
  /// run time.
  void may_be(std::vector<ObjectPtr> others) { origins_ = std::move(others); }
  /// Those of them which something else may still show; in their place what they may be.
  [[nodiscard]] const std::vector<ObjectPtr>& origins();
  /// In the first iteration of a loop that is being read, the memory is that owner's.
  void begins_as(ObjectPtr owner) { beginning_ = std::move(owner); }
  /// Of an owner: how often the program wrote into what may be its memory at run time.
  [[nodiscard]] std::uint64_t perhaps_writes() const { return perhaps_writes_; }
  /// Whether that, or its own memory, was ever written.
  [[nodiscard]] bool may_be_written() const {
    return writes_ > 0 || perhaps_writes_ > 0 || wrote_origin_;
  }
  [[nodiscard]] const ObjectPtr& beginning() const { return beginning_; }
  /// That text; empty where writing is possible.
  [[nodiscard]] const std::string& refusal();

 private:
  ArrayObject& root();
  /// Of an owner: the program writes into its memory.
  void count_write();

  static constexpr std::uint64_t kStale = ~std::uint64_t{0};

  Array value_;
  bool contiguous_;
  bool python_ = false;
  bool flat_ = false;
  std::uint64_t version_ = 0;  ///< of the root when value_ was made
  std::uint64_t writes_ = 0;
  std::shared_ptr<ArrayObject> base_;
  std::shared_ptr<ArrayObject> root_;  ///< the owner of the memory; null: this one
  ViewStep step_;
  std::shared_ptr<ArrayObject> part_of_;
  std::uint64_t part_writes_ = 0;  ///< of that, when this was made
  std::string refusal_;
  std::vector<std::weak_ptr<ArrayObject>> refused_for_;  ///< while these exist; empty: always
  bool is_beside_ = false;  ///< another one has this in its refused_for_
  std::vector<ObjectPtr> origins_;
  bool wrote_origin_ = false;  ///< into one that is no more
  ObjectPtr beginning_;
  std::uint64_t perhaps_writes_ = 0;
  int float_bits_ = 0;
};

/// a[i, i + k] of a matrix.
Array diagonal(const Array& a, Index k);

}  // namespace rewriter
