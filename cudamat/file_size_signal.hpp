// Writes that meet a limit of the size of files.
#pragma once

#include <cerrno>
#include <ctime>
#include <signal.h>

namespace cudamat {

/// While it lives, a write of this thread beyond a limit of the size of files (`ulimit -f`) is the
/// error EFBIG, and not the end of the process.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;
  ~FileSizeSignalBlocked() {
    const int error = errno;
    const timespec no_wait{};
    if (!was_pending_) sigtimedwait(&signals_, nullptr, &no_wait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t signals_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace cudamat
