#include <algorithm>

#include "rewriter/emit/print.hpp"
#include "rewriter/emit/program_text.hpp"
#include "rewriter/emit/python_text.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using print::documented;
using print::in_quotes;
using print::pair;

// Sums of the original go through a vector of ones, which cublas_init() makes this long unless
// told.
constexpr Index kDefaultOnes = 256 * 1024;

/// What to write instead of a call that the original package lacks.
std::string_view instead_of(Op op) {
  switch (op) {
    case Op::log1p:
      return "write np.log(1 + x)";
    case Op::expm1:
      return "write np.exp(x) - 1";
    case Op::log2:
      return "write np.log(x) / np.log(2)";
    case Op::log10:
      return "write np.log(x) / np.log(10)";
    case Op::total_sum:
      return "write the sum over one axis, then over the other";
    case Op::total_max:
      return "write the max over one axis, then over the other";
    case Op::total_mean:
      return "write the mean over one axis, then over the other";
    default:
      return "--emit cudamat-cpp supports it";
  }
}

class PythonPrinter : ProgramText {
 public:
  explicit PythonPrinter(const StatementList& list)
      : ProgramText(list, {NamesOf::Python, 4, "# ", false}) {}

  std::string print();

 private:
  void refuse_extensions() const;
  void scan();
  void write_docstring();
  void write_start();
  void write_inputs();
  void write_program();
  void write_statement(std::size_t i);
  [[nodiscard]] Statement counted(const Statement& slice, Var of) const;
  [[nodiscard]] bool is_whole(const Statement& slice, Var of) const;
  void write_slice(const Statement& slice, Var target, Var of);
  void write_call(const Statement& statement);
  void write_flagged_reduction(const Statement& statement);
  void write_results();
  void write_main();

  bool draws_ = false;         // random numbers before the program seeds them
  bool uses_learn_ = false;    // cudamat.learn
  Index ones_ = kDefaultOnes;  // the longest axis that is summed
};

void PythonPrinter::refuse_extensions() const {
  IterationSpace around(list_);
  for (const Statement& statement : list_.statements) {
    if (statement.kind == Kind::Loop) around.open(statement.loop);
    if (statement.kind == Kind::End) around.close();
    if (statement.kind == Kind::Custom) print::refuse_custom(list_, statement, "cudamat-py");
    const bool slices = statement.kind == Kind::Slice ||
                        (statement.kind == Kind::Call && statement.integers.size() == 2);
    if (slices &&
        around.bounds(sum(slice_bound(statement, 1), slice_bound(statement, 0), -1)).first == 0)
      throw cudamat::CUDAMatException(
          "cudamat-py",
          print::located(
              list_, statement.where,
              "the original package has no empty slices; --emit cudamat-cpp supports them"));
    if (statement.kind != Kind::Call || !cudamat::row(statement.op).has(cudamat::kExtension))
      continue;
    const std::string message = fmt::format("the original package has no {}; {}",
                                            cudamat::name(statement.op), instead_of(statement.op));
    throw cudamat::CUDAMatException("cudamat-py", print::located(list_, statement.where, message));
  }
}

void PythonPrinter::scan() {
  bool seeded = false;
  for (const Statement& statement : list_.statements) {
    seeded = seeded || statement.kind == Kind::Seed;
    if (statement.kind != Kind::Call) continue;
    const Family family = cudamat::row(statement.op).family;
    draws_ = draws_ || (family == Family::Fill && !seeded);
    uses_learn_ = uses_learn_ || family == Family::Modulate;
    if (family == Family::Reduction || family == Family::Accumulate) {
      const cudamat::Shape shape = variable(statement.operands[0].var).shape;
      ones_ = std::max({ones_, shape.rows, shape.cols});
    }
  }
}

void PythonPrinter::write_docstring() {
  line("\"\"\"{}Cudamat statements, for the cudamat package alone.\n",
       list_.source ? documented(list_.source->name()) + " as " : "");
  line(
      "program(**inputs) takes NumPy arrays by input name and returns NumPy arrays by output "
      "name:");
  out_ += '\n';
  write_bindings("    ", documented);
  line(
      "\nThe device computes in float32. The first call starts cuBLAS, unless start() was called;");
  line("cm.cublas_shutdown() ends it.\n\"\"\"\n");
  line("import numpy as np\n\nimport cudamat as cm");
  if (uses_learn_) line("from cudamat import learn");
}

void PythonPrinter::write_start() {
  line("\n_started = False\n\n");
  line("def start({}):", draws_ ? "seed=0" : "");
  line("    \"\"\"Starts cuBLAS{}; program() does it once.\"\"\"",
       draws_ ? " and the stream of random numbers" : "");
  line("    global _started");
  if (ones_ > kDefaultOnes)
    line("    cm.cublas_init(max_ones={})", ones_);
  else
    line("    cm.cublas_init()");
  if (draws_) line("    cm.CUDAMatrix.init_random(seed)");
  line("    _started = True");
}

void PythonPrinter::write_inputs() {
  if (list_.inputs.empty()) return;
  line("\n\nINPUTS = {{");
  for (const Binding& input : list_.inputs)
    line("    {}: {},", in_quotes(input.name), print::dims_text(input.dims));
  line("}}");
  const bool transposed = std::any_of(list_.inputs.begin(), list_.inputs.end(),
                                      [](const Binding& input) { return input.transposed; });
  line("\n\ndef _upload(inputs, name{}):", transposed ? ", transposed=False" : "");
  line(
      "    \"\"\"An input on the device: n numbers as a 1 x n matrix, a single one as 1 x "
      "1.\"\"\"");
  line("    if name not in inputs:");
  line("        raise TypeError(\"program() needs the array %s\" % name)");
  line("    array = np.asarray(inputs[name])");
  line("    if array.shape != INPUTS[name]:");
  line("        raise ValueError(\"%s must have the shape %s; got %s\"");
  line("                         % (name, INPUTS[name], array.shape))");
  const auto is_n_d = [](const Binding& input) { return input.dims.size() > 2; };
  if (std::any_of(list_.inputs.begin(), list_.inputs.end(), is_n_d)) {
    line("    if array.ndim > 2:");
    line("        array = array.reshape(int(np.prod(array.shape[:-1])), array.shape[-1]).T");
  }
  if (transposed) {
    line("    if transposed:");
    line("        array = np.atleast_2d(array).T");
  }
  line("    return cm.CUDAMatrix(cm.reformat(np.atleast_2d(array)))");
}

void PythonPrinter::write_program() {
  line("\n\ndef program(**inputs):");
  line("    if not _started:");
  line("        start()");
  for (const Binding& input : list_.inputs)
    line("    {} = _upload(inputs, {}{})", names_[input.var], in_quotes(input.name),
         input.transposed ? ", transposed=True" : "");
  write_statements([this](std::size_t i) { write_statement(i); });
  write_results();
}

void PythonPrinter::write_statement(std::size_t i) {
  const Statement& statement = list_.statements[i];
  switch (statement.kind) {
    case Kind::Empty:
      return put("{} = cm.empty({})", names_[statement.target],
                 print::shape_text(variable(statement.target), names_));
    case Kind::Constant:
      return put("{} = cm.CUDAMatrix(cm.reformat({}))", names_[statement.target],
                 print::python_array(statement, variable(statement.target).shape));
    case Kind::Slice:
      return write_slice(statement, statement.target, statement.operands.at(0).var);
    case Kind::Reshape: {  // reshape() works on the object itself: on a second one, here
      Statement whole;
      const Var of = statement.operands.at(0).var;
      whole.integers = {0, variable(of).shape.cols};
      if (const auto& varying = variable(of).varying) {
        whole.integers[1] = varying->cols.constant;
        whole.stretch = varying->cols.terms;
      }
      write_slice(whole, statement.target, of);
      return put("{}.reshape({})", names_[statement.target],
                 print::shape_text(variable(statement.target), names_));
    }
    case Kind::Call:
      return write_call(statement);
    case Kind::Seed:
      return put("cm.CUDAMatrix.init_random({})",
                 print::affine_text(statement.integers.at(0), statement.terms, names_));
    case Kind::Free:
      return put("{}.free_device_memory()", names_[statement.target]);
    case Kind::Loop: {
      const ListLoop& loop = list_.loops[statement.loop];
      const std::string condition =
          loop.has_condition() ? names_[statement.operands.at(0).var] + ".asarray()[0, 0]" : "";
      if (loop.has_variable())
        put("for {} in {}:", names_.loop(statement.loop), print::range_text(loop, names_));
      else
        put("{}:", print::loop_text(loop.form, "", "", condition));
      ++depth_;
      if (loop.form == LoopForm::ForWhile) put("if not {}: break", condition);
      if (list_.statements[i + 1].kind == Kind::End) put("pass");
      return;
    }
    case Kind::End:
      --depth_;
      return;
    case Kind::Print:
      return put("{}", print::python_print(
                           statement, names_,
                           [this](const print::PrintFormat::Number& number) {
                             return names_[number.element] + ".asarray()[0, 0]";
                           },
                           [this](const print::PrintFormat::Number& number) {
                             return names_[number.element] + ".asarray()";
                           }));
    case Kind::Fused:
    case Kind::Custom:
      throw cudamat::InternalError("cudamat-py: a fused statement");
  }
}

/// The original's slices count columns, but elements of a standing vector.
Statement PythonPrinter::counted(const Statement& slice, Var of) const {
  const cudamat::Shape shape = variable(of).shape;
  Statement result = slice;
  const auto& varying = variable(of).varying;
  const bool grows = varying && !varying->cols.terms.empty() && shape.rows != 1;
  if (grows || (varying && shape.cols == 1 && !is_whole(slice, of)))
    cudamat::misuse("cudamat-py",
                    "{} is sliced by columns, and its slice in Cudamat depends on its shape, which "
                    "differs between iterations; --emit cudamat-cpp supports it",
                    names_[of]);
  if (varying && shape.cols == 1) {  // all of a standing vector
    result.integers[1] = varying->rows.constant;
    result.stretch = varying->rows.terms;
    return result;
  }
  const Index unit = shape.cols == 1 ? shape.rows : 1;  // what a column counts
  for (Index& column : result.integers) column *= unit;
  for (ListTerms* terms : {&result.terms, &result.stretch})
    for (ListTerm& term : *terms) term.factor *= unit;
  return result;
}

bool PythonPrinter::is_whole(const Statement& slice, Var of) const {
  const auto& varying = variable(of).varying;
  return slice_bound(slice, 0) == ListInteger{} &&
         slice_bound(slice, 1) ==
             (varying ? varying->cols : ListInteger{variable(of).shape.cols, {}});
}

void PythonPrinter::write_slice(const Statement& slice, Var target, Var of) {
  const Statement columns = counted(slice, of);
  put("{} = {}.slice({}, {})", names_[target], names_[of], integer(columns, 0),
      integer(columns, 1));
}

void PythonPrinter::write_call(const Statement& statement) {
  const Family family = cudamat::row(statement.op).family;
  const bool reduction = family == Family::Reduction || family == Family::ArgReduction;
  if (reduction && statement.operands[0].transposed) return write_flagged_reduction(statement);
  if (family == Family::Modulate)
    return put("learn.{}({}, {})", cudamat::name(statement.op), names_[statement.target],
               names_[statement.operands[0].var]);
  const bool get = statement.op == Op::get_col_slice;
  if (get || statement.op == Op::set_col_slice)
    return put("{}",
               print::call_text(
                   print::kPython,
                   counted(statement, get ? statement.operands[0].var : statement.target), names_));
  put("{}", print::call_text(print::kPython, statement, names_));
}

// Of the reductions only the function sum() takes the flag: a mean is a sum with a factor, and the
// others go over the other axis, into the target seen as the other kind of vector.
void PythonPrinter::write_flagged_reduction(const Statement& statement) {
  const Var of = statement.operands[0].var;
  if (variable(of).varying || variable(statement.target).varying)
    cudamat::misuse("cudamat-py", "{} reduces a transpose whose shape differs between iterations",
                    cudamat::name(statement.op));
  const Index axis = statement.integers.at(0);
  const std::string& target = names_[statement.target];
  const cudamat::Shape shape = variable(of).shape.transposed();
  const auto length = static_cast<double>(axis == 0 ? shape.rows : shape.cols);
  if (statement.op == Op::sum || statement.op == Op::mean) {
    double mult = statement.numbers.empty() ? 1 : statement.numbers[0].value();
    if (statement.op == Op::mean) mult /= length;
    return put("cm.sum({}.T, axis={}, target={}{})", names_[of], axis, target,
               mult == 1 ? "" : ", mult=" + print::python_number(mult));
  }
  const cudamat::Shape as = variable(statement.target).shape;
  put("{}.reshape({})", target, pair(as.transposed()));
  put("{}.{}(axis={}, target={})", names_[of], cudamat::name(statement.op), 1 - axis, target);
  put("{}.reshape({})", target, pair(as));
}

void PythonPrinter::write_results() {
  line("\n    outputs = {{");
  for (const Binding& output : list_.outputs)
    line("        {}: {}.asarray(){}.reshape({}),", in_quotes(output.name), names_[output.var],
         in_c_order(output) ? ".T" : "", print::dims_text(output.dims));
  line("    }}");
  Table<char> alive(list_.variables.size(), 0);
  for (const Binding& input : list_.inputs) alive[input.var] = 1;
  for (const Statement& statement : list_.statements) {
    if (statement.kind == Kind::Empty || statement.kind == Kind::Constant)
      alive[statement.target] = 1;
    if (statement.kind == Kind::Free) alive[statement.target] = 0;
  }
  for (std::size_t i = 0; i < alive.size(); ++i)
    if (alive[i] != 0) line("    {}.free_device_memory()", names_[static_cast<Var>(i)]);
  line("    return outputs");
}

void PythonPrinter::write_main() {
  line("\n\nif __name__ == \"__main__\":  # python FILE.py NAME=ARRAY.npy ...");
  line("    import sys\n");
  line("    arguments = [argument.split(\"=\", 1) for argument in sys.argv[1:]]");
  line("    results = program(**dict((name, np.load(path)) for name, path in arguments))");
  line("    for name in results:");
  line("        print(name, results[name].shape)");
  line("        print(results[name])");
  line("    cm.cublas_shutdown()");
}

std::string PythonPrinter::print() {
  refuse_extensions();
  scan();
  write_docstring();
  write_start();
  write_inputs();
  write_program();
  write_main();
  return std::move(out_);
}

}  // namespace

std::string print_cudamat_py(const StatementList& list, const PrintOptions& /*options*/) {
  const StatementList hoisted = allocate_before_loops(unfused(list));
  return PythonPrinter(hoisted).print();
}

}  // namespace rewriter
