#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cudamat/file_size_signal.hpp"
#include "npmat/file_io.hpp"

namespace npmat::detail {

namespace fs = std::filesystem;

namespace {

// The descriptor that /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N represents.
std::optional<int> descriptor_named(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    int fd = -1;
    const char* end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + prefix.size(), end, fd);
    if (error == std::errc() && rest == end && fd >= 0) return fd;
  }
  return std::nullopt;
}

// The path that opening `path` for writing would reach, also where that does not exist yet.
fs::path follow_links(const FileContext& context, fs::path path) {
  constexpr int kMaxLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path link = fs::read_symlink(path, error);
    if (error) context.fail_errno("cannot be written", error.value());
    path = path.parent_path() / link;
  }
  context.fail_errno("cannot be written", ELOOP);
}

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int fd;
  do {
    fd = ::open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// The file that will take the place of `target`; removed again unless put_in_place succeeded.
class Replacement {
 public:
  explicit Replacement(const fs::path& target)
      : target_(target), folder_(target.has_parent_path() ? target.parent_path() : fs::path(".")) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  // Returns the descriptor, or -1 with errno set.
  int open(Temporary kind) {
    if (kind == Temporary::kUnnamed &&
        ::faccessat(AT_FDCWD, "/proc/self/fd", X_OK, AT_EACCESS) == 0) {
      const int fd = open_retrying(folder_.c_str(), O_TMPFILE | O_WRONLY, 0666);
      if (fd >= 0) return fd;
    }
    return with_fresh_name(
        [](const char* name) { return open_retrying(name, O_CREAT | O_EXCL | O_WRONLY, 0666); });
  }

  // Before the descriptor is closed: gives an unnamed file a name. False with errno set if that
  // failed.
  bool give_name(int fd) {
    if (!name_.empty()) return true;
    const std::string source = fmt::format("/proc/self/fd/{}", fd);
    return with_fresh_name([&](const char* name) {
             return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
           }) == 0;
  }

  // False with errno set if that failed.
  bool put_in_place() {
    if (::rename(name_.c_str(), target_.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

  // The same with a way back, where the file system can exchange names: the old file takes the
  // replacement's name, and is removed with it.
  bool exchange() {
    constexpr int kAttempts = 10;  // others may create and remove the target meanwhile
    for (int i = 0; i < kAttempts; ++i) {
      struct stat now {};
      const bool is_there = ::lstat(target_.c_str(), &now) == 0;
      if (is_there && S_ISDIR(now.st_mode)) return errno = EISDIR, false;
      way_back_ = is_there ? RENAME_EXCHANGE : RENAME_NOREPLACE;
      if (rename_with(name_, target_, way_back_)) return true;
      if (errno == EINVAL || errno == ENOSYS) return put_in_place();
      if (errno != (is_there ? ENOENT : EEXIST)) return false;
    }
    return false;
  }

  // After exchange(): the target is what it was.
  void exchange_back() noexcept {
    if (!name_.empty() && !rename_with(target_, name_, way_back_)) name_.clear();
  }

 private:
  static bool rename_with(const fs::path& from, const fs::path& to, unsigned flags) {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
  }

  // Calls create(name) with new names in the folder until one does not exist yet.
  template <class Create>
  int with_fresh_name(Create create) {
    static std::atomic<unsigned> counter{0};
    constexpr int kAttempts = 1000;
    int result = -1;
    for (int i = 0; i < kAttempts; ++i) {
      const fs::path name = folder_ / fmt::format(".npy-{}-{}.tmp", ::getpid(), counter++);
      result = create(name.c_str());
      if (result >= 0) name_ = name;
      if (result >= 0 || errno != EEXIST) break;
    }
    return result;
  }

  fs::path target_;
  fs::path folder_;
  fs::path name_;  // empty: the file has no name (yet, or any more)
  unsigned way_back_ = 0;
};

void write_directly(const FileContext& context, int fd,
                    const std::function<void(FileSink&)>& produce) {
  if (fd < 0) context.fail_errno("cannot be written", errno);
  FileSink sink(context, FileDescriptor(fd));
  produce(sink);
  sink.close();
}

// Owner and permissions of the file that is replaced; the owner only where the system allows it.
void keep_attributes(const FileContext& context, int fd, const struct stat& old) {
  struct stat now {};
  if (::fstat(fd, &now) == 0 && (now.st_uid != old.st_uid || now.st_gid != old.st_gid)) {
    [[maybe_unused]] const int ignored = ::fchown(fd, old.st_uid, old.st_gid);
  }
  if (::fchmod(fd, old.st_mode & 0777) != 0) context.fail_errno("cannot set permissions", errno);
}

// All of it is written beside the target.
void prepare(Replacement& replacement, const FileContext& context, const fs::path& target,
             const struct stat* old, const std::function<void(FileSink&)>& produce,
             Temporary temporary) {
  if (old != nullptr && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    context.fail_errno("cannot be written", errno);
  }
  const int fd = replacement.open(temporary);
  if (fd < 0)
    context.fail_errno(old != nullptr ? "cannot be replaced, as its folder takes no new file"
                                      : "cannot be created",
                       errno);
  FileSink sink(context, FileDescriptor(fd));
  if (old != nullptr) keep_attributes(context, fd, *old);
  produce(sink);
  if (::fsync(fd) != 0 && errno != EINVAL) context.fail_errno("cannot be kept on the disk", errno);
  if (!replacement.give_name(fd)) context.fail_errno("cannot be created", errno);
  sink.close();
}

// Writes what cannot be replaced at once; of the others the replacement is made.
std::unique_ptr<Replacement> begin_file(const FileContext& context, const fs::path& path,
                                        const std::function<void(FileSink&)>& produce,
                                        Temporary temporary) {
  if (path.empty()) context.fail("expected the name of a file to write");
  const cudamat::FileSizeSignalBlocked blocked;
  if (const std::optional<int> fd = descriptor_named(path.string())) {
    std::cout.flush();
    std::fflush(stdout);
    write_directly(context, ::fcntl(*fd, F_DUPFD_CLOEXEC, 0), produce);
    return nullptr;
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) context.fail_errno("cannot be written", errno);
  if (exists && S_ISDIR(info.st_mode)) context.fail("is a directory; expected a file name");
  if (exists && !S_ISREG(info.st_mode)) {
    write_directly(context, open_retrying(path.c_str(), O_WRONLY), produce);
    return nullptr;
  }
  const fs::path target = follow_links(context, path);
  auto replacement = std::make_unique<Replacement>(target);
  prepare(*replacement, context, target, exists ? &info : nullptr, produce, temporary);
  return replacement;
}

}  // namespace

void FileSink::write(const void* source, std::size_t n) {
  const char* bytes = static_cast<const char*>(source);
  while (n > 0) {
    const ssize_t done = ::write(file_.get(), bytes, std::min(n, std::size_t{1} << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      const int error = done < 0 ? errno : EIO;
      context_.fail_errno(fmt::format("writing failed after {} bytes", written_), error);
    }
    bytes += done;
    n -= static_cast<std::size_t>(done);
    written_ += static_cast<std::uint64_t>(done);
  }
}

void FileSink::close() {
  if (::close(file_.release()) != 0 && errno != EINTR) {
    context_.fail_errno(fmt::format("writing failed after {} bytes", written_), errno);
  }
}

void write_file(const FileContext& context, const fs::path& path,
                const std::function<void(FileSink&)>& produce, Temporary temporary) {
  const auto replacement = begin_file(context, path, produce, temporary);
  if (replacement && !replacement->put_in_place()) context.fail_errno("cannot be replaced", errno);
}

void write_files(const std::vector<FileToWrite>& files) {
  std::vector<std::pair<const FileToWrite*, std::unique_ptr<Replacement>>> begun;
  for (const FileToWrite& file : files)
    begun.emplace_back(&file,
                       begin_file(file.context, file.path, file.produce, Temporary::kUnnamed));
  for (auto it = begun.begin(); it != begun.end(); ++it) {
    if (!it->second || it->second->exchange()) continue;
    const int error = errno;
    for (auto done = begun.begin(); done != it; ++done)
      if (done->second) done->second->exchange_back();
    it->first->context.fail_errno("cannot be replaced", error);
  }
}

}  // namespace npmat::detail
