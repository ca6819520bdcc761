#include "tools/symdump_verify.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "npmat/npy.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/build.hpp"
#include "tools/difference.hpp"

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
  VerificationTable(const Run<T>& run, std::string head, std::string& report) : report_(report) {
    if (run.list.outputs.empty()) {
      report_ += "# there are no outputs, and nothing to compare\n";
      return;
    }
    for (const rewriter::Binding& output : run.list.outputs)
      width_ = std::max(width_, output.name.size());
    report_ += fmt::format("{:<{}}  {}{:<14} {:>20} {:>20}\n", "output", width_, head, "shape",
                           "largest difference", "elements that differ");
  }

  /// `about`: what is in the columns of `head`; `wrong`: what is wrong but for the values.
  void row(const std::string& name, const std::string& about,
           const std::vector<std::int64_t>& shape, const tools::Difference& d, bool equal,
           const std::string& wrong = "") {
    worst_ = std::max(worst_, d.largest);
    report_ += fmt::format("{:<{}}  {}{:<14} {:>20.6g} {:>20}", name, width_, about,
                           npmat::shape_text(shape), d.largest, d.differing);
    end_row(equal && wrong.empty(), wrong);
  }
  void row_without_values(const std::string& name, const std::string& about,
                          const std::vector<std::int64_t>& shape, const std::string& wrong) {
    report_ += fmt::format("{:<{}}  {}{:<14} {:>20} {:>20}", name, width_, about,
                           npmat::shape_text(shape), "-", "-");
    end_row(wrong.empty(), wrong);
  }
  /// What was printed: a row where that differs.
  void printed(const std::string& wrong) {
    if (wrong.empty()) return;
    agree_ = false;
    report_ += fmt::format("{:<{}}  DIFFERS: {}\n", "print", width_, wrong);
  }

  /// What the reader knows without the list: a row where NumPy has another value.
  void known(const std::vector<std::pair<std::string, std::string>>& others) {
    agree_ = agree_ && others.empty();
    for (const auto& [name, value] : others)
      report_ += fmt::format("{:<{}}  DIFFERS: it is known otherwise; in NumPy: {}\n", name, width_,
                             value);
  }

  [[nodiscard]] bool agree() const { return agree_; }
  [[nodiscard]] long double worst() const { return worst_; }

 private:
  void end_row(bool equal, const std::string& wrong) {
    agree_ = agree_ && equal;
    report_ += equal ? "\n" : "   DIFFERS" + (wrong.empty() ? "" : ": " + wrong) + "\n";
  }

  std::string& report_;
  std::size_t width_ = 6;
  long double worst_ = 0;
  bool agree_ = true;
};

/// How far the run's statements may be from direct evaluation: `alike` says that both round in the
/// same places.
template <class T>
class Tolerance {
 public:
  Tolerance(const Run<T>& run, bool alike)
      : tolerance_((alike ? 16 : 4096) *
                   std::max<long double>(std::numeric_limits<T>::epsilon(),
                                         alike ? 0 : std::numeric_limits<double>::epsilon())) {
    // Where rounding differs, what cancels differs by the rounding of what it is made of.
    // A script's own numbers count as inputs around 1: what is left of them when an iteration has
    // converged is rounding.
    if (alike) return;
    for (const auto& [name, array] : run.outputs) scale_ = std::max(scale_, magnitude(array));
    scale_ = std::min(scale_, 1.0L);
    for (const auto& [name, array] : run.inputs) scale_ = std::max(scale_, magnitude(array));
  }

  [[nodiscard]] bool allows(const tools::Difference& d, const npmat::Array<T>& wanted) const {
    return d.largest <= tolerance_ * std::max(magnitude(wanted), scale_);
  }

 private:
  long double tolerance_;
  long double scale_ = 0;
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

/// An output beside NumPy's.
struct Compared {
  std::string about, wrong;
  std::vector<std::int64_t> shape;
  std::optional<tools::Difference> difference;  ///< of values that can be compared
  bool is_whole = false;                        ///< ints or truth values, which do not round

  /// What there is to be judged.
  [[nodiscard]] long double rounding() const {
    return difference && !is_whole ? difference->largest : 0;
  }
};

/// `perhaps`: NumPy need not have it.
template <class T>
Compared compare(DType dtype, const npmat::Array<T>& got, const NumpyRun::Output& numpy,
                 bool perhaps) {
  Compared found{fmt::format("{:<6}", name_of(dtype)), "", got.shape, std::nullopt,
                 dtype != DType::Float};
  if (numpy.file.empty()) {
    found.wrong = perhaps ? "" : "in NumPy: " + numpy.instead;
    return found;
  }
  const std::string type = name_of(npmat::read_npy_header(numpy.file).dtype);
  const npmat::Array<T> wanted = npmat::load_npy<T>(numpy.file);
  if (wanted.shape != got.shape) {
    found.wrong = fmt::format("in NumPy: {} {}", type, npmat::shape_text(wanted.shape));
    return found;
  }
  const auto is_int = [](const std::string& held) { return held.find("int") != held.npos; };
  // The run may have chosen between numbers of two types of integers.
  if (type != name_of(dtype) && !(wanted.shape.empty() && is_int(type) && is_int(name_of(dtype))))
    found.wrong = "in NumPy: " + type;
  found.difference = tools::difference(got, wanted);
  return found;
}

/// The line below the table, of statements and what they were compared with.
/// Variables that the list does not compute: "known when the program is read: n, rate".
std::string known_names(const rewriter::Program& program) {
  constexpr std::size_t kMost = 20;
  std::string names;
  const std::size_t count = program.known.size();
  for (std::size_t i = 0; i < std::min(count, kMost); ++i)
    names += (i == 0 ? "" : ", ") + program.known[i].first;
  if (count > kMost) names += fmt::format(" and {} others", count - kMost);
  return names.empty() ? "" : fmt::format("# known when the program is read: {}\n", names);
}

template <class T>
bool conclude(const Run<T>& run, const VerificationTable<T>& table, const std::string& with,
              std::string& report) {
  report += known_names(run.program);
  if (run.list.outputs.empty() && table.agree())
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
  VerificationTable<T> table(run, "", report);
  const Tolerance<T> tolerance(run, alike);
  std::map<std::string, npmat::Array<T>> evaluated;
  for (std::size_t i = 0; i < run.list.outputs.size(); ++i)
    evaluated[run.list.outputs[i].name] = values[i];
  cut_to_lengths(run.program, evaluated);
  for (const rewriter::Binding& output : run.list.outputs) {
    const npmat::Array<T>& wanted = evaluated.at(output.name);
    const tools::Difference d = tools::difference(run.outputs.at(output.name), wanted);
    table.row(output.name, "", wanted.shape, d, tolerance.allows(d, wanted));
  }
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
  std::vector<Compared> compared;
  std::vector<long double> differences;
  const auto& lengths = run.program.lengths;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& name = run.list.outputs[i].name;
    const bool is_length = std::any_of(lengths.begin(), lengths.end(), [&](const auto& each) {
      return each.second.result == name;
    });
    compared.push_back(compare(results[i]->dtype, run.outputs.at(name), numpy.output(i),
                               is_length || run.program.perhaps.contains(name)));
    differences.push_back(compared.back().rounding());
  }
  const NumpyRun::Judgement judged = numpy.judge(differences, run.printed);
  VerificationTable<T> table(run, "type  ", report);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const std::string& name = run.list.outputs[i].name;
    const auto& [about, wrong, shape, difference, is_whole] = compared[i];
    if (!difference)
      table.row_without_values(name, about, shape, wrong);
    else
      table.row(name, about, shape, *difference,
                is_whole ? difference->differing == 0 : judged.agree.at(i), wrong);
  }
  table.printed(judged.printed);
  table.known(judged.known);
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
