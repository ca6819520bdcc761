#include "rewriter/emit/python_text.hpp"

namespace rewriter::print {

std::string documented(std::string_view text) {
  const std::string safe = in_quotes(text);
  return safe.substr(1, safe.size() - 2);
}

std::string python_print(const Statement& statement, const ListNames& names,
                         const std::function<std::string(const PrintFormat::Number&)>& element,
                         const std::function<std::string(const PrintFormat::Number&)>& array) {
  const PrintFormat print = print_format(statement, names, false);
  std::string numbers;
  for (const PrintFormat::Number& number : print.numbers) {
    std::string text = number.integer;
    if (number.element != kNoVar) text = element(number);
    if (number.array) {
      const char* const type = number.dtype == DType::Float  ? ""
                               : number.dtype == DType::Bool ? ".astype(bool)"
                                                             : ".astype(int)";
      numbers += fmt::format("{}{}({}{}.reshape({}){})", numbers.empty() ? "" : ", ",
                             number.array->is_repr ? "repr" : "str", array(number),
                             number.array->dims.size() > 2 ? ".T" : "",
                             dims_text(number.array->dims), type);
      continue;
    }
    if (number.cut || number.dtype == DType::Int) text = "int(" + text + ")";
    if (number.dtype == DType::Bool) text = "bool(" + text + ")";
    numbers += (numbers.empty() ? "" : ", ") + text;
  }
  if (!print.exception.empty())
    return fmt::format("raise {}({}.format({}))", print.exception, print.format, numbers);
  return fmt::format("print({}.format({}){})", print.format, numbers,
                     print.ends_line ? "" : ", end=\"\"");
}

}  // namespace rewriter::print
