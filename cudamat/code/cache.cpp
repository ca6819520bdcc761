#include "cudamat/code/cache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cudamat/code/write.hpp"

namespace cudamat::code {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = "cudamat code 1\n";
constexpr std::string_view kTemporary = "writing-";

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path folder_of_environment() {
  if (environment("CUDAMAT_CACHE") == "off") return {};
  if (const auto folder = environment("CUDAMAT_CACHE_DIR"); !folder.empty()) return folder;
  if (const fs::path caches = environment("XDG_CACHE_HOME"); caches.is_absolute())
    return caches / "cudamat";
  if (const fs::path home = environment("HOME"); home.is_absolute())
    return home / ".cache" / "cudamat";
  return {};
}

/// Closes a file at the end of a scope.
struct File {
  explicit File(int descriptor) : number(descriptor) {}
  ~File() {
    if (number >= 0) (void)close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const int number;
};

/// What code under the key is checked with.
Digest seal(const Digest& key, std::string_view code) {
  return Digester()
      .bytes({reinterpret_cast<const char*>(key.data()), key.size()})
      .part(code)
      .finish();
}

/// Of a file that this user, or root, alone can write to, and that is no larger than that.
std::optional<std::string> read_all(const fs::path& path, std::uintmax_t most) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file.number < 0 || fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  if (status.st_uid != geteuid() && status.st_uid != 0) return std::nullopt;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  if (static_cast<std::uintmax_t>(status.st_size) > most) return std::nullopt;
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t n = read(file.number, content.data() + got, content.size() - got);
    if (n <= 0) return std::nullopt;
    got += static_cast<std::size_t>(n);
  }
  return content;
}

bool write_new(const fs::path& path, std::string_view content) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file.number >= 0 && write_all(file.number, content);
}

/// Of this process alone, whatever its threads do.
std::string temporary_name() {
  static std::atomic<unsigned> count = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return std::string(kTemporary) + std::to_string(getpid()) + '-' + std::to_string(now) + '-' +
         std::to_string(count++);
}

}  // namespace

Cache::Cache() : Cache(folder_of_environment()) {}

Cache::Cache(fs::path folder, std::uintmax_t most) : folder_(std::move(folder)), most_(most) {}

fs::path Cache::file_of(const Digest& key) const {
  return folder_ / hex(key);
}

std::optional<std::string> Cache::find(const Digest& key) const noexcept try {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = file_of(key);
  std::optional<std::string> content =
      read_all(path, std::max(most_, kBeginning.size() + std::tuple_size_v<Digest> + kSmall));
  const std::size_t before = kBeginning.size() + std::tuple_size_v<Digest>;
  if (!content || content->size() < before || !content->starts_with(kBeginning))
    return std::nullopt;
  const std::string_view code = std::string_view(*content).substr(before);
  const Digest expected = seal(key, code);
  if (std::memcmp(content->data() + kBeginning.size(), expected.data(), expected.size()) != 0)
    return std::nullopt;
  (void)utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used just now, see make_room
  content->erase(0, before);
  return content;
} catch (...) {
  return std::nullopt;
}

/// The whole file, under a name of its own; empty if it could not be written.
fs::path Cache::write_aside(const Digest& key, std::string_view code) const {
  std::error_code error;
  fs::create_directories(folder_.parent_path(), error);
  (void)mkdir(folder_.c_str(), 0700);
  const Digest sum = seal(key, code);
  std::string content(kBeginning);
  content.append(reinterpret_cast<const char*>(sum.data()), sum.size()).append(code);
  fs::path aside = folder_ / temporary_name();
  if (write_new(aside, content)) return aside;
  fs::remove(aside, error);
  return {};
}

void Cache::store(const Digest& key, std::string_view code) const noexcept try {
  if (folder_.empty()) return;
  std::error_code error;
  if (const fs::path aside = write_aside(key, code); !aside.empty()) {
    fs::rename(aside, file_of(key), error);
    fs::remove(aside, error);  // it is there only where that failed
  }
  make_room();
} catch (...) {
}

std::optional<std::string> Cache::agree(const Digest& key, std::string_view found) const noexcept
    try {
  if (folder_.empty()) return std::nullopt;
  const fs::path aside = write_aside(key, found);
  if (aside.empty()) return std::nullopt;
  std::error_code error;
  fs::create_hard_link(aside, file_of(key), error);
  std::optional<std::string> there = find(key);
  if (!there) {  // it is damaged, or the disk knows no links
    fs::rename(aside, file_of(key), error);
    there = find(key);
  }
  fs::remove(aside, error);
  return there;
} catch (...) {
  return std::nullopt;
}

/// Another process may do the same: a file that is gone meanwhile is gone.
void Cache::make_room() const {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t sum = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::string name = at->path().filename();
    const auto used = at->last_write_time(gone);
    const std::uintmax_t size = at->file_size(gone);
    if (gone) continue;
    const bool left_behind = name.starts_with(kTemporary) && now - used > std::chrono::hours(1);
    if (left_behind) fs::remove(at->path(), gone);
    if (name.size() != 2 * std::tuple_size_v<Digest> ||
        name.find_first_not_of("0123456789abcdef") != std::string::npos)
      continue;
    if (size <= kBeginning.size() + std::tuple_size_v<Digest> + kSmall) continue;
    entries.push_back({used, size, at->path()});
    sum += size;
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (sum <= most_) break;
    sum -= entry.size;
    fs::remove(entry.path, error);
  }
}

}  // namespace cudamat::code
