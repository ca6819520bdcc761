// Looks at every access of a kernel: whether it lies in memory that the kernel was given, whether
// what it reads was ever written, and whether it is ordered with those of other threads.
//
// Order. Two accesses to the same bytes by different threads, one of them to write and not both
// atomic, must be ordered: by __syncthreads (of one block), by __syncwarp (of the lanes that call
// it), or by an atomic operation of the later thread on memory that the earlier one has accessed
// atomically after a __threadfence. Shuffles and votes order nothing (CUDA C++ Programming Guide,
// "Warp Shuffle Functions"). An access is known by its thread and by the thread's time, a count
// of the launch that grows where threads are ordered, and so tells the block, too; of each granule
// of memory the last write is kept and two reads that are not ordered with each other, as far apart
// as there were: another block's before another warp's before another lane's. (Flanagan and Freund,
// "FastTrack", PLDI 2009, for a tree of blocks, warps and lanes.)
//
// What is not found: a race with the third and further of several such reads where the write is
// ordered with the two that are kept; overruns of an array of a thread's own; and what a run with
// these data does not do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudamat/simt/cells.hpp"
#include "cudamat/simt/execute.hpp"

namespace simt {

enum class Touch : int;  // simt_device.h

/// Memory that a kernel may access.
struct Memory {
  enum class Kind : std::uint8_t {
    Array,     ///< an argument
    Variable,  ///< of the program
    Shared,    ///< the block's
  };
  std::byte* data;
  std::size_t bytes;
  Kind kind;
  bool written;           ///< it holds values before the launch; what is shared never does
  bool recorded = false;  ///< what the launch writes over is kept: Checks::overwritten()
  std::size_t slack = 0;  ///< bytes before and after it that nobody else has
};

/// Some bytes before the launch's first write to them.
struct Overwritten {
  std::byte* data;
  std::array<std::byte, 4> before;
  std::uint32_t bytes;
};

/// What is wrong with an access.
struct Fault {
  enum class Kind : std::uint8_t {
    None,
    Outside,     ///< of the memory `memory`, at `offset`; or, without one, at `address`
    Misaligned,  ///< `offset` is no multiple of `bytes`
    NeverWritten,
    Race,         ///< with `other`
    Overflow,     ///< of the thread's stack
    Interrupted,  ///< from outside, at `place`; 0 where that is not known
    Text,         ///< of Failed: a barrier, an intrinsic, an assertion
  };
  struct Other {
    std::uint64_t block;
    int thread;  ///< its number in the block
    Touch what;
    std::uint32_t place;
  };
  Kind kind = Kind::None;
  int memory = -1;  ///< the number of the memory; -1: none is near; others than the first: add()'s
  std::size_t memory_bytes = 0;
  Memory::Kind memory_kind{};
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0;
  const void* address = nullptr;
  Touch what{};
  std::uint32_t place = 0;  ///< in the code, as touch() was told
  Other other{};
};

class Checks final : public Watch {
 public:
  /// Threads of a launch are known by 32 bits.
  static constexpr std::uint64_t kMostThreads = 0xFFFFFFFEu;

  /// For one launch with blocks of so many threads. Memories do not overlap; out of bounds belongs
  /// to the one that is nearest. Throws std::bad_alloc.
  /// continues: accesses out of bounds, of what was never written, and races, are noted and made,
  /// as on a GPU.
  Checks(const std::vector<Memory>& memories, std::size_t threads, bool continues = false);

  /// By the thread that runs. `place` is below 2^30.
  void touch(const void* data, std::size_t bytes, Touch what, std::uint32_t place);
  void misaligned(const void* data, std::size_t bytes, Touch what, std::uint32_t place);
  void enter(const void* frame, std::uint32_t place);
  void fence();
  /// Ends the launch.
  void interrupt(std::uint32_t place);
  /// Memory that the kernel has from now on, and no longer; by its first byte. All that are added
  /// have one number, after the first's.
  void add(const Memory& memory);
  void remove(const std::byte* data);

  void begin_block(std::uint64_t block) override;
  void end_block() override;
  void order_block() override;
  void order_lanes(int first, unsigned mask) override;
  bool tolerates(const char* text) override;

  [[nodiscard]] const Fault& fault() const { return fault_; }
  /// What was wrong and did not end the launch: the first of each kind at each place.
  [[nodiscard]] const std::vector<std::pair<Fault, Failed>>& noted() const { return noted_; }
  /// After the launch: what was written outside all memory is as it was.
  void restore();
  /// What the launch has written to, of the memories that are recorded; each byte is there once.
  [[nodiscard]] const std::deque<Overwritten>& overwritten() const { return overwritten_; }
  /// The numbers of those memories.
  [[nodiscard]] std::vector<std::size_t> written_to() const;
  /// Whether the launch has written to the memory that begins here.
  [[nodiscard]] bool has_written(const std::byte* data) const;

 private:
  static constexpr int kWarp = 32;

  struct Region : Memory {
    Cells cells;
    bool dirty = false;         ///< since the cells were cleared
    bool changed = false;       ///< written to
    std::ptrdiff_t number = 0;  ///< among the memories
  };
  /// Blocks that have run one after the other, each with one time: the block `block` + i has the
  /// time `time` + i, and the last one all from there on.
  struct Run {
    std::uint32_t time, block, count;
  };

  /// What a thread had done when it released something.
  struct Release {
    std::uint32_t thread;
    std::uint32_t time;           ///< of its last fence
    std::uint32_t ordered_block;  ///< what all threads of its block did before this time is done
  };
  /// All releases by atomic operations on one address, by the number of their block.
  struct Channel {
    std::uint32_t count = 0;
    std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, Release>>> by_block;
  };
  using Known = std::map<const Channel*, std::uint32_t>;  ///< how many releases of each

  struct Lane {
    std::uint32_t time;
    std::uint32_t fence;                     ///< time of the last fence; 0: none
    std::uint32_t ordered_block;             ///< at that time
    std::array<std::uint32_t, kWarp> known;  ///< times of the warp's other lanes
    Known acquired;
  };

  [[nodiscard]] Region* find(const std::byte* data);
  [[nodiscard]] Region* search(const std::byte* data);
  [[nodiscard]] const Region* nearest(const std::byte* data) const;
  void make_cells(Region& region, int shift);
  void widen();
  [[nodiscard]] std::uint32_t next_time();
  [[nodiscard]] std::uint32_t site_of(std::uint32_t place);
  std::uint32_t add_site(std::uint32_t place);
  [[nodiscard]] std::uint32_t& slot_of(std::uint32_t place);
  void touch_cell(Region& region, std::size_t at, Event& now, Touch what, bool& fresh);
  [[nodiscard]] Event* replaced_read(Cell& cell, const Event& now) const;
  void record(Region& region, std::size_t at);
  [[nodiscard]] bool ordered(const Event& before) const;
  [[nodiscard]] bool ordered_otherwise(const Event& before) const;
  /// Whether the event is of the block that runs, and since when its threads were ordered last.
  [[nodiscard]] bool in_block(const Event& event) const { return event.time >= begin_time_; }
  [[nodiscard]] bool in_phase(const Event& event) const { return event.time >= block_time_; }
  [[nodiscard]] bool released(const Event& before) const;
  void synchronise(const void* data);
  [[nodiscard]] static Fault fault_of(Fault::Kind kind, const Region* region, std::ptrdiff_t offset,
                                      Touch what);
  [[noreturn]] void fail(Fault fault);
  void note(Fault fault);
  void outside(const std::byte* at, Region* region, Touch what);
  void race(const Region& region, std::size_t at, const Event& before, Touch before_what,
            Touch what);
  /// Whether the thread that runs has made it.
  [[nodiscard]] bool is_mine(const Event& event) const {
    return event.thread == thread_ && in_block(event);
  }
  [[nodiscard]] std::uint32_t block_of(const Event& event) const;

  std::map<const std::byte*, Region> regions_;  ///< by their data
  std::ptrdiff_t added_ = 0;                    ///< the number of memories that are added
  std::array<Region*, 64> found_{};             ///< by some bits of the address
  std::uint32_t time_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t begin_time_ = 0;  ///< of the block
  std::uint32_t block_time_ = 0;  ///< of the last order of all threads of the block
  std::vector<Run> runs_;         ///< by their times
  EventFormat format_;
  std::vector<std::uint32_t> places_{0};  ///< of sites; of the first, it is not known
  std::vector<std::uint32_t> sites_;      ///< by a hash of the place: its site, or 0; 2^n
  std::vector<Lane> lanes_;
  Known block_acquired_;
  std::unordered_map<const void*, Channel> channels_;
  std::deque<Overwritten> overwritten_;
  // of the access that is looked at
  std::uint32_t thread_ = 0;
  std::size_t bytes_ = 0;
  const void* data_ = nullptr;
  std::uint32_t place_ = 0;
  Fault fault_;
  bool continues_;
  std::vector<std::pair<Fault, Failed>> noted_;
  std::set<std::pair<Fault::Kind, std::uint32_t>> noted_places_;
  std::byte* outside_ = nullptr;  ///< the last write there
  std::vector<std::byte> before_;
};

}  // namespace simt
