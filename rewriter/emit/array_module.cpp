// Lists as Python modules for NumPy, CuPy and PyTorch.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_set>

#include "rewriter/emit/array_layout.hpp"
#include "rewriter/emit/array_library.hpp"
#include "rewriter/emit/program_text.hpp"
#include "rewriter/emit/python_text.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/checks.hpp"
#include "rewriter/list/fusion.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using cudamat::Shape;
using print::in_quotes;

std::string_view library_name(ArrayLibrary library) {
  return library == ArrayLibrary::Numpy  ? "NumPy"
         : library == ArrayLibrary::Cupy ? "CuPy"
                                         : "PyTorch";
}

std::string_view option_name(ArrayLibrary library) {
  return library == ArrayLibrary::Numpy  ? "numpy"
         : library == ArrayLibrary::Cupy ? "cupy"
                                         : "torch";
}

/// The type that NumPy, and the libraries like it, call so.
std::string type_of(DType dtype) {
  return dtype == DType::Bool  ? "bool"
         : dtype == DType::Int ? "int64"
                               : std::string(detail::type_name(dtype));
}

class ArrayModule : ProgramText {
 public:
  ArrayModule(const StatementList& list, ArrayLibrary library, const Program* program,
              const PrintOptions& options)
      : ProgramText(list, {NamesOf::Python, 4, "# ", false}),
        library_(library),
        program_(program),
        bytes_(options.bytes_per_element),
        layout_(emit::array_layout(list, library, bytes_)),
        draws_(std::any_of(list.statements.begin(), list.statements.end(), draws)) {}

  std::string print();

 private:
  void refuse_some() const;
  [[noreturn]] void refuse(const Statement& statement, const std::string& what) const;

  // Parts of the module, from its head to its end.
  std::string head();
  void write_signature();
  void write_inputs();
  void write_buffers();
  void write_statement(std::size_t i);
  void write_results();
  void write_main();

  void write_constant(const Statement& statement);
  void write_view(const Statement& statement);
  void write_call(const Statement& statement);
  void write_loop(const Statement& s);
  void end_loop();

  [[nodiscard]] bool torch() const { return library_ == ArrayLibrary::Torch; }
  [[nodiscard]] std::string_view np() const { return emit::module_of(library_); }
  /// The module of NumPy, for what is done on the host.
  [[nodiscard]] std::string_view host() const {
    return library_ == ArrayLibrary::Numpy ? "np" : "numpy";
  }
  [[nodiscard]] std::string element(Var var) const { return names_[var] + "[0, 0]"; }
  [[nodiscard]] std::string printed(const print::PrintFormat::Number& number) const;
  [[nodiscard]] std::string on_host(Var var) const;
  [[nodiscard]] std::string number(double value) const;
  [[nodiscard]] std::string operand(const Statement::Operand& operand) const {
    return names_[operand.var] + (operand.transposed ? ".T" : "");
  }
  [[nodiscard]] std::string seed_of(const Statement& statement) const;
  std::string place(const Statement& statement, std::string_view name);
  std::string filled(const Statement& statement, std::string_view call);
  std::string with_helpers(std::string text);
  [[nodiscard]] std::string empty(Var var) const;
  [[nodiscard]] std::string piece_of_block(Var var) const;
  [[nodiscard]] std::string reshaped(const std::string& array, Shape from, Var to) const;
  [[nodiscard]] std::string returned(const Binding& output);
  [[nodiscard]] std::string length_cut(const Result& result) const;
  [[nodiscard]] std::string type_suffix(DType dtype, bool copies) const;

  ArrayLibrary library_;
  const Program* program_;
  int bytes_;
  emit::ArrayLayout layout_;
  bool draws_;
  const std::map<std::size_t, std::string_view> checks_ = failed_checks(list_);
  std::vector<std::size_t> bodies_;  // of the open loops, where they begin in the text
  std::unordered_set<Var> returned_;
  std::set<std::string_view> helpers_;  // used
  std::string block_name_ = names_.fresh("block");
  std::string rng_ = names_.fresh("rng");
  std::string seed_ = names_.fresh("seed");
};

void ArrayModule::refuse(const Statement& statement, const std::string& what) const {
  throw cudamat::CUDAMatException(option_name(library_),
                                  print::located(list_, statement.where, what));
}

void ArrayModule::refuse_some() const {
  if (bytes_ > 8 && library_ != ArrayLibrary::Numpy)
    cudamat::misuse(option_name(library_), "{} has no long double; use --precision 32 or 64",
                    library_name(library_));
  const bool is_decided = program_ != nullptr && program_->knows_draws;
  for (const Statement& s : list_.statements) {
    if (is_decided && draws(s))
      refuse(
          s,
          "statements depend on the random numbers that the list draws, and a module of an array "
          "library draws different ones; --emit cpp draws the same");
    if (s.kind == Kind::Custom) print::refuse_custom(list_, s, std::string(option_name(library_)));
    const bool solves = s.kind == Kind::Call && cudamat::row(s.op).family == Family::Solver;
    if (bytes_ > 8 && solves && s.op != Op::bincount)
      refuse(s, "NumPy's linear algebra does not support long double; use --precision 64");
  }
}

// ---- texts ----

std::string ArrayModule::number(double value) const {
  if (bytes_ == 4 && std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
    value = number_in<float>(value);
  return print::python_number(value);
}

/// The element, a number; str() of NumPy's has the digits of its type, format() those of a float64.
std::string ArrayModule::printed(const print::PrintFormat::Number& number) const {
  std::string item = element(number.element) + (library_ == ArrayLibrary::Numpy ? "" : ".item()");
  if (bytes_ == 8 || !number.plain || number.dtype != DType::Float) return item;
  return fmt::format("str({}.{}({}))", host(), bytes_ == 4 ? "float32" : "longdouble", item);
}

/// The matrix as a NumPy array.
std::string ArrayModule::on_host(Var var) const {
  if (torch()) return names_[var] + ".cpu().numpy()";
  return library_ == ArrayLibrary::Cupy ? fmt::format("cp.asnumpy({})", names_[var]) : names_[var];
}

/// The seed that the program gives its generator.
std::string ArrayModule::seed_of(const Statement& statement) const {
  if (!statement.terms.empty())
    return print::affine_text(statement.integers.at(0), statement.terms, names_);
  const auto number = static_cast<double>(statement.integers.at(0));
  if (program_ != nullptr)
    for (const NodePtr& step : program_->steps)
      if (step->kind == rewriter::Kind::Seed && step->number == number && !step->text.empty())
        return step->text;
  return fmt::format("{}", statement.integers[0]);
}

/// np.empty((128, 784), dtype)
std::string ArrayModule::empty(Var var) const {
  const Shape shape = variable(var).shape;
  const bool columns = layout_.is_by_columns(var) && !emit::is_vector(shape);
  if (torch())
    return fmt::format("torch.empty({}, dtype=dtype, device=device){}",
                       print::pair(columns ? shape.transposed() : shape), columns ? ".T" : "");
  return fmt::format("{}.empty({}, dtype{})", np(), print::pair(shape),
                     columns ? ", order=\"F\"" : "");
}

/// block[0:100352].reshape(128, 784)
std::string ArrayModule::piece_of_block(Var var) const {
  const Variable& v = variable(var);
  const Index offset = layout_.owners[var].offset;
  std::string shape = print::shape_text(v, names_);
  shape = shape.substr(1, shape.size() - 2);
  const bool columns = layout_.is_by_columns(var) && (v.varying || !emit::is_vector(v.shape));
  std::string end = fmt::format("{}", offset + v.shape.size());
  std::string rows, cols;
  if (v.varying) {
    rows = print::affine_text(v.varying->rows, names_);
    cols = print::affine_text(v.varying->cols, names_);
    end = fmt::format("{} + ({}) * ({})", offset, rows, cols);
    if (columns && torch()) shape = cols + ", " + rows;
  } else if (columns && torch()) {
    shape = fmt::format("{}, {}", v.shape.cols, v.shape.rows);
  }
  return fmt::format("{}[{}:{}].reshape({}{}){}", block_name_, offset, end, shape,
                     columns && !torch() ? ", order=\"F\"" : "", columns && torch() ? ".T" : "");
}

/// The same memory in the shape of another variable.
std::string ArrayModule::reshaped(const std::string& array, Shape from, Var to) const {
  const Variable& target = variable(to);
  if (!target.varying && from.transposed() == target.shape && emit::is_vector(from))
    return array + ".T";
  std::string shape = print::shape_text(target, names_);
  shape = shape.substr(1, shape.size() - 2);
  if (!torch()) return fmt::format("{}.reshape({}, order=\"F\")", array, shape);
  const Extents extents = target.varying ? *target.varying : Extents(target.shape);
  return fmt::format("{}.T.view({}, {}).T", array, print::affine_text(extents.cols, names_),
                     print::affine_text(extents.rows, names_));
}

/// The text of a place of a call.
std::string ArrayModule::place(const Statement& s, std::string_view name) {
  if (name == "t") return names_[s.target];
  if (name == "rng") return rng_;
  const bool of_all = !s.operands.empty() && layout_.all_of[s.operands[0].var] != kNoVar;
  if (name == "axis" && of_all) return torch() ? "(0, 1)" : "None";
  if (name == "axis") return fmt::format("{}", s.integers.at(0));
  if (name == "a" && of_all) return names_[layout_.all_of[s.operands[0].var]];
  if (name == "first") return integer(s, 0);
  if (name == "last") return integer(s, 1);
  if (name == "n0" || name == "n1") {
    double value = s.numbers.at(name == "n0" ? 0 : 1).value();
    if (s.op == Op::lstsq && value < 0)  // in units of the type's epsilon
      value *= -(bytes_ == 4 ? 0x1p-23 : 0x1p-52);
    return number(value);
  }
  const std::size_t which = name == "a" ? 0 : name == "c" ? 2 : 1;
  if (name == "x" || name == "y") {
    const std::size_t given = s.op == Op::assign ? 0 : 1;
    if (s.operands.size() > given) return operand(s.operands[given]);
    if (!s.terms.empty())
      return print::affine_text(static_cast<Index>(s.numbers.at(0).value()), s.terms, names_);
    const std::string value = number(s.numbers.at(0).value());
    return name == "x" ? value : fmt::format("_number({})", value);
  }
  return which < s.operands.size() ? operand(s.operands[which]) : "None";
}

std::string ArrayModule::filled(const Statement& statement, std::string_view call) {
  std::string text;
  while (!call.empty()) {
    const std::size_t open = call.find('{');
    text += call.substr(0, open);
    if (open == call.npos) break;
    const std::size_t close = call.find('}', open);
    text += place(statement, call.substr(open + 1, close - open - 1));
    call.remove_prefix(close + 1);
  }
  return text;
}

/// Remembers which helpers the text calls.
std::string ArrayModule::with_helpers(std::string text) {
  for (const emit::Helper& helper : emit::helpers())
    if (text.find(std::string(helper.name) + "(") != text.npos) helpers_.insert(helper.name);
  return text;
}

// ---- statements ----

void ArrayModule::write_constant(const Statement& statement) {
  const Shape shape = variable(statement.target).shape;
  const print::Pattern pattern = print::pattern_of(statement, shape);
  const std::string type = torch() ? "dtype=dtype, device=device" : "dtype";
  std::string text;
  if (pattern.kind == print::Pattern::Kind::Equal) {
    text =
        fmt::format("{}.full({}, {}, {})", np(), print::pair(shape), number(pattern.value), type);
  } else if (pattern.kind == print::Pattern::Kind::Eye) {
    const char* const form =
        torch() ? "torch.tensor(numpy.eye({1}, {2}, {3}), {4})" : "{0}.eye({1}, {2}, {3}, {4})";
    text = fmt::format(fmt::runtime(form), np(), shape.rows, shape.cols, pattern.k, type);
  } else {
    text = print::python_array(statement, shape);
    if (text.find("dtype=") != text.npos) {
      text = fmt::format("{}.astype(dtype)", text);
    } else {
      text.replace(0, std::string_view("np.array").size(),
                   fmt::format("{}.{}", np(), torch() ? "tensor" : "array"));
      text.insert(text.size() - 1, ", " + type);
    }
  }
  if (layout_.is_by_columns(statement.target) && !emit::is_vector(shape))
    text = torch() ? text + ".T.contiguous().T" : fmt::format("{}.asfortranarray({})", np(), text);
  put("{} = {}", names_[statement.target], text);
}

void ArrayModule::write_view(const Statement& s) {
  const Var of = s.operands.at(0).var;
  if (layout_.all_of[s.target] != kNoVar) return;
  if (s.kind == Kind::Slice)
    return put("{} = {}[:, {}:{}]", names_[s.target], names_[of], integer(s, 0), integer(s, 1));
  if (same_shape(list_, of, s.target)) return put("{} = {}", names_[s.target], names_[of]);
  put("{} = {}", names_[s.target],
      reshaped(names_[of], variable(of).varying ? Shape{0, 0} : variable(of).shape, s.target));
}

void ArrayModule::write_call(const Statement& s) {
  const bool negates = s.op == Op::mult && s.operands.size() == 1 && s.numbers[0] == -1;
  const std::string_view call = negates ? emit::negation(library_) : emit::call_of(s.op, library_);
  if (call.empty())
    refuse(s, fmt::format("{} has no {}", library_name(library_), cudamat::name(s.op)));
  put("{}", with_helpers(filled(s, call)));
}

void ArrayModule::write_loop(const Statement& s) {
  const ListLoop& loop = list_.loops[s.loop];
  const std::string condition = loop.has_condition() ? element(s.operands.at(0).var) : "";
  if (loop.has_variable())
    put("for {} in {}:", names_.loop(s.loop), print::range_text(loop, names_));
  else
    put("{}:", print::loop_text(loop.form, "", "", condition));
  ++depth_;
  if (loop.form == LoopForm::ForWhile) put("if not {}: break", condition);
  bodies_.push_back(out_.size());
}

void ArrayModule::end_loop() {
  if (out_.size() == bodies_.back()) put("pass");
  bodies_.pop_back();
  --depth_;
}

void ArrayModule::write_statement(std::size_t i) {
  const Statement& s = list_.statements[i];
  switch (s.kind) {
    case Kind::Empty:
      if (variable(s.target).varying) put("{} = {}", names_[s.target], piece_of_block(s.target));
      return;
    case Kind::Constant:
      if (depth_ == 0 || layout_.owners[s.target].is_written) write_constant(s);
      return;
    case Kind::Slice:
    case Kind::Reshape:
      return write_view(s);
    case Kind::Call:
      if (const auto check = checks_.find(i); check != checks_.end()) {
        put("if {} != 0:", element(s.operands.at(1).var));
        put("    raise ValueError({})", print::in_quotes(check->second));
      }
      return write_call(s);
    case Kind::Seed:
      return put("{} = {}.random.default_rng({})", rng_, host(), seed_of(s));
    case Kind::Loop:
      return write_loop(s);
    case Kind::End:
      return end_loop();
    case Kind::Print:
      return put("{}", print::python_print(
                           s, names_, [this](const auto& number) { return printed(number); },
                           [this](const auto& number) { return on_host(number.element); }));
    case Kind::Free:
      return;
    case Kind::Fused:
    case Kind::Custom:
      throw cudamat::InternalError("an array module: a fused statement");
  }
}

// ---- the function ----

void ArrayModule::write_signature() {
  std::string parameters;
  bool others = false;
  for (const Binding& input : list_.inputs) {
    const bool named = names_[input.var] == input.name;
    others = others || !named;
    if (named) parameters += (parameters.empty() ? "" : ", ") + input.name;
  }
  if (!parameters.empty()) parameters = "*, " + parameters;
  if (draws_) parameters += (parameters.empty() ? "*, " : ", ") + seed_ + "=0";
  if (others) parameters += (parameters.empty() ? "" : ", ") + std::string("**inputs");
  out_ += "\n\n";
  if (library_ == ArrayLibrary::Numpy) line("@np.errstate(all=\"ignore\")");
  if (torch()) line("@torch.no_grad()");
  line("def program({}):", parameters);
}

/// As matrices: n numbers are 1 x n, a single one is 1 x 1; of more dimensions the last is that of
/// the rows.
void ArrayModule::write_inputs() {
  for (const Binding& input : list_.inputs) {
    const std::string& name = names_[input.var];
    const bool named = name == input.name;
    std::string text =
        fmt::format("_input({}, {}, {})", in_quotes(input.name),
                    named ? name : fmt::format("inputs.get({})", in_quotes(input.name)),
                    print::dims_text(input.dims));
    const Shape shape = held_shape(input);
    const emit::ArrayLayout::Owner& owner = layout_.owners[input.var];
    if (owner.is_written) text += torch() ? ".clone()" : ".copy()";
    if (input.dims.size() > 2)
      text += fmt::format(".reshape({}, {}).T", shape.cols, shape.rows);
    else if (input.dims.size() < 2)
      text += fmt::format(".reshape({}, {})", shape.rows, shape.cols);
    else if (input.transposed)
      text += ".T";
    if (owner.needs_columns && !emit::is_vector(shape))
      text =
          torch() ? text + ".T.contiguous().T" : fmt::format("{}.asfortranarray({})", np(), text);
    put("{} = {}", name, text);
  }
}

/// All the memory that the program takes.
void ArrayModule::write_buffers() {
  if (draws_) put("{} = {}.random.default_rng({})", rng_, host(), seed_);
  std::string results, temporaries;
  const std::string before = std::move(out_);
  std::set<Var> seen;
  for (const bool of_results : {true, false}) {
    out_.clear();
    for (const Statement& s : list_.statements)
      if (s.kind == Kind::Empty && layout_.owners[s.target].is_result == of_results &&
          !variable(s.target).varying && seen.insert(s.target).second)
        put("{} = {}", names_[s.target],
            layout_.is_in_block(s.target) ? piece_of_block(s.target) : empty(s.target));
    (of_results ? results : temporaries) = std::move(out_);
  }
  out_ = before;
  if (!results.empty()) {
    out_ += '\n';
    put("# results");
    out_ += results;
  }
  if (layout_.has_block && layout_.block > 0) {
    out_ += '\n';
    put("# temporaries, in one block of {} bytes", print::grouped(layout_.block * bytes_));
    if (torch())
      put("{} = torch.empty({}, dtype=dtype, device=device)", block_name_, layout_.block);
    else
      put("{} = {}.empty({}, dtype)", block_name_, np(), layout_.block);
  } else if (!temporaries.empty()) {
    out_ += '\n';
    put("# temporaries");
  }
  out_ += temporaries;
  int depth = 0;
  bool said = false;
  for (const Statement& s : list_.statements) {
    depth += s.kind == Kind::Loop ? 1 : s.kind == Kind::End ? -1 : 0;
    if (s.kind != Kind::Constant || depth == 0 || layout_.owners[s.target].is_written) continue;
    if (!std::exchange(said, true)) {
      out_ += '\n';
      put("# constants");
    }
    write_constant(s);
  }
}

/// [:int(r_length[0, 0])] of an output whose length is known only at run time.
std::string ArrayModule::length_cut(const Result& result) const {
  if (result.length == nullptr) return "";
  std::string text = "[";
  for (int axis = 0; axis < result.axis; ++axis) text += ":, ";
  return fmt::format("{}:int({})]", text, element(result.length->var));
}

std::string ArrayModule::type_suffix(DType dtype, bool copies) const {
  if (dtype == DType::Float) return !copies ? "" : torch() ? ".clone()" : ".copy()";
  if (torch()) return fmt::format(".to(torch.{})", type_of(dtype));
  return dtype == DType::Bool ? ".astype(bool)"
                              : fmt::format(".astype({}.{})", np(), type_of(dtype));
}

/// An output in the shape and type that NumPy has.
std::string ArrayModule::returned(const Binding& output) {
  std::string text = names_[output.var];
  const std::string dims = print::dims_text(output.dims);
  if (output.dims.size() > 2)
    text += ".T.reshape" + dims;
  else if (output.dims.size() == 1)
    text += fmt::format(".reshape({})", output.dims[0]);
  else if (output.dims.empty())
    text += ".reshape(())";
  else if (output.transposed)
    text += ".T";
  const bool first = returned_.insert(output.var).second;
  const Result result = result_of(program_, output, option_name(library_));
  return text + length_cut(result) +
         type_suffix(result.dtype, !layout_.owners[output.var].is_result || !first);
}

void ArrayModule::write_results() {
  out_ += '\n';
  if (list_.outputs.empty()) return put("return {{}}");
  put("return {{");
  for (const Binding& output : list_.outputs)
    put("    {}: {},", in_quotes(output.name), returned(output));
  put("}}");
}

void ArrayModule::write_main() {
  line("\n\nif __name__ == \"__main__\":  # python FILE.py NAME=ARRAY.npy ...");
  line("    import sys\n");
  line("    arguments = [argument.split(\"=\", 1) for argument in sys.argv[1:]]");
  line("    results = program(**{{name: {}.load(path) for name, path in arguments}})", host());
  line("    for name, array in results.items():");
  line("        print(name, tuple(array.shape))");
  line("        print(array)");
}

/// Its docstring, what it imports and its helpers.
std::string ArrayModule::head() {
  const std::string body = std::exchange(out_, {});
  line("\"\"\"{}{} {}.\n",
       list_.source ? print::documented(list_.source->name()) + " as statements for "
                    : "Statements for ",
       library_name(library_), "alone");
  line("program({}) returns a dictionary of arrays by output name.\n",
       list_.inputs.empty() ? "" : "NAME=array, ...");
  write_bindings("    ", print::documented);
  line("\"\"\"\n");
  for (const std::string_view helper : {"_gamma", "_lgamma", "_erf"})
    if (helpers_.contains(helper) && library_ == ArrayLibrary::Numpy) {
      line("import math\n");
      break;
    }
  if (library_ == ArrayLibrary::Cupy) {
    line("import cupy as cp");
    if (body.find("cupyx.") != body.npos) line("import cupyx.scipy.special");
  }
  line("import numpy{}", library_ == ArrayLibrary::Numpy ? " as np" : "");
  if (torch()) line("import torch");
  const char* const type = bytes_ == 4 ? "float32" : bytes_ == 8 ? "float64" : "longdouble";
  line("\ndtype = {}.{}", np(), type);
  if (torch()) line("device = \"cuda\" if torch.cuda.is_available() else \"cpu\"");
  if (!list_.inputs.empty()) {
    line("\n\ndef _input(name, array, shape):");
    line("    \"\"\"An input, checked.\"\"\"");
    line("    if array is None:");
    line("        raise TypeError(f\"program() needs the array {{name}}\")");
    if (torch())
      line("    array = torch.as_tensor(array, dtype=dtype, device=device)");
    else
      line("    array = {}.asarray(array, dtype)", np());
    line("    if tuple(array.shape) != shape:");
    line(
        "        raise ValueError(f\"{{name}} must have the shape {{shape}}; got "
        "{{tuple(array.shape)}}\")");
    line("    return array");
  }
  // Helpers that helpers call come first.
  for (auto it = emit::helpers().rbegin(); it != emit::helpers().rend(); ++it)
    if (helpers_.contains(it->name)) with_helpers(std::string(it->text(library_)));
  for (const emit::Helper& helper : emit::helpers())
    if (helpers_.contains(helper.name))
      out_ += "\n\n" + emit::with_module(helper.text(library_), library_);
  return std::exchange(out_, {}) + body;
}

std::string ArrayModule::print() {
  refuse_some();
  write_signature();
  write_inputs();
  write_buffers();
  if (!list_.source) out_ += '\n';
  write_statements([this](std::size_t i) { write_statement(i); });
  write_results();
  write_main();
  return head();
}

}  // namespace

std::string print_array_module(const StatementList& list, ArrayLibrary library,
                               const Program* program, const PrintOptions& options) {
  const StatementList plain =
      emit::one_operation_each(emit::with_broadcasts(unfused(list)), library);
  return ArrayModule(plain, library, program, options).print();
}

}  // namespace rewriter
