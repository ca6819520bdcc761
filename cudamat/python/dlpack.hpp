// Elements shared with Python's other libraries: capsules of DLPack, buffers, and the descriptions
// of the array interfaces. What the modules have in common.
#pragma once

#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <utility>

#include "cudamat/exchange.hpp"
#include "cudamat/python/interpreter.hpp"
#include "cudamat/python/numpy.hpp"

namespace cudamat::python {

/// Raises what the array API prescribes: BufferError; ValueError where `taking` with copy=False
/// is not possible.
[[noreturn]] void refuse(const CUDAMatException& error, bool taking);

/// f(), with other threads running, and errors as above.
template <class F>
auto exchanging(bool taking, const F& f) {
  try {
    return computing(f);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const LibraryError&) {
    throw;
  } catch (const CUDAMatException& error) {
    refuse(error, taking);
  }
}

// ---- to others ----

/// What __dlpack__ is asked for.
struct Asked {
  bool versioned = false;  ///< the consumer knows DLPack 1.x
  bool on_host = false;    ///< elements of another device, copied to the host
  copyif copy = copyif::yes;
  std::optional<StreamNumber> consumer{};
};
/// Of its arguments, for elements that are `here`. Raises BufferError for a device that cannot be
/// had, TypeError and ValueError for what is no such argument.
Asked asked_of(nb::handle stream, nb::handle max_version, nb::handle dl_device, nb::handle copy,
               dlpack::Device here);
/// None: where it must be; True: always; False: never.
copyif copy_of(std::string_view op, nb::handle copy);

/// Whoever takes the tensor out of the capsule renames it; if nobody does, it ends with it.
nb::object capsule_of(TensorPtr tensor);
nb::object capsule_of(UnversionedTensorPtr tensor);
nb::tuple to_tuple(dlpack::Device device);

/// A buffer of the tensor's elements, which keeps it, for the slot bf_getbuffer; raises BufferError
/// for flags that do not fit.
void fill_buffer(nb::handle self, Py_buffer& view, int flags, TensorPtr tensor);
/// The slot bf_releasebuffer.
void release_buffer(PyObject* self, Py_buffer* view) noexcept;

/// np.asarray of the object's buffer, as the type and with the copy that __array__ is asked for.
/// Raises ValueError where copy=False cannot be.
nb::object array_of_buffer(nb::handle self, nb::handle dtype, nb::handle copy);

/// __cuda_array_interface__.
nb::dict to_dict(const CudaArrayInterface& array);
/// __array_interface__ of elements in the host's memory, which somebody keeps.
nb::dict interface_of(const dlpack::Tensor& tensor);

// ---- from others ----

/// An array of another library, or a capsule, and who keeps its elements.
class Incoming {
 public:
  /// Asks the object, on behalf of calls that are queued on `stream`. Raises AttributeError if it
  /// has none of the protocols.
  Incoming(nb::handle object, copyif copy, std::optional<StreamNumber> stream);

  /// f(ManagedTensorVersioned* or const CudaArrayInterface&): it takes it unless it throws.
  template <class F>
  auto taken(const F& f) {
    if (interface_) return exchanging(true, [&] { return f(*interface_); });
    Taking taking(capsule_, immutable_);
    auto result = exchanging(true, [&] { return f(taking.tensor); });
    taking.tensor = nullptr;
    return result;
  }

 private:
  /// What the capsule holds, which is the capsule's again at the end unless `tensor` is null then.
  struct Taking {
    Taking(nb::handle from, bool immutable);
    ~Taking();
    Taking(const Taking&) = delete;
    Taking& operator=(const Taking&) = delete;

    nb::handle capsule;
    dlpack::ManagedTensorVersioned* tensor = nullptr;  ///< its deleter may be called anywhere
    void (*give_back)(nb::handle capsule, dlpack::ManagedTensorVersioned* tensor) = nullptr;
  };

  nb::object capsule_;
  bool immutable_ = false;
  std::optional<CudaArrayInterface> interface_{};
};

}  // namespace cudamat::python
