#include "npmat/file_io.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <istream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace npmat::detail {

namespace fs = std::filesystem;

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > limit) out += "...";
  return out;
}

void FileContext::fail_errno(std::string_view message, int error) const {
  fail("{}: {}", message, std::generic_category().message(error));
}

void FileContext::fail_memory(std::uint64_t bytes) const {
  throw cudamat::OutOfMemory(fmt::format("[{}] {}: no memory for {} bytes", op, name, bytes));
}

FileContext context_of(std::string_view op, const fs::path& path) {
  // Names in UTF-8 stay as they are; only what could disturb a terminal is shown as a number.
  std::string name;
  for (const char c : path.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      name += fmt::format("\\x{:02x}", byte);
    } else {
      name += c;
    }
  }
  return {std::string(op), name.empty() ? "(no file name)" : name};
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor open_to_read(const FileContext& context, const fs::path& path) {
  int fd;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) context.fail_errno("cannot be read", errno);
  FileDescriptor file(fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0) context.fail_errno("cannot be read", errno);
  if (S_ISDIR(info.st_mode)) context.fail("is a directory; expected a file");
  return file;
}

FileSource::FileSource(FileContext context, const fs::path& path)
    : ByteSource(std::move(context)), file_(open_to_read(this->context(), path)) {
  struct stat info {};
  // Files of /proc call themselves regular and 0 bytes long.
  if (::fstat(file_.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    size_ = static_cast<std::uint64_t>(info.st_size);
  }
}

std::size_t FileSource::read(char* target, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    const std::size_t wanted = std::min(n - done, std::size_t{1} << 30);
    const ssize_t got = ::read(file_.get(), target + done, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) context().fail_errno("reading failed", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  position_ += done;
  return done;
}

std::optional<std::uint64_t> FileSource::remaining() const {
  if (!size_) return std::nullopt;
  return *size_ > position_ ? *size_ - position_ : 0;
}

std::size_t StreamSource::read(char* target, std::size_t n) {
  if (!stream_) {
    if (stream_.eof() && !stream_.bad()) return 0;
    context().fail("reading failed: the stream is in an error state");
  }
  try {
    stream_.read(target, static_cast<std::streamsize>(n));
  } catch (const std::ios_base::failure&) {
    if (!stream_.eof()) context().fail("reading failed: the stream reported an error");
  }
  if (stream_.bad()) context().fail("reading failed: the stream reported an error");
  return static_cast<std::size_t>(stream_.gcount());
}

}  // namespace npmat::detail
