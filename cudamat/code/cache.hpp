// Compiled code, and what was measured at length, on the disk: for the next process that needs it.
//
// A file a key, in one folder: CUDAMAT_CACHE_DIR, else $XDG_CACHE_HOME/cudamat, else
// ~/.cache/cudamat; CUDAMAT_CACHE=off: nowhere. The key is a digest of all that the code was made
// of, so a file is never out of date. Files are written aside and renamed, so that other processes
// see all of one or nothing, and hold a digest of themselves: what is damaged is not used. A folder
// that cannot be read or written, or made, is as good as empty; nothing here ever fails.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cudamat/code/digest.hpp"

namespace cudamat::code {

class Cache {
 public:
  /// Where the environment says. Files that were not used for the longest time go where all
  /// together are larger than `most` bytes.
  Cache();
  explicit Cache(std::filesystem::path folder, std::uintmax_t most = kMost);

  /// What was stored under the key, if it is there and whole, and its file is this user's or
  /// root's.
  [[nodiscard]] std::optional<std::string> find(const Digest& key) const noexcept;
  void store(const Digest& key, std::string_view code) const noexcept;

  /// For what another process may have found otherwise, and all are to agree on: stores it unless
  /// something is there, and returns what is there then; nothing if it could not be stored. What is
  /// at most kSmall bytes long is never removed for room.
  [[nodiscard]] std::optional<std::string> agree(const Digest& key,
                                                 std::string_view found) const noexcept;

  /// Empty: there is none.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  static constexpr std::uintmax_t kMost = std::uintmax_t{256} << 20;
  static constexpr std::uintmax_t kSmall = 128;

 private:
  [[nodiscard]] std::filesystem::path file_of(const Digest& key) const;
  std::filesystem::path write_aside(const Digest& key, std::string_view code) const;
  void make_room() const;

  std::filesystem::path folder_;
  std::uintmax_t most_;
};

}  // namespace cudamat::code
