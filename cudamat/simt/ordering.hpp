// What comes after what among the works of streams, and which memory they share. For the
// execution's own files.
//
// Every stream counts its works. A clock says of each stream how many of its works are known to be
// done: a stream's own clock, which grows with its works and with the events that it waits for, and
// the host's, which grows with what the host waits for and which every work inherits. Two works
// that use the same allocation, one of them to write, allocate or free it, must be in each other's
// past: whatever the order in which they happen to be executed here. Threads of the host are taken
// for one, so what they fail to tell each other is not found.
#pragma once

#include <cstdint>
#include <vector>

namespace simt {

/// Works done, by the number of their stream; none of those beyond its end.
using Clock = std::vector<std::uint64_t>;

/// A stream's part in this.
struct Timeline {
  Timeline();

  std::uint64_t number;     ///< of the stream, from 1 on
  std::uint64_t works = 0;  ///< so far
  Clock known;              ///< works of other streams that are done before its next work
};

/// What a work does to an allocation. kUnsure: reads it at least (a pointer in a structure);
/// whether it writes shows in the contents.
enum class Access { kRead, kWrite, kUnsure, kAllocate, kFree };

struct Use {
  const void* pointer;
  Access access;
};

/// What is done when all works of the stream so far are.
Clock clock_of(const Timeline& timeline);
/// The stream's next works come after what the clock says.
void order_stream(Timeline& timeline, const Clock& clock);
/// The host has waited for it.
void order_host(const Clock& clock);

/// Counts a work of the stream, the return value, and fails (failure.hpp) if something that it uses
/// is used by a work that may not be done yet, or was freed. Memory that is not the device's, nor
/// pinned, does not count.
std::uint64_t order_work(Timeline& timeline, const char* name, const std::vector<Use>& uses);

/// For what uses call unsure: notes a write if the contents are others at the end of its life.
class Writes {
 public:
  Writes(const Timeline& timeline, std::uint64_t work, const char* name,
         const std::vector<Use>& uses);
  ~Writes();
  Writes(const Writes&) = delete;
  Writes& operator=(const Writes&) = delete;

 private:
  struct Content {
    const void* data;
    std::size_t bytes;
    std::uint64_t hash;
  };
  std::uint64_t stream_, work_;
  const char* name_;
  std::vector<Content> contents_;
};

/// The memory is gone.
void forget_uses(const void* data);

}  // namespace simt
