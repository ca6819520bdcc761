#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "rewriter/emit/print.hpp"
#include "rewriter/expr/custom.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/listing/diff.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

namespace {

using nlohmann::ordered_json;

ordered_json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

ordered_json shape_json(cudamat::Shape shape) {
  return {shape.rows, shape.cols};
}

std::string text_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

const char* kind_name(Statement::Kind kind) {
  switch (kind) {
    case Statement::Kind::Empty:
      return "empty";
    case Statement::Kind::Constant:
      return "constant";
    case Statement::Kind::Slice:
      return "slice";
    case Statement::Kind::Reshape:
      return "reshape";
    case Statement::Kind::Call:
      return "call";
    case Statement::Kind::Seed:
      return "seed";
    case Statement::Kind::Free:
      return "free";
    case Statement::Kind::Loop:
      return "loop";
    case Statement::Kind::End:
      return "end";
    case Statement::Kind::Print:
      return "print";
    case Statement::Kind::Fused:
      return "fused";
    case Statement::Kind::Custom:
      return "custom";
  }
  throw cudamat::InternalError("unknown statement kind");
}

class JsonPrinter {
 public:
  JsonPrinter(const StatementList& list, const PrintOptions& options)
      : list_(list),
        bytes_(options.bytes_per_element),
        names_(list),
        memory_(memory_use(list, options.bytes_per_element)) {}

  std::string print();

 private:
  const Variable& variable(Var var) const { return list_.variables[var]; }
  void field(std::string_view name, const ordered_json& value) {
    out_ += fmt::format("  \"{}\": {},\n", name, text_of(value));
  }
  template <class Container, class Make>
  void section(std::string_view name, const Container& container, Make make) {
    out_ += fmt::format("  \"{}\": [", name);
    bool first = true;
    for (const auto& element : container) {
      out_ += first ? "\n    " : ",\n    ";
      first = false;
      out_ += text_of(make(element));
    }
    out_ += first ? "],\n" : "\n  ],\n";
  }
  ordered_json binding(const Binding& binding) const;
  ordered_json statement(const Statement& statement, Index total) const;
  ordered_json data(const Statement& statement) const;
  ordered_json terms(const ListTerms& terms) const;
  ordered_json integer(const ListInteger& integer) const;
  ordered_json parts(const Statement& statement) const;
  void write_source_lines();

  const StatementList& list_;
  int bytes_;
  print::ListNames names_;
  MemoryUse memory_;
  std::string out_;
};

ordered_json JsonPrinter::binding(const Binding& binding) const {
  ordered_json result = {{"name", binding.name},
                         {"variable", names_[binding.var]},
                         {"dims", binding.dims},
                         {"bytes", variable(binding.var).shape.size() * bytes_}};
  if (binding.transposed) result["transposed"] = true;
  return result;
}

ordered_json JsonPrinter::data(const Statement& statement) const {
  const cudamat::Shape shape = variable(statement.target).shape;
  ordered_json rows = ordered_json::array();
  for (Index i = 0; i < shape.rows; ++i) {
    ordered_json row = ordered_json::array();
    for (Index j = 0; j < shape.cols; ++j)
      row.push_back(number_json(print::constant_at(statement, shape, i, j)));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json JsonPrinter::statement(const Statement& s, Index total) const {
  ordered_json operands = ordered_json::array();
  for (const Statement::Operand& operand : s.operands)
    operands.push_back({{"variable", names_[operand.var]}, {"transposed", operand.transposed}});
  ordered_json numbers = ordered_json::array();
  for (const Number& number : s.numbers) numbers.push_back(number_json(number.value()));
  const bool has_target = s.target != kNoVar;
  const bool is_call = s.kind == Statement::Kind::Call;
  ordered_json json = {
      {"kind", kind_name(s.kind)},
      {"op", is_call                             ? ordered_json(cudamat::name(s.op))
             : s.kind == Statement::Kind::Custom ? ordered_json(s.custom->name)
                                                 : ordered_json()},
      {"target", has_target ? ordered_json(names_[s.target]) : ordered_json()},
      {"operands", std::move(operands)},
      {"numbers", std::move(numbers)},
      {"integers", s.integers},
      {"shape", has_target ? shape_json(variable(s.target).shape) : ordered_json()},
      {"bytes", bytes_added(list_, s, bytes_)},
      {"total", total},
      {"launches", launches(s)},
      {"line", list_.source ? list_.source->line_in_file(s.where.line) : s.where.line},
      {"column", s.where.column},
      {"text", print::statement_text(list_, s, names_)}};
  if (list_.source && s.where.line > 0 &&
      list_.source->name_of(s.where.line) != list_.source->name())
    json["file"] = list_.source->name_of(s.where.line);
  if (list_.source && s.where.line > 0)
    if (const auto function = list_.source->function_at(s.where.line); !function.empty())
      json["function"] = function;
  if (s.kind == Statement::Kind::Constant && s.data) json["data"] = data(s);
  if (!s.terms.empty()) json["terms"] = terms(s.terms);
  if (!s.stretch.empty()) json["stretch"] = terms(s.stretch);
  if (s.kind == Statement::Kind::Loop || s.kind == Statement::Kind::End) {
    const ListLoop& loop = list_.loops[s.loop];
    constexpr std::array kForms{"for", "for while", "while", "if"};
    json["loop"] = {{"form", kForms[static_cast<std::size_t>(loop.form)]}};
    if (loop.has_variable())
      json["loop"].update({{"variable", names_.loop(s.loop)},
                           {"start", loop.start},
                           {"stop", loop.stop},
                           {"step", loop.step}});
    if (!loop.start_terms.empty()) json["loop"]["start_terms"] = terms(loop.start_terms);
    if (!loop.stop_terms.empty()) json["loop"]["stop_terms"] = terms(loop.stop_terms);
  }
  if (s.kind == Statement::Kind::Print) json["parts"] = parts(s);
  if (s.kind == Statement::Kind::Fused || s.kind == Statement::Kind::Custom) {
    json["targets"] = ordered_json::array();
    for (const Var target : s.targets)
      json["targets"].push_back(
          {{"variable", names_[target]}, {"shape", shape_json(variable(target).shape)}});
  }
  if (s.kind == Statement::Kind::Fused) json["body"] = print::fused_text(s, names_);
  if (s.kind == Statement::Kind::Custom && !s.rows.empty())
    for (std::size_t i = 0; i < s.operands.size(); ++i)
      if (const Statement::Rows* const rows = rows_of(s, i))
        json["operands"][i]["rows"] = {integer(rows->first), integer(rows->last)};
  return json;
}

ordered_json JsonPrinter::integer(const ListInteger& integer) const {
  return {{"constant", integer.constant}, {"terms", terms(integer.terms)}};
}

ordered_json JsonPrinter::terms(const ListTerms& terms) const {
  ordered_json json = ordered_json::array();
  for (const auto& [loop, factor] : terms)
    json.push_back({{"loop", names_.loop(loop)}, {"factor", factor}});
  return json;
}

ordered_json JsonPrinter::parts(const Statement& s) const {
  ordered_json json = ordered_json::array();
  for (const Statement::Part& part : s.parts) {
    if (part.kind == TextPart::Kind::Exception)
      json.push_back({{"raises", part.text}});
    else if (part.kind == TextPart::Kind::Text)
      json.push_back({{"text", part.text}});
    else if (part.kind == TextPart::Kind::Integer)
      json.push_back(
          {{"integer", part.constant}, {"terms", terms(part.terms)}, {"format", part.text}});
    else
      json.push_back({{"operand", part.operand},
                      {"type", part.dtype == DType::Bool    ? "bool"
                               : part.dtype == DType::Float ? "float"
                                                            : "int"},
                      {"format", part.text}});
  }
  return json;
}

void JsonPrinter::write_source_lines() {
  std::map<int, std::string> lines;
  for (const Statement& s : list_.statements)
    if (list_.source && s.where.line > 0 && !lines.contains(s.where.line))
      lines.emplace(s.where.line, print::source_line(list_, s.where.line));
  ordered_json json = ordered_json::object();
  for (const auto& [line, text] : lines) {
    const bool is_other = list_.source->name_of(line) != list_.source->name();
    json[is_other ? list_.source->named_line(line) : fmt::format("{}", line)] = text;
  }
  field("source_lines", json);
}

std::string JsonPrinter::print() {
  out_ = "{\n";
  field("format", "cudamat-statements");
  field("version", 1);
  field("source", list_.source ? ordered_json(list_.source->name()) : ordered_json());
  field("bytes_per_element", bytes_);
  section("inputs", list_.inputs, [this](const Binding& b) { return binding(b); });
  section("variables", list_.variables, [&, next = Var(0)](const Variable& v) mutable {
    ordered_json json{
        {"name", names_[next++]},
        {"shape", shape_json(v.shape)},
        {"view_of", v.view_of == kNoVar ? ordered_json() : ordered_json(names_[v.view_of])}};
    if (v.varying) json["varying"] = {integer(v.varying->rows), integer(v.varying->cols)};
    return json;
  });
  section("statements", list_.statements, [&, next = std::size_t(0)](const Statement& s) mutable {
    return statement(s, memory_.after[next++]);
  });
  section("outputs", list_.outputs, [this](const Binding& b) { return binding(b); });
  write_source_lines();
  const bool inputs_alone = memory_.peak_statement < 0;
  out_ += "  \"peak\": ";
  out_ += text_of(
      {{"bytes", memory_.peak},
       {"statement", inputs_alone ? ordered_json() : ordered_json(memory_.peak_statement)}});
  return out_ + "\n}\n";
}

}  // namespace

std::string print_json(const StatementList& list, const PrintOptions& options) {
  return JsonPrinter(list, options).print();
}

}  // namespace rewriter
