#include <algorithm>
#include <array>

#include "rewriter/emit/print.hpp"

namespace rewriter {

namespace {

struct Printed {
  const StatementList& list;
  const Program* program;
  const PrintOptions& options;
};

struct Form {
  std::string_view name;
  std::string (*print)(const Printed&);
};

template <ArrayLibrary library>
std::string module_for(const Printed& what) {
  return print_array_module(what.list, library, what.program, what.options);
}

constexpr std::array kAllForms{
    Form{"statements",
         [](const Printed& what) { return print_statements(what.list, what.options); }},
    Form{"numpy", module_for<ArrayLibrary::Numpy>},
    Form{"cupy", module_for<ArrayLibrary::Cupy>},
    Form{"torch", module_for<ArrayLibrary::Torch>},
    Form{"cpp",
         [](const Printed& what) {
           return print_cpp_program(what.list, what.program, what.options);
         }},
    Form{"cuda",
         [](const Printed& what) {
           return print_cuda_program(what.list, what.program, what.options);
         }},
    Form{"cudamat-py", [](const Printed& what) { return print_cudamat_py(what.list); }},
    Form{"cudamat-cpp", [](const Printed& what) { return print_cudamat_cpp(what.list); }},
    Form{"tree",
         [](const Printed& what) {
           return what.program == nullptr ? print_tree(what.list)
                                          : print_tree(*what.program, what.options);
         }},
    Form{"dot",
         [](const Printed& what) {
           return what.program == nullptr ? print_dot(what.list) : print_dot(*what.program);
         }},
    Form{"json", [](const Printed& what) { return print_json(what.list, what.options); }},
};

}  // namespace

std::vector<std::string> print_forms() {
  std::vector<std::string> names;
  for (const Form& form : kAllForms) names.emplace_back(form.name);
  return names;
}

std::string print_form(std::string_view form, const StatementList& list, const Program* program,
                       const PrintOptions& options) {
  const auto* const found = std::ranges::find(kAllForms, form, &Form::name);
  if (found == kAllForms.end())
    cudamat::misuse("emit", "there is no form '{}'; the forms are {}", form,
                    fmt::join(print_forms(), ", "));
  return found->print({list, program, options});
}

}  // namespace rewriter
