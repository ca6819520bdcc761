#include "rewriter/emit/cpp_program.hpp"

#include <algorithm>
#include <set>

#include "rewriter/list/edit.hpp"
#include "rewriter/list/fusion.hpp"

namespace rewriter {

using cudamat::Shape;
using print::in_quotes;

CppProgram::CppProgram(const StatementList& list, const Program* program,
                       const PrintOptions& options)
    : CppStatements(list, options.bytes_per_element), program_(program) {
  for (const Statement& s : list.statements)
    if (computes(s))
      for (const Var target : targets_of(s)) written_.insert(owner(list, target));
}

/// The pointers to the arrays, perhaps with their types.
std::string CppProgram::parameters(bool typed) const {
  std::vector<std::string> all;
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs)
      all.push_back(
          (typed && (in_parts_ || (is_input && !is_used(binding.var))) ? "[[maybe_unused]] " : "") +
          std::string(!typed     ? ""
                      : is_input ? "const T* "
                                 : "T* ") +
          parameter(binding, is_input));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// program(): the sizes are checked, and exceptions become its result.
void CppProgram::write_entry() {
  std::vector<std::string> all, checks;
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs) {
      const std::string name = parameter(binding, is_input);
      all.push_back(fmt::format("{0}T* {1}, std::size_t {1}_size", is_input ? "const " : "", name));
      Index size = 1;
      for (const Index extent : binding.dims) size *= extent;
      checks.push_back(
          fmt::format("if ({}_size != {}) cm::fail({});", name, size,
                      in_quotes(fmt::format("{} must have {} elements", binding.name, size))));
    }
  line("\nextern \"C\" const char* program_error() {{\n  return error_text.c_str();\n}}\n");
  line("extern \"C\" int program({}) {{", fmt::join(all, ",\n                       "));
  line("  error_text.clear();\n  try {{");
  for (const std::string& check : checks) line("    {}", check);
  line("    run({});\n    return 0;", parameters(false));
  line("  }} catch (const std::exception& error) {{\n    error_text = error.what();");
  line("    return 1;\n  }}\n}}");
}

void CppProgram::write_room(const Binding& input) {
  const Shape shape = variable(input.var).shape;
  put("{} = {}.matrix({}, {}, {});", declared(input.var), memory_, arena_.offsets[input.var],
      shape.rows, shape.cols);
}

void CppProgram::write_input(const Binding& input) {
  const std::string& from = parameter(input, true);
  const Shape shape = variable(input.var).shape;
  if (lies_alike(input) && !written_.contains(input.var))
    return put("{} = cm::Matrix{{const_cast<T*>({}), {}, {}}};", declared(input.var), from,
               shape.rows, shape.cols);
  write_room(input);
  if (lies_alike(input))
    write_copied(from, names_[input.var]);
  else
    put("cm::read_rows({}, {});", from, names_[input.var]);
}

void CppProgram::write_output(const Binding& output) {
  const std::string& name = names_[output.var];
  if (lies_alike(output))
    put("std::copy_n({0}.data, {0}.size(), {1});", name, parameter(output, false));
  else
    put("cm::write_rows({}, {});", name, parameter(output, false));
}

void CppProgram::write_inputs() {
  for (const Binding& input : list_.inputs)
    if (is_used(input.var)) write_input(input);
}

void CppProgram::write_outputs() {
  for (const Binding& output : list_.outputs) write_output(output);
}

/// One function.
void CppProgram::write_run() {
  line("void run({}) {{", parameters(true));
  put("const cm::Memory {}({});", memory_, std::max(arena_.bytes, Index(1)));
  if (draws_) put("cm::Stream {};", random_);
  write_inputs();
  if (!list_.source) out_ += '\n';
  write_statements([this](std::size_t i) { write_statement(i); });
  out_ += '\n';
  write_outputs();
  line("}}");
}

/// Several, since compilers take minutes for one of thousands of statements.
void CppProgram::write_parts() {
  constexpr std::size_t kPart = 12000;  // characters
  line("struct Run {{");
  put("const cm::Memory {}{{{}}};", memory_, std::max(arena_.bytes, Index(1)));
  if (draws_) put("cm::Stream {};", random_);
  std::string names;
  for (std::size_t var = 0; var < list_.variables.size(); ++var) {
    names += (names.empty() ? "" : ", ") + names_[static_cast<Var>(var)];
    if (names.size() > 80) put("cm::Matrix {};", std::exchange(names, ""));
  }
  if (!names.empty()) put("cm::Matrix {};", names);
  ++depth_;
  const auto function = [&](const std::string& head) {
    --depth_;
    out_ += '\n';
    put("void {} {{", head);
    ++depth_;
  };
  const auto end = [&] {
    --depth_;
    put("}}");
    ++depth_;
  };
  function(fmt::format("begin({})", parameters(true)));
  write_inputs();
  end();
  int parts = 1;
  const int depth = depth_;
  function("part1()");
  std::size_t start = out_.size();
  write_statements([&](std::size_t i) {
    write_statement(i);
    if (depth_ != depth || out_.size() - start < kPart || i + 1 == list_.statements.size()) return;
    end();
    function(fmt::format("part{}()", ++parts));
    start = out_.size();
  });
  end();
  function(fmt::format("end({})", parameters(true)));
  write_outputs();
  end();
  --depth_;
  line("}};\n");
  line("void run({}) {{", parameters(true));
  put("Run all;");
  put("all.begin({});", parameters(false));
  for (int part = 1; part <= parts; ++part) put("all.part{}();", part);
  put("all.end({});", parameters(false));
  line("}}");
}

namespace {

/// How C++ and NumPy call the type of results in T, which is of so many bytes.
std::pair<std::string, std::string> stored_type(DType dtype, int bytes) {
  if (dtype == DType::Float) return {"T", fmt::format("<f{}", bytes)};
  const std::string type(file_type(dtype));
  if (dtype == DType::Bool) return {"bool", type};
  return {fmt::format("std::{}int{}_t", type[1] == 'u' ? "u" : "", 8 * (type[2] - '0')), type};
}

std::string braced(const Dims& dims) {
  return fmt::format("{{{}}}", fmt::join(dims, ", "));
}

}  // namespace

void CppProgram::write_main() {
  line("\n#ifndef NO_MAIN");
  line("int main({}) try {{",
       list_.inputs.empty() && list_.outputs.empty() ? "" : "int count, char** values");
  if (!list_.inputs.empty() || !list_.outputs.empty()) {
    std::string names;
    for (const Binding& input : list_.inputs)
      names += (names.empty() ? "" : ", ") + in_quotes(input.name);
    line("  cm::check_arguments(count, values, {{{}}});", names);
  }
  for (const Binding& input : list_.inputs)
    line("  cm::Array {} = cm::argument(count, values, {}, {});", parameter(input, true),
         in_quotes(input.name), braced(input.dims));
  for (const Binding& output : list_.outputs)
    line("  cm::Array {} = cm::empty({});", parameter(output, false), braced(output.dims));
  std::vector<std::string> given;
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs)
      given.push_back(
          fmt::format("{0}.data.data(), {0}.data.size()", parameter(binding, is_input)));
  line("  if (program({}) != 0)", fmt::join(given, ",\n              "));
  line("    cm::fail(program_error());");
  if (!list_.outputs.empty()) line("  const std::string to = cm::results_folder(count, values);");
  for (const Binding& output : list_.outputs) {
    const Result result = result_of(program_, output, form());
    const std::string name = parameter(output, false);
    if (result.length != nullptr)
      line("  cm::cut({}, {}, cm::Index({}.data[0]));", name, result.axis,
           parameter(*result.length, false));
    const auto [type, spelled] = stored_type(result.dtype, bytes_);
    line("  cm::give<{}>({}, {}, \"{}\", to);", type, in_quotes(output.name), name, spelled);
  }
  line("  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)");
  line("    cm::fail(\"standard output cannot be written\");");
  line("  return 0;");
  line("}} catch (const std::exception& error) {{");
  line("  std::fprintf(stderr, \"%s\\n\", error.what());");
  line("  return 1;");
  line("}}");
  line("#endif");
}

CppProgram::Head CppProgram::head(const std::string& standalone) const {
  Head head{"C++17", "g++ -O3 -march=native -ffp-contract=off -fopenmp FILE.cpp"};
  if (standalone.find("NO_BLAS") != std::string::npos) {
    head.command += " -lopenblas";
    head.remarks = {
        "Products and factorisations are those of a CBLAS and LAPACK; with -DNO_BLAS of plain "
        "loops."};
  }
  return head;
}

/// With what stands before the program.
std::string CppProgram::with_head(const std::string& body) {
  const emit::StandaloneText standalone = emit::standalone_text(body, machine());
  const Head head = this->head(standalone.text);
  out_.clear();
  line("// {}{}, without a library of its own.",
       list_.source ? print::safe(list_.source->name()) + " as " : "", head.language);
  line("//\n//   {}", head.command);
  for (const std::string& remark : head.remarks) line("//\n// {}", remark);
  line(
      "//\n// program() takes arrays in C order, and their numbers of elements; it returns 0, or "
      "1 if it\n// failed: program_error() says why. As a program of its own (without -DNO_MAIN) "
      "it reads and\n// writes .npy files; without a folder for the results it prints them:");
  std::string usage;
  for (const Binding& input : list_.inputs) usage += fmt::format(" {0}={0}.npy", input.name);
  line("//\n//   ./a.out{} [FOLDER]\n//", usage);
  write_bindings("//   ", [](const std::string& name) { return name; });
  bool first = true;
  for (const auto& [number, remark] : list_.remarks) {
    if (!remark.starts_with("ignored")) continue;
    if (std::exchange(first, false)) line("//\n// Not in this program:\n//");
    line("//   {}: {}  # {}", print::line_label(list_, number), print::source_line(list_, number),
         print::one_line(remark));
  }
  std::set<std::string> includes(standalone.includes.begin(), standalone.includes.end());
  includes.insert({"<algorithm>", "<cmath>", "<cstdio>", "<exception>", "<limits>", "<string>"});
  out_ += '\n';
  for (const std::string& name : includes) line("#include {}", name);
  if (bytes_ == 16) line("\n#define NO_BLAS  // which has no long double");
  line("\nusing T = {};", type());
  return std::move(out_) + standalone.text + body;
}

std::string CppProgram::print() {
  for (const bool is_input : {true, false})
    for (const Binding& binding : is_input ? list_.inputs : list_.outputs) {
      std::string name = binding.name + (is_input ? "_in" : "_out");
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      parameters_[{is_input, binding.name}] = names_.fresh(name);
    }
  if (in_parts_)
    write_parts();
  else
    write_run();
  const std::string run = std::exchange(out_, {});
  line("\nnamespace {{\n\nstd::string error_text;\n{}\n{}\n}}  // namespace", before_run(), run);
  write_entry();
  write_main();
  return with_head(std::exchange(out_, {}));
}

StatementList list_of_program(const StatementList& list) {
  const bool is_plain = std::ranges::all_of(list.statements, [](const Statement& s) {
    return s.kind != Statement::Kind::Fused || (s.fused->is_plain() && !s.fused->draws());
  });
  return allocate_before_loops(is_plain ? list : unfused(list));
}

std::string print_cpp_program(const StatementList& list, const Program* program,
                              const PrintOptions& options) {
  return CppProgram(list_of_program(list), program, options).print();
}

}  // namespace rewriter
