#include "npmat/column_source.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cudamat/code/step_text.hpp"
#include "npmat/reducers.hpp"

namespace npmat::fused {
namespace {

using cudamat::FusedBody;
using cudamat::FusedTarget;
using cudamat::Op;
using cudamat::Spread;
using cudamat::code::functor;
using cudamat::code::text;
using cudamat::detail::FusedHome;
using cudamat::detail::FusedPart;
using cudamat::detail::FusedParts;

constexpr Index kFewestRows = 128;      ///< of columns of 100 strips are faster, measured
constexpr Index kAskRows = 4 * kLanes;  ///< with so many rows memory is asked for what comes next

/// Whether a column of it is as long as the space's.
bool is_long(Spread how) {
  return how == Spread::Whole || how == Spread::Column;
}

int reductions(const FusedPart& part) {
  return int(std::ranges::count_if(part.body.targets, &FusedTarget::is_reduced));
}

/// Columns for values that are reduced apart.
int spares(const FusedParts& parts) {
  int most = 0;
  for (const FusedPart& part : parts.parts) most = std::max(most, reductions(part) - 1);
  return most;
}

/// Writes the function. In it, Column has the numbers of the column, and where those begin that
/// there is one of for each row; each walk that reduces is a reducer, whose values it makes.
class ColumnWriter {
 public:
  ColumnWriter(const FusedBody& body, const FusedParts& parts, std::string_view type)
      : body_(body), parts_(parts), type_(type) {
    for (const FusedPart& part : parts.parts) walks_ += part.space == Spread::Whole;
  }

  std::string write() {
    add_members();
    for (const FusedPart& part : parts_.parts) {
      if (part.space != Spread::Whole)
        add_row(part);
      else if (reductions(part) == 0)
        add_stores(part);
      else
        add_reductions(part);
    }
    return fmt::format(
        "(const {0}* const* in, const {0}* const* next, const {0}* number, {0}* const* out, "
        "long rows, {0}* scratch, long stride) {{\n"
        "  using T = {0};\n  constexpr long kLines = ({1} * sizeof(T) / 64 + {2} - 1) / {2};\n"
        "  struct Column {{\n{3}  }};\n{4}"
        "  Column column;\n  const Column* const c = &column;\n{5}}}\n",
        type_, kAskRows, walks_, members_, reducers_, run_);
  }

 private:
  // ---- what is known of a column

  [[nodiscard]] Spread spread(FusedHome home) const {
    const auto i = std::size_t(home.index);
    switch (home.of) {
      case FusedHome::Of::Inputs:
        return body_.inputs[i];
      case FusedHome::Of::Targets:
        return body_.targets[i].spread();
      case FusedHome::Of::Temporaries:
        break;
    }
    return parts_.temporaries[i];
  }
  static std::string member(FusedHome home) {
    constexpr const char* kNames[] = {"in", "out", "temporary"};
    return fmt::format("{}{}", kNames[int(home.of)], home.index);
  }

  void add_member(std::string_view type, const std::string& name, const std::string& value) {
    members_ += fmt::format("    {} {};\n", type, name);
    if (!value.empty()) run_ += fmt::format("  column.{} = {};\n", name, value);
  }
  void add_members() {
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      const Spread how = body_.inputs[i];
      const std::string number = fmt::format("{}", i);
      if (is_long(how))
        add_member("const T*", "in" + number, "in[" + number + "]");
      else
        add_member("T", "in" + number, "*in[" + number + "]");
      if (how == Spread::Whole) add_member("const T*", "next" + number, "next[" + number + "]");
    }
    for (int n = 0; n < body_.numbers; ++n)
      add_member("T", fmt::format("number{}", n), fmt::format("number[{}]", n));
    for (std::size_t t = 0; t < body_.targets.size(); ++t) {
      const std::string name = fmt::format("out{}", t);
      if (is_long(body_.targets[t].spread()))
        add_member("T*", name, fmt::format("out[{}]", t));
      else
        add_member("T", name, "");
    }
    int columns = 0;
    for (std::size_t t = 0; t < parts_.temporaries.size(); ++t) {
      const std::string name = fmt::format("temporary{}", t);
      if (is_long(parts_.temporaries[t]))
        add_member("T*", name, fmt::format("scratch + {} * stride", columns++));
      else
        add_member("T", name, "");
    }
    for (int s = 0; s < spares(parts_); ++s)
      add_member("T*", fmt::format("spare{}", s), fmt::format("scratch + {} * stride", columns++));
  }

  // ---- what a part makes

  /// The values of the part's steps: for row i, or for the column.
  [[nodiscard]] std::string values(const FusedPart& part) const {
    std::string lines;
    for (std::size_t i = 0; i < part.inputs.size(); ++i)
      lines += fmt::format("    const T in{} = c->{}{};\n", i, member(part.inputs[i]),
                           is_long(spread(part.inputs[i])) ? "[i]" : "");
    for (int n = 0; n < body_.numbers; ++n)
      lines += fmt::format("    const T number{0} = c->number{0};\n", n);
    for (std::size_t s = 0; s < part.body.steps.size(); ++s)
      lines += fmt::format("    const T v{} = {};\n", s, text(part.body.steps[s], kLoopSpelling));
    return lines;
  }
  [[nodiscard]] static std::string value(const FusedTarget& target) {
    return text(target.value, kLoopSpelling);
  }
  /// Row i of what it stores.
  [[nodiscard]] static std::string stores(const FusedPart& part) {
    std::string lines;
    for (std::size_t t = 0; t < part.targets.size(); ++t)
      if (const FusedTarget& target = part.body.targets[t]; target.is_stored())
        lines += fmt::format("    c->{}[i] = {};\n", member(part.targets[t]), value(target));
    return lines;
  }
  /// What is asked of memory with kAskRows rows from `at` on: in all walks the whole next column.
  std::string asks() {
    std::string lines;
    for (std::size_t i = 0; i < body_.inputs.size(); ++i)
      if (body_.inputs[i] == Spread::Whole)
        lines +=
            fmt::format("    npmat::ask_lines(c->next{} + at, {} * kLines, kLines);\n", i, walk_);
    ++walk_;
    return lines;
  }

  /// The number of the column for a home that has one.
  void add_number(FusedHome home, const std::string& value) {
    run_ += fmt::format("    column.{} = {};\n", member(home), value);
    if (home.of == FusedHome::Of::Targets)
      run_ += fmt::format("    *out[{}] = column.{};\n", home.index, member(home));
  }

  void add_row(const FusedPart& part) {
    run_ += "  {\n" + values(part);
    for (std::size_t t = 0; t < part.targets.size(); ++t)
      add_number(part.targets[t], value(part.body.targets[t]));
    run_ += "  }\n";
  }
  /// A walk that stores.
  void add_stores(const FusedPart& part) {
    run_ += fmt::format(
        "  for (long at = 0; at < rows; at += {0}) {{\n{1}"
        "    const long end = rows - at < {0} ? rows : at + {0};\n"
        "    NO_DEPENDENCE\n    for (long i = at; i < end; ++i) {{\n{2}{3}    }}\n  }}\n",
        kAskRows, asks(), values(part), stores(part));
  }

  /// A walk that reduces: one reduction takes the values as they are made, the others find theirs
  /// in spare columns after it.
  void add_reductions(const FusedPart& part) {
    const std::string reducer = fmt::format("Reducer{}", walk_);
    std::string base, term, spared;
    int spare = 0;
    for (std::size_t t = 0; t < part.targets.size(); ++t) {
      const FusedTarget& target = part.body.targets[t];
      if (!target.is_reduced()) continue;
      const std::string_view by = functor(target.op);
      const std::string plain = fmt::format("npmat::Plain<T, functors::{}>", by);
      if (base.empty()) {
        base = plain;
        term = fmt::format("functors::{}::term({})", by, value(target));
        add_reduced(part, t, reducer, "c");
      } else {
        const std::string column = fmt::format("c->spare{}", spare++);
        spared += fmt::format("    {}[i] = {};\n", column, value(target));
        add_reduced(part, t, plain, column);
      }
    }
    reducers_ += fmt::format(
        "  struct {} : {} {{\n    using Value = Column;\n"
        "    static void ask(const Column* c, long at, long) {{\n{}    }}\n"
        "    static Acc load(const Column* c, const Column*, long i) {{\n{}{}{}"
        "    return Acc({});\n    }}\n  }};\n",
        reducer, base, asks(), values(part), stores(part), spared, term);
  }
  /// Sets what a target of the part is from the reducer's value of a column.
  void add_reduced(const FusedPart& part, std::size_t t, std::string_view reducer,
                   std::string_view column) {
    const FusedTarget& target = part.body.targets[t];
    const FusedHome home = part.targets[t];
    std::string value = fmt::format("T(npmat::reduce_column<{}>({}, rows))", reducer, column);
    if (target.op == Op::mean) value += " / T(rows)";
    const auto number = [&](int index, std::string_view otherwise) {
      return index < 0 ? fmt::format("T({})", otherwise) : fmt::format("number[{}]", index);
    };
    if (target.mult >= 0 || target.beta >= 0)
      value = fmt::format("npmat::update(*out[{}], {}, {}, {})", home.index,
                          number(target.beta, "0"), value, number(target.mult, "1"));
    add_number(home, value);
  }

  const FusedBody& body_;
  const FusedParts& parts_;
  std::string_view type_;
  int walks_ = 0, walk_ = 0;
  std::string members_, reducers_, run_;
};

}  // namespace

bool has_column_code(const FusedBody& body, const FusedParts& parts) {
  const auto is_fit = [](Spread how) { return how == Spread::Whole || how == Spread::Row; };
  return std::ranges::all_of(parts.parts, is_fit, &FusedPart::space) &&
         std::ranges::all_of(parts.temporaries, is_fit) &&
         std::ranges::all_of(body.targets, [&](const FusedTarget& target) {
           return target.is_reduced() ? target.axis == 0 && !target.is_total()
                                      : is_fit(target.lies);
         });
}

bool is_column_length(Index rows) {
  return rows >= kFewestRows && rows <= kRun * kLanes;
}

int column_scratch(const FusedParts& parts) {
  return int(std::ranges::count(parts.temporaries, Spread::Whole)) + spares(parts);
}

LoopCode column_code(const FusedBody& body, const FusedParts& parts, std::string_view type) {
  return named_function(ColumnWriter(body, parts, type).write());
}

}  // namespace npmat::fused
