// What the printers of whole programs share: the lines of the file and those of program(), the
// names in it, and the walk over its statements.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rewriter/expr/program.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

class ProgramText {
 protected:
  using Kind = Statement::Kind;

  /// How a language writes a file.
  struct Layout {
    NamesOf names;
    int indent;                ///< spaces
    std::string_view comment;  ///< "# "
    bool line_goes_on;         ///< where a line of comment ends with a backslash
  };

  ProgramText(const StatementList& list, Layout layout)
      : list_(list), layout_(layout), names_(list, layout.names) {}

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  /// A line of program().
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(layout_.indent * (1 + depth_)), ' ');
    line(format, std::forward<Args>(args)...);
  }
  std::string integer(const Statement& statement, std::size_t i) const {
    return print::affine_text(slice_bound(statement, i), names_);
  }
  const Variable& variable(Var var) const { return list_.variables[var]; }

  /// "inputs  x (3, 2)", each on a line of its own that starts with `start`.
  template <class F>
  void write_bindings(std::string_view start, F&& spelled) {
    const auto write = [&](std::string_view what, const std::vector<Binding>& bindings) {
      for (const Binding& binding : bindings) {
        line("{}{:<8}{} {}", start, what, spelled(binding.name), print::dims_text(binding.dims));
        what = "";
      }
    };
    write("inputs", list_.inputs);
    write("outputs", list_.outputs);
  }

  /// What the program says of an output.
  struct Result {
    DType dtype = DType::Float;
    const Binding* length = nullptr;  ///< the output that holds it, if it is known only at run time
    int axis = 0;                     ///< along which that is
  };
  /// Without a program it is a float. `printer` names the one that throws where no output holds the
  /// length.
  Result result_of(const Program* program, const Binding& output, std::string_view printer) const {
    Result result;
    if (program == nullptr) return result;
    result.dtype = program->type_of(output.name);
    const auto found = program->lengths.find(output.name);
    if (found == program->lengths.end()) return result;
    result.axis = found->second.axis;
    for (const Binding& other : list_.outputs)
      if (other.name == found->second.result) result.length = &other;
    if (result.length == nullptr)
      cudamat::misuse(
          printer,
          "{} has a length that is known only at run time; it must be output with its length, {}",
          output.name, found->second.result);
    return result;
  }

  /// write(i) for each statement, under the lines of the source that they come from; of a line
  /// whose statements write nothing there is none.
  template <class F>
  void write_statements(F&& write) {
    int from = 0;
    for (std::size_t i = 0; i < list_.statements.size(); ++i) {
      const int before = from;
      const std::size_t start = out_.size();
      if (list_.statements[i].kind != Kind::End) {
        const int now = list_.statements[i].where.line;
        if (now != std::exchange(from, now) && now > 0) write_source_line(now);
      }
      const std::size_t below = out_.size();
      write(i);
      if (out_.size() != below || below == start) continue;
      out_.resize(start);
      from = before;
    }
  }

  const StatementList& list_;
  const Layout layout_;
  print::ListNames names_;
  std::string out_;
  int depth_ = 0;  ///< in loops

 private:
  void write_source_line(int number) {
    std::string text = print::source_line(list_, number);
    if (layout_.line_goes_on && text.ends_with('\\')) text += " .";
    out_ += '\n';
    put("{}{}: {}", layout_.comment, print::line_label(list_, number), text);
  }
};

}  // namespace rewriter
