#include "tools/symdump_verify.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "npmat/npy.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/build.hpp"
#include "tools/difference.hpp"
#include "tools/printed_text.hpp"

namespace symdump {

namespace {

using rewriter::DType;
using rewriter::NodePtr;

/// The largest finite element, without its sign.
template <class T>
long double magnitude(const npmat::Array<T>& array) {
  long double largest = 0;
  for (const T x : array.data)
    if (std::isfinite(x)) largest = std::max<long double>(largest, std::abs(x));
  return largest;
}

/// What the program has for an output of the list.
NodePtr result_of(const rewriter::Program& program, const rewriter::Binding& output) {
  for (const rewriter::Program::Named& named : program.results) {
    if (named.name != output.name) continue;
    if (named.node->dims != output.dims)
      cudamat::misuse("symdump", "output {} has the shape {} in the program, {} in the list",
                      output.name, rewriter::to_string(named.node->dims),
                      rewriter::to_string(output.dims));
    return named.node;
  }
  cudamat::misuse("symdump", "--verify: the program does not assign {}, which the list outputs",
                  output.name);
}

/// The table of a verification, a row for each output.
template <class T>
class VerificationTable {
 public:
  /// `alike`: both sides round in the same places.
  VerificationTable(const Run<T>& run, bool alike, std::string head, std::string& report)
      : report_(report),
        tolerance_((alike ? 16 : 4096) *
                   std::max<long double>(std::numeric_limits<T>::epsilon(),
                                         alike ? 0 : std::numeric_limits<double>::epsilon())) {
    // Where rounding differs, what cancels differs by the rounding of what it is made of.
    // A script's own numbers count as inputs around 1: what is left of them when an iteration has
    // converged is rounding.
    if (!alike) {
      for (const auto& [name, array] : run.outputs) scale_ = std::max(scale_, magnitude(array));
      scale_ = std::min(scale_, 1.0L);
      for (const auto& [name, array] : run.inputs) scale_ = std::max(scale_, magnitude(array));
    }
    if (run.list.outputs.empty()) {
      report_ += "# there are no outputs, and nothing to compare\n";
      return;
    }
    for (const rewriter::Binding& output : run.list.outputs)
      width_ = std::max(width_, output.name.size());
    report_ += fmt::format("{:<{}}  {}{:<14} {:>20} {:>20}\n", "output", width_, head, "shape",
                           "largest difference", "elements that differ");
  }

  /// `about`: what is in the columns of `head`; `wrong`: what is wrong but for the values; `whole`:
  /// they are ints or truth values, which do not round.
  void row(const std::string& name, const std::string& about, const npmat::Array<T>& got,
           const npmat::Array<T>& wanted, const std::string& wrong = "", bool whole = false) {
    const Difference d = tools::difference(got, wanted);
    const bool equal =
        whole ? d.differing == 0 : d.largest <= tolerance_ * std::max(magnitude(wanted), scale_);
    worst_ = std::max(worst_, d.largest);
    report_ += fmt::format("{:<{}}  {}{:<14} {:>20.6g} {:>20}", name, width_, about,
                           npmat::shape_text(wanted.shape), d.largest, d.differing);
    end_row(equal && wrong.empty(), wrong);
  }
  /// What was printed: a row where that differs. What is left where numbers around 1 cancel is
  /// rounding.
  void compare_printed(const std::string& got, const std::string& wanted) {
    const auto wrong = difference_of_texts(got, wanted, static_cast<double>(tolerance_),
                                           std::max(static_cast<double>(scale_), 1.0));
    if (!wrong) return;
    agree_ = false;
    report_ += fmt::format("{:<{}}  DIFFERS: {}\n", "print", width_, *wrong);
  }
  void row_without_values(const std::string& name, const std::string& about,
                          const npmat::Array<T>& got, const std::string& wrong) {
    report_ += fmt::format("{:<{}}  {}{:<14} {:>20} {:>20}", name, width_, about,
                           npmat::shape_text(got.shape), "-", "-");
    end_row(wrong.empty(), wrong);
  }

  [[nodiscard]] bool agree() const { return agree_; }
  [[nodiscard]] long double worst() const { return worst_; }

 private:
  using Difference = tools::Difference;

  void end_row(bool equal, const std::string& wrong) {
    agree_ = agree_ && equal;
    report_ += equal ? "\n" : "   DIFFERS" + (wrong.empty() ? "" : ": " + wrong) + "\n";
  }

  std::string& report_;
  std::size_t width_ = 6;
  long double tolerance_;
  long double scale_ = 0;
  long double worst_ = 0;
  bool agree_ = true;
};

std::string name_of(DType dtype) {
  if (dtype == DType::Float) return "float";
  return dtype == DType::Int ? "int" : std::string(rewriter::detail::type_name(dtype));
}

/// Of NumPy's "<i8".
std::string name_of(const std::string& dtype) {
  const char kind = dtype.at(1);
  if (kind == 'b' || kind == 'f') return kind == 'b' ? "bool" : "float";
  const std::string bits = std::to_string(8 * (dtype.at(2) - '0'));
  return dtype.ends_with("i8") ? "int" : (kind == 'u' ? "uint" : "int") + bits;
}

/// A row of what NumPy has for an output. `perhaps`: NumPy need not have it.
template <class T>
void compare(VerificationTable<T>& table, const std::string& name, DType dtype,
             const npmat::Array<T>& got, const NumpyRun::Output& numpy, bool perhaps) {
  const std::string about = fmt::format("{:<6}", name_of(dtype));
  if (numpy.file.empty())
    return table.row_without_values(name, about, got, perhaps ? "" : "in NumPy: " + numpy.instead);
  const std::string type = name_of(npmat::read_npy_header(numpy.file).dtype);
  const npmat::Array<T> wanted = npmat::load_npy<T>(numpy.file);
  if (wanted.shape != got.shape)
    return table.row_without_values(
        name, about, got, fmt::format("in NumPy: {} {}", type, npmat::shape_text(wanted.shape)));
  const auto is_whole = [](const std::string& held) { return held.find("int") != held.npos; };
  // The run may have chosen between numbers of two types of integers.
  const bool agrees = type == name_of(dtype) ||
                      (wanted.shape.empty() && is_whole(type) && is_whole(name_of(dtype)));
  table.row(name, about, got, wanted, agrees ? "" : "in NumPy: " + type, dtype != DType::Float);
}

/// The line below the table, of statements and what they were compared with.
template <class T>
bool conclude(const Run<T>& run, const VerificationTable<T>& table, const std::string& with,
              std::string& report) {
  if (run.list.outputs.empty())
    report +=
        "nothing was verified: the program leaves no arrays; of a number or a list x, "
        "np.array(x) makes one\n";
  else
    report += fmt::format("{}: statements and {} {} in {}; largest difference {:.6g}\n",
                          table.agree() ? "verified" : "NOT VERIFIED", with,
                          table.agree() ? "agree" : "differ", run.engine, table.worst());
  return table.agree();
}

}  // namespace

template <class T>
bool verify_by_evaluation(const Run<T>& run, std::string& report) {
  std::vector<NodePtr> roots;
  for (const rewriter::Binding& output : run.list.outputs)
    roots.push_back(result_of(run.program, output));
  roots.insert(roots.end(), run.program.steps.begin(), run.program.steps.end());
  const auto values = rewriter::evaluate<T>(roots, run.inputs, run.options.seed);

  const bool alike = run.on_cpu && run.options.passes != "all" && run.options.from.empty();
  VerificationTable<T> table(run, alike, "", report);
  std::map<std::string, npmat::Array<T>> evaluated;
  for (std::size_t i = 0; i < run.list.outputs.size(); ++i)
    evaluated[run.list.outputs[i].name] = values[i];
  cut_to_lengths(run.program, evaluated);
  for (const rewriter::Binding& output : run.list.outputs)
    table.row(output.name, "", run.outputs.at(output.name), evaluated.at(output.name));
  return conclude(run, table, "direct evaluation", report);
}

template <class T>
bool verify_by_numpy(const Run<T>& run, NumpyRun& numpy, const DrawSource& draws,
                     std::string& report) {
  std::vector<NodePtr> results;
  for (const rewriter::Binding& output : run.list.outputs)
    results.push_back(result_of(run.program, output));
  draws.seed(run.options.seed);
  numpy.finish(draws);
  const std::string with = fmt::format("NumPy {}", numpy.version());
  if (const std::string raised = numpy.raised(); !raised.empty()) {
    report += fmt::format("{}\nNOT VERIFIED: {} does not run the program\n", raised, with);
    return false;
  }
  VerificationTable<T> table(run, false, "type  ", report);
  const auto& lengths = run.program.lengths;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& name = run.list.outputs[i].name;
    const bool is_length = std::any_of(lengths.begin(), lengths.end(), [&](const auto& each) {
      return each.second.result == name;
    });
    compare(table, name, results[i]->dtype, run.outputs.at(name), numpy.output(i),
            is_length || run.program.perhaps.contains(name));
  }
  table.compare_printed(run.printed, numpy.printed());
  return conclude(run, table, with, report);
}

#define SYMDUMP_VERIFY(T)                                          \
  template bool verify_by_evaluation(const Run<T>&, std::string&); \
  template bool verify_by_numpy(const Run<T>&, NumpyRun&, const DrawSource&, std::string&);
SYMDUMP_VERIFY(float)
SYMDUMP_VERIFY(double)
SYMDUMP_VERIFY(long double)
#undef SYMDUMP_VERIFY

}  // namespace symdump
