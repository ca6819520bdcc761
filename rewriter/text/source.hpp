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
/// is one character). 0, 0: nowhere. The lines of a source of several files are numbered through;
/// Source::label() says them as an editor would.
struct SourceLocation {
  int line = 0;
  int column = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// A program's text with its name, perhaps followed by those of the files that it imports, so that
/// a place in any of them is one Span and one line number. A handle: copies share the text, which
/// never changes. A byte-order mark at the start is dropped. Lines end with LF, CR LF or CR.
class Source {
 public:
  /// A function of the text, for label(). Lines are those of the whole.
  struct Function {
    int first_line = 0;
    int last_line = 0;
    std::string name;
  };

  /// name: what errors call it, usually the file's path.
  /// Throws CUDAMatException if the text is 2 GiB or longer.
  Source(std::string name, std::string text);

  /// The file's bytes under its path as the name. Throws CUDAMatException if it cannot be read.
  static Source from_file(const std::string& path);

  /// This text, whose places stay what they are, and after it the files of others.
  /// Throws CUDAMatException if all of it is 2 GiB or longer.
  [[nodiscard]] Source with(const std::vector<Source>& others) const;
  /// The same, with the functions that label() names, by first line.
  [[nodiscard]] Source with_functions(std::vector<Function> functions) const;

  /// Of the first file.
  const std::string& name() const { return data_->files[0].name; }
  /// Of all files.
  std::string_view text() const { return data_->text; }
  std::size_t file_count() const { return data_->files.size(); }
  Span file(std::size_t number) const;
  /// The number of the file that holds the byte at `offset`.
  std::size_t file_number(std::uint32_t offset) const;
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

  /// The name of the line's file.
  const std::string& name_of(int line) const;
  /// The line's number in its file.
  int line_in_file(int line) const;
  /// "12"; of another file than the first "layers.py:12", its name without the first one's folder;
  /// in a function that with_functions() was told of "12 Dense.forward".
  std::string label(int line) const;
  /// "prog.py:12"
  std::string named_line(int line) const;
  /// The function that label() names; empty: none.
  std::string_view function_at(int line) const;

 private:
  struct File {
    std::string name;
    std::uint32_t begin = 0;
    int first_line = 1;
  };
  struct Data {
    std::vector<File> files;
    std::vector<Function> functions;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  const File& file_of(int line) const;

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

  const std::string& file() const { return source_.name_of(source_.line_of(span_.begin)); }
  /// The line is that of the file.
  SourceLocation location() const;
  /// The line as the whole source numbers it.
  int line() const { return source_.line_of(span_.begin); }
  Span span() const { return span_; }
  /// The text after "file:line:column: ", without the excerpt.
  const std::string& message() const { return *message_; }

  const char* what() const noexcept override {
    return noted_ != nullptr ? noted_->c_str() : CUDAMatException::what();
  }
  /// Whether Python raises an exception there, too: one that the program reaches in any case.
  [[nodiscard]] bool is_of_python() const { return is_of_python_; }
  void set_of_python(bool is) { is_of_python_ = is; }
  /// A line below all: "in Dense.forward, called at model.py:60". Those after the first few of an
  /// error are omitted.
  void add_note(const std::string& note);

 private:
  Source source_;
  Span span_;
  std::shared_ptr<const std::string> message_;  // shared: copying an exception must not throw
  std::shared_ptr<const std::string> noted_;    // what(), with its notes; null: it has none
  int notes_ = 0;
  bool is_of_python_ = false;
};

/// An error at what is right Python and not supported. Other errors of the parser are at what
/// Python does not take either.
class UnsupportedError : public ProgramError {
 public:
  using ProgramError::ProgramError;
};

}  // namespace rewriter
