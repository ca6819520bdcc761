// Files and streams as the readers and writers of this room see them. Every failure is a
// CUDAMatException that has the operation, the file's name and what the system said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudamat/error.hpp"

namespace npmat::detail {

/// `text` for an error message: control characters and bytes outside ASCII as \xNN, no more than
/// `limit` characters of it (then "...").
std::string printable(std::string_view text, std::size_t limit = 200);

/// Which operation works on which file; fail() throws "[op] name: message".
struct FileContext {
  std::string op;
  std::string name;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    cudamat::misuse(op, "{}: {}", name, fmt::format(format, std::forward<Args>(args)...));
  }
  /// fail() with the text of the error number `error` after the message.
  [[noreturn]] void fail_errno(std::string_view message, int error) const;
  /// Throws OutOfMemory: `bytes` of memory were asked for.
  [[noreturn]] void fail_memory(std::uint64_t bytes) const;
};

FileContext context_of(std::string_view op, const std::filesystem::path& path);

/// An open file of the operating system, closed at the end of its life.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Opens a file for reading. Throws if it is missing, not readable, or a directory.
FileDescriptor open_to_read(const FileContext& context, const std::filesystem::path& path);

/// Bytes in order from a file or a stream.
class ByteSource {
 public:
  explicit ByteSource(FileContext context) : context_(std::move(context)) {}
  virtual ~ByteSource() = default;

  /// Reads n bytes, fewer only at the end; returns how many. Throws if reading fails.
  virtual std::size_t read(char* target, std::size_t n) = 0;
  /// The bytes that are left, where that is known before reading them.
  virtual std::optional<std::uint64_t> remaining() const { return std::nullopt; }

  const FileContext& context() const { return context_; }

 private:
  FileContext context_;
};

/// A file by its path.
class FileSource final : public ByteSource {
 public:
  FileSource(FileContext context, const std::filesystem::path& path);
  std::size_t read(char* target, std::size_t n) override;
  std::optional<std::uint64_t> remaining() const override;

 private:
  FileDescriptor file_;
  std::optional<std::uint64_t> size_;  // of a regular file that knows its size
  std::uint64_t position_ = 0;
};

/// A stream of the standard library. Nothing is read beyond what is asked for.
class StreamSource final : public ByteSource {
 public:
  StreamSource(FileContext context, std::istream& stream)
      : ByteSource(std::move(context)), stream_(stream) {}
  std::size_t read(char* target, std::size_t n) override;

 private:
  std::istream& stream_;
};

/// Where write_file's caller puts its bytes.
class FileSink {
 public:
  FileSink(const FileContext& context, FileDescriptor file)
      : context_(context), file_(std::move(file)) {}

  /// Writes all n bytes or throws.
  void write(const void* source, std::size_t n);
  /// Closes the file; throws if the system could not keep what was written.
  void close();
  int fd() const { return file_.get(); }

 private:
  const FileContext& context_;
  FileDescriptor file_;
  std::uint64_t written_ = 0;
};

/// How write_file makes its temporary file. kUnnamed leaves no file even if the process is
/// killed; where the file system lacks it, and with kNamed, the file is `.npy-PID-N.tmp` in the
/// target's folder.
enum class Temporary { kUnnamed, kNamed };

/// Writes the file at `path`: `produce` gets a sink for its bytes.
///
/// A regular file is replaced at once when all is written, so readers see the old content or the
/// new, and after a failure the old content is still there. Links are followed; an existing file
/// keeps its permissions, one without write permission raises an error, a new one obeys the umask.
/// The content is on the disk before the name refers to it. A folder where nothing can be created
/// is an error: written in place, a file could be cut off. Devices and pipes are written directly;
/// /dev/stdout, /dev/stderr and /dev/fd/N continue that descriptor. A limit on file sizes
/// (RLIMIT_FSIZE) is an error like a full disk, without the signal. Throws CUDAMatException if
/// anything fails.
void write_file(const FileContext& context, const std::filesystem::path& path,
                const std::function<void(FileSink&)>& produce,
                Temporary temporary = Temporary::kUnnamed);

struct FileToWrite {
  FileContext context;
  std::filesystem::path path;
  std::function<void(FileSink&)> produce;
};

/// The same of several files: none is replaced before all are on the disk, and all are again what
/// they were if one cannot be (but for file systems that cannot exchange names: renameat2).
void write_files(const std::vector<FileToWrite>& files);

}  // namespace npmat::detail
