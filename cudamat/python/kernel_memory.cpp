// DeviceMemory: bytes for kernels.
#include <array>
#include <cstring>
#include <map>

#include "cudamat/python/kernels.hpp"

namespace cudamat::python {

using nb::literals::operator""_a;

namespace {

constexpr Index kWord = sizeof(float);

/// The bytes of a contiguous array, as long as this lives.
class Bytes {
 public:
  Bytes(std::string_view op, nb::handle object, bool writable) {
    if (PyObject_CheckBuffer(object.ptr()) == 0)
      throw nb::type_error(fmt::format("[{}] takes a NumPy array, or what has a buffer; got {}", op,
                                       name_of_type(object))
                               .c_str());
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDES) != 0) throw nb::python_error();
    const bool contiguous = PyBuffer_IsContiguous(&view_, 'A') != 0;
    if (contiguous && !(writable && view_.readonly != 0)) return;
    PyBuffer_Release(&view_);
    throw nb::value_error(
        fmt::format("[{}] {}", op,
                    contiguous ? "the array is read-only"
                               : "the array is not contiguous; np.ascontiguousarray() makes a copy "
                                 "that is")
            .c_str());
  }
  ~Bytes() { PyBuffer_Release(&view_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(view_.buf); }
  [[nodiscard]] Index size() const { return view_.len; }

 private:
  Py_buffer view_{};
};

/// copy(word, from, n) for the words that bytes lie in: whole words where they are whole, the first
/// and last by themselves.
template <class Whole, class Part>
void by_words(Index offset, Index n, const Whole& whole, const Part& part) {
  Index done = 0;
  const auto one = [&] {
    const Index at = (offset + done) % kWord;
    const Index take = std::min(kWord - at, n - done);
    part((offset + done) / kWord, at, done, take);
    done += take;
  };
  if (offset % kWord != 0 && n != 0) one();
  if (const Index words = (n - done) / kWord; words != 0) {
    whole((offset + done) / kWord, done, words);
    done += words * kWord;
  }
  if (done != n) one();
}

/// By address; Python's lock guards it.
std::map<std::uintptr_t, DeviceMemory*>& living() {
  static auto* const the_living = new std::map<std::uintptr_t, DeviceMemory*>;
  return *the_living;
}

std::uintptr_t address_of(const DeviceMemory& memory) {
  return std::visit([](const auto& m) { return reinterpret_cast<std::uintptr_t>(m.data()); },
                    memory.matrix);
}

}  // namespace

DeviceMemory::DeviceMemory(Index n)
    : matrix(make_empty("DeviceMemory", {(std::max<Index>(n, 0) + kWord - 1) / kWord, 1},
                        nb::str("float32"))),
      bytes(n) {
  if (n < 0) misuse("DeviceMemory", "the number of bytes must not be negative; got {}", n);
  if (n > 0) living()[address_of(*this)] = this;
}

DeviceMemory::~DeviceMemory() {
  std::erase_if(living(), [this](const auto& entry) { return entry.second == this; });
}

std::uintptr_t DeviceMemory::address() {
  check("int", 0, 0);
  told = true;
  return address_of(*this);
}

DeviceMemory* DeviceMemory::at(std::uintptr_t address) {
  const auto after = living().upper_bound(address);
  if (after == living().begin()) return nullptr;
  const auto& [begin, memory] = *std::prev(after);
  return address - begin < static_cast<std::uintptr_t>(memory->bytes) ? memory : nullptr;
}

std::vector<DeviceMemory*> DeviceMemory::all_told() {
  std::vector<DeviceMemory*> found;
  for (const auto& [address, memory] : living())
    if (memory->told) found.push_back(memory);
  return found;
}

Reached::Reached() : told_(DeviceMemory::all_told()) {
  for (DeviceMemory* const memory : told_)
    std::visit(
        [&](auto& m) {
          using E = typename std::remove_cvref_t<decltype(m)>::engine;
          if constexpr (std::is_same_v<E, npmat::Engine<typename E::value_type>>)
            memories_.push_back({reinterpret_cast<std::byte*>(m.data()),
                                 static_cast<std::size_t>(memory->bytes), memory->written});
        },
        memory->matrix);
}

void Reached::finish() const {
  for (DeviceMemory* const memory : told_) memory->written = true;
}

void DeviceMemory::check(std::string_view op, Index offset, Index n) const {
  if (!std::visit([](const auto& m) { return m.on_device(); }, matrix))
    misuse(Reason::NotOnDevice, op, "the memory was freed");
  if (offset < 0 || n < 0 || offset > bytes || n > bytes - offset)
    misuse(Reason::Shape, op, "{} bytes from {} on are not in memory of {} bytes", n, offset,
           bytes);
}

void DeviceMemory::write(nb::handle buffer, Index offset) {
  const Bytes from("write", buffer, false);
  check("write", offset, from.size());
  std::visit(
      [&](auto& m) {
        using T = typename std::remove_cvref_t<decltype(m)>::value_type;
        using E = typename std::remove_cvref_t<decltype(m)>::engine;
        computing([&] {
          by_words(
              offset, from.size(),
              [&](Index word, Index at, Index n) {
                E::copy_to_device(reinterpret_cast<const T*>(from.data() + at), m.data() + word,
                                  n * kWord / Index{sizeof(T)});
              },
              [&](Index word, Index within, Index at, Index n) {
                std::array<T, 1> one{};
                E::copy_to_host(m.data() + word, one.data(), 1);
                std::memcpy(reinterpret_cast<std::byte*>(one.data()) + within, from.data() + at,
                            static_cast<std::size_t>(n));
                E::copy_to_device(one.data(), m.data() + word, 1);
              });
        });
      },
      matrix);
  written = true;
}

void DeviceMemory::read(nb::handle buffer, Index offset) {
  const Bytes to("read", buffer, true);
  check("read", offset, to.size());
  std::visit(
      [&](auto& m) {
        using T = typename std::remove_cvref_t<decltype(m)>::value_type;
        using E = typename std::remove_cvref_t<decltype(m)>::engine;
        computing([&] {
          by_words(
              offset, to.size(),
              [&](Index word, Index at, Index n) {
                E::copy_to_host(m.data() + word, reinterpret_cast<T*>(to.data() + at),
                                n * kWord / Index{sizeof(T)});
              },
              [&](Index word, Index within, Index at, Index n) {
                std::array<T, 1> one{};
                E::copy_to_host(m.data() + word, one.data(), 1);
                std::memcpy(to.data() + at, reinterpret_cast<const std::byte*>(one.data()) + within,
                            static_cast<std::size_t>(n));
              });
        });
      },
      matrix);
}

void DeviceMemory::release() {
  std::erase_if(living(), [this](const auto& entry) { return entry.second == this; });
  std::visit([](auto& m) { m.free_device_memory(); }, matrix);
}

void def_kernel_memory(nb::module_& m) {
  nb::class_<DeviceMemory>(m, "_DeviceMemory", "Bytes on the device of the engine in use.")
      .def(nb::init<Index>(), "nbytes"_a)
      .def_ro("nbytes", &DeviceMemory::bytes)
      .def("write", &DeviceMemory::write, "array"_a, "offset"_a = 0,
           nb::sig("def write(self, array: typing.Any, offset: int = 0) -> None"),
           "The array's bytes go there.")
      .def("read", &DeviceMemory::read, "array"_a, "offset"_a = 0,
           nb::sig("def read(self, array: typing.Any, offset: int = 0) -> None"),
           "Fills the array.")
      .def("__int__", &DeviceMemory::address, "The address of the first byte.")
      .def("__index__", &DeviceMemory::address, "The address of the first byte.")
      .def("free", &DeviceMemory::release, "Gives the memory back at once.");
  m.def(
      "_find_memory",
      [](std::uintptr_t address) {
        DeviceMemory* const memory = DeviceMemory::at(address);
        if (memory == nullptr) misuse("find_memory", "no allocation has the address {}", address);
        return nb::make_tuple(nb::find(memory), static_cast<Index>(address - memory->address()));
      },
      "address"_a, "The memory that an address lies in, and its byte there.");
}

}  // namespace cudamat::python
