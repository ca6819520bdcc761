#pragma once

// The switches that tools/mutants --guards plants in a scratch copy. A process writes down which
// guards fire, and can have one of them switched off:
//   GUARDS_FIRED=FILE   byte N of it becomes 1 as guard N fires; several processes may share it
//   GUARDS_OFF=N        guard N never fires

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

namespace guards {

struct Record {
  unsigned char* fired = nullptr;
  std::size_t count = 0;
  unsigned off = 0;  // numbers begin at 1

  Record() {
    if (const char* number = std::getenv("GUARDS_OFF"))
      off = static_cast<unsigned>(std::strtoul(number, nullptr, 10));
    const char* path = std::getenv("GUARDS_FIRED");
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
      count = static_cast<std::size_t>(status.st_size);
      void* const memory = ::mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (memory != MAP_FAILED) fired = static_cast<unsigned char*>(memory);
    }
    ::close(file);
  }
};

inline Record& record() {
  static Record* const only = new Record;  // also for what runs as the process ends
  return *only;
}

inline void note(unsigned number) {
  const Record& now = record();
  if (now.fired != nullptr && number < now.count) now.fired[number] = 1;
}

inline bool on(unsigned number) {
  if (record().off == number) return false;
  note(number);
  return true;
}

constexpr bool fires(unsigned number, bool condition) {
  if (!condition || std::is_constant_evaluated()) return condition;
  return on(number);
}

/** Of a call of a checking function: it fires when that throws. */
class Call {
 public:
  explicit Call(unsigned number) : number_(number), thrown_(std::uncaught_exceptions()) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (std::uncaught_exceptions() > thrown_) note(number_);
  }
  explicit operator bool() const { return record().off != number_; }

 private:
  unsigned number_;
  int thrown_;
};

}  // namespace guards
