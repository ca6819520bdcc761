// The text of a program, places in it, and the error that points at one.
//
// Everything that is made from a program (tokens, expressions, statements) keeps the Span of bytes
// that it came from, so that an error found much later still shows the line and a caret.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cudamat/error.hpp"

namespace rewriter {

/// Half-open range of bytes in Source::text().
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// Line and column as an editor counts them: both from 1, columns in characters (code points; a tab
/// is one character). 0, 0: nowhere.
struct SourceLocation {
  int line = 0;
  int column = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// A program's text with its name. A handle: copies share the text, which never changes.
/// A byte-order mark at the start is dropped. Lines end with LF, CR LF or CR.
class Source {
 public:
  /// name: what errors call it, usually the file's path.
  /// Throws CUDAMatException if the text is 2 GiB or longer.
  Source(std::string name, std::string text);

  /// The file's bytes under its path as the name. Throws CUDAMatException if it cannot be read.
  static Source from_file(const std::string& path);

  const std::string& name() const { return data_->name; }
  std::string_view text() const { return data_->text; }
  std::string_view slice(Span span) const;

  /// At least 1: an empty text is one empty line.
  int line_count() const { return static_cast<int>(data_->line_starts.size()); }
  /// The line's text without its line end; line numbers from 1.
  std::string_view line(int number) const;
  /// The number of the line that holds the byte at `offset`; O(log lines).
  int line_of(std::uint32_t offset) const;
  /// The same with the column; O(log lines + length of the line).
  SourceLocation location(std::uint32_t offset) const;
  /// The first byte of a line; line numbers from 1.
  std::uint32_t line_start(int number) const;

 private:
  struct Data {
    std::string name;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  std::shared_ptr<const Data> data_;
};

/// Misuse found in a program. what() is
///
///     prog.py:5:11: message
///         delta_h = np.dto(delta_o, W)
///                   ^~~~~~
///
/// with the line's indentation dropped, tabs expanded, control characters and broken UTF-8
/// replaced, and a long line cut to about 100 columns around the caret. A span that runs over
/// several lines is underlined to the end of its first.
class ProgramError : public cudamat::CUDAMatException {
 public:
  ProgramError(const Source& source, Span span, const std::string& message);

  const std::string& file() const { return source_.name(); }
  SourceLocation location() const { return source_.location(span_.begin); }
  Span span() const { return span_; }
  /// The text after "file:line:column: ", without the excerpt.
  const std::string& message() const { return *message_; }

 private:
  Source source_;
  Span span_;
  std::shared_ptr<const std::string> message_;  // shared: copying an exception must not throw
};

/// An error at what is right Python and not supported. Other errors of the parser are at what
/// Python does not take either.
class UnsupportedError : public ProgramError {
 public:
  using ProgramError::ProgramError;
};

}  // namespace rewriter
