// Mappings for device, pinned and shared memory: poisoned, with pages without access around them.
// For the execution's own files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#endif

namespace simt {

inline constexpr std::size_t kPage = 4096;
/// Allocations begin and end at multiples of it, if their size is one.
inline constexpr std::size_t kAlignment = 16;

enum class Kind { kDevice, kPinned };

struct Region {
  std::byte* base;     ///< the mapping, with the page without access on either side
  std::size_t length;  ///< of the mapping
  std::byte* data;
  std::size_t bytes;
  Kind kind;
  int device;
  bool freed;
};

/// New memory. Throws std::bad_alloc.
void* map(Kind kind, int device, std::size_t bytes);

enum class Unmapped { kDone, kUnknown };
/// Takes access away. Fails (failure.hpp) for what was freed before; kUnknown for other addresses.
Unmapped unmap(Kind kind, void* data, std::size_t* bytes, int* device);

/// The region, live or freed, whose mapping holds the address.
bool find_region(const void* address, Region* found);
/// The same for a signal handler, which may have interrupted a search: it finds nothing then.
bool find_region_after_fault(const void* address, Region* found);
std::vector<Region> live_regions();

/// Fails if the memory around a region was written. `all`: all of it; else what is nearest.
void check_canaries(bool all);

/// Fails unless [data, data + bytes) lies in one live region. Returns false, without failing, if no
/// region has anything to do with the address.
bool check_range(const void* data, std::size_t bytes, const char* verb);

/// Fails if a pointer that a kernel is given is of freed memory, or of the host.
void check_kernel_pointer(const void* pointer);

void set_strict_memory(bool strict);
/// While it lives, device memory can be accessed.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

/// The shared memory of one block at a time.
class SharedMemory {
 public:
  ~SharedMemory();
  /// Before a launch: memory of this size from now on.
  void resize(std::size_t bytes);
  /// Before a block.
  void poison();
  /// After a block: fails if the memory around it was written.
  void check() const;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Whether the address is in the mapping.
  [[nodiscard]] bool owns(const void* address) const;

 private:
  std::byte* base_ = nullptr;
  std::byte* first_page_ = nullptr;  ///< of those with access
  std::byte* end_ = nullptr;         ///< of those with access
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// "byte 400 of an allocation of 400 bytes, 0 bytes past its end".
void describe_offset(char* text, std::size_t size, const char* what, std::ptrdiff_t offset,
                     std::size_t bytes);

/// The handler of SIGSEGV and the stack it runs on, once a thread.
void watch_faults();

}  // namespace simt
