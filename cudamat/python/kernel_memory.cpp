// DeviceMemory: bytes for kernels.
#include <algorithm>
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
std::map<std::uintptr_t, Allocation*>& living() {
  static auto* const the_living = new std::map<std::uintptr_t, Allocation*>;
  return *the_living;
}

std::uintptr_t address_of(const Any& matrix) {
  return std::visit([](const auto& m) { return reinterpret_cast<std::uintptr_t>(m.data()); },
                    matrix);
}

void forget(const Allocation& allocation) {
  if (allocation.matrix != nullptr && allocation.bytes > 0)
    living().erase(address_of(*allocation.matrix));
}

}  // namespace

// ---- allocations ----

Allocation::Allocation(Index n) : bytes(n) {
  if (n < 0) misuse("DeviceMemory", "the number of bytes must not be negative; got {}", n);
  matrix = std::make_shared<Any>(
      make_empty("DeviceMemory", {(n + kWord - 1) / kWord, 1}, nb::str("float32")));
  if (n > 0) living()[address_of(*matrix)] = this;
}

Allocation::~Allocation() {
  forget(*this);
}

Reached::Reached() {
  for (const auto& [address, allocation] : living()) {
    if (!allocation->told) continue;
    std::shared_ptr<Allocation> kept = allocation->weak_from_this().lock();
    if (kept == nullptr) continue;
    told_.emplace_back(std::move(kept));
    std::visit(
        [&](auto& m) {
          using E = typename std::remove_cvref_t<decltype(m)>::engine;
          if (!std::is_same_v<E, npmat::Engine<typename E::value_type>>) return;
          memories_.push_back({reinterpret_cast<std::byte*>(m.data()),
                               static_cast<std::size_t>(allocation->bytes), allocation->written});
          numbers_.push_back(told_.size() - 1);
        },
        *told_.back().matrix);
  }
}

void Reached::finish() const {
  std::vector<bool> looked_at(told_.size());
  for (std::size_t k = 0; k < memories_.size(); ++k) {
    looked_at[numbers_[k]] = true;
    told_[numbers_[k]].allocation->written |= memories_[k].written;
  }
  for (std::size_t k = 0; k < told_.size(); ++k)
    told_[k].allocation->written |= !looked_at[k];  // on a GPU nobody saw what was written
}

bool Reached::has(const Allocation& allocation) const {
  return std::ranges::any_of(told_,
                             [&](const InUse& use) { return use.allocation.get() == &allocation; });
}

// ---- memory ----

std::uintptr_t DeviceMemory::address() const {
  check("int", 0, 0);
  allocation->told = true;
  return address_of(*allocation->matrix) + static_cast<std::uintptr_t>(offset);
}

std::optional<DeviceMemory> DeviceMemory::at(std::uintptr_t address) {
  const auto after = living().upper_bound(address);
  if (after == living().begin()) return {};
  const auto& [begin, allocation] = *std::prev(after);
  std::shared_ptr<Allocation> kept = allocation->weak_from_this().lock();
  if (kept == nullptr || address - begin > static_cast<std::uintptr_t>(kept->bytes)) return {};
  return DeviceMemory(std::move(kept), static_cast<Index>(address - begin));
}

std::optional<DeviceMemory> DeviceMemory::of(nb::handle object) {
  if (nb::isinstance<DeviceMemory>(object)) return initialized<DeviceMemory>(object);
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  const std::uintptr_t address = index.is_valid() ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  return at(address);
}

DeviceMemory DeviceMemory::part(Index first) const {
  check("part", first, 0);
  return {allocation, offset + first};
}

void DeviceMemory::check(std::string_view op, Index first, Index n) const {
  if (allocation->matrix == nullptr) misuse(Reason::NotOnDevice, op, "the memory was freed");
  if (first < 0 || n < 0 || first > bytes() || n > bytes() - first)
    misuse(Reason::Shape, op, "{} bytes from {} on are not in memory of {} bytes", n, first,
           bytes());
}

void DeviceMemory::write(nb::handle buffer, Index first) const {
  const Bytes from("write", buffer, false);
  check("write", first, from.size());
  const InUse use(allocation);
  std::visit(
      [&](auto& m) {
        using T = typename std::remove_cvref_t<decltype(m)>::value_type;
        using E = typename std::remove_cvref_t<decltype(m)>::engine;
        computing([&] {
          by_words(
              offset + first, from.size(),
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
      *use.matrix);
  if (from.size() != 0) allocation->written = true;
}

void DeviceMemory::read(nb::handle buffer, Index first) const {
  const Bytes to("read", buffer, true);
  check("read", first, to.size());
  const InUse use(allocation);
  std::visit(
      [&](auto& m) {
        using T = typename std::remove_cvref_t<decltype(m)>::value_type;
        using E = typename std::remove_cvref_t<decltype(m)>::engine;
        computing([&] {
          by_words(
              offset + first, to.size(),
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
      *use.matrix);
}

bool DeviceMemory::on_gpu() const {
  check("on_gpu", 0, 0);
  return std::visit([](auto& m) { return Argument(m).on_gpu; }, *allocation->matrix);
}

nb::capsule DeviceMemory::hold() const {
  check("hold", 0, 0);
  auto held = std::make_unique<std::shared_ptr<Any>>(allocation->matrix);
  return {held.release(),
          [](void* data) noexcept { delete static_cast<std::shared_ptr<Any>*>(data); }};
}

void DeviceMemory::release() const {
  if (offset != 0) misuse("free", "part of an allocation is not freed without the rest");
  forget(*allocation);
  allocation->matrix.reset();
}

void def_kernel_memory(nb::module_& m) {
  nb::class_<DeviceMemory>(m, "_DeviceMemory",
                           "Bytes on the device of the engine in use; or part of them, which "
                           "shares them.")
      .def(nb::init<Index>(), "nbytes"_a)
      .def_prop_ro("nbytes", &DeviceMemory::bytes)
      .def("write", &DeviceMemory::write, "array"_a, "offset"_a = 0,
           nb::sig("def write(self, array: typing.Any, offset: int = 0) -> None"),
           "The array's bytes go there.")
      .def("read", &DeviceMemory::read, "array"_a, "offset"_a = 0,
           nb::sig("def read(self, array: typing.Any, offset: int = 0) -> None"),
           "Fills the array.")
      .def("part", &DeviceMemory::part, "offset"_a, "The same bytes, from this one on.")
      .def("__int__", &DeviceMemory::address, "The address of the first byte.")
      .def("__index__", &DeviceMemory::address, "The address of the first byte.")
      .def_prop_ro("on_gpu", &DeviceMemory::on_gpu)
      .def("hold", &DeviceMemory::hold,
           "What keeps the bytes where they are, though they may be freed.")
      .def(
          "mark_written", [](const DeviceMemory& self) { self.allocation->written = true; },
          "Kernels may read what is there.")
      .def("free", &DeviceMemory::release,
           "Gives the memory back: at once, or when the kernels have ended that use it.");
  m.def(
      "_find_memory",
      [](std::uintptr_t address) {
        std::optional<DeviceMemory> memory = DeviceMemory::at(address);
        if (!memory.has_value()) misuse("find_memory", "no allocation has the address {}", address);
        return *std::move(memory);
      },
      "address"_a, "The memory from an address on.");
}

}  // namespace cudamat::python
