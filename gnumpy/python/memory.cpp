// What arrays hold, what expressions become, which numbers raise an error.
#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

nb::list allocators(std::int64_t minimum) {
  nb::list lines;
  for (const Allocator& line : gnumpy::memory_allocators(minimum))
    lines.append(nb::make_tuple(line.file, line.line, line.bytes, line.arrays));
  return lines;
}

nb::object acceptable() {
  const std::string what = gnumpy::acceptable_number_types();
  const bool bound = what.find_first_not_of("0123456789.e+-") == std::string::npos;
  return bound ? nb::object(nb::float_(std::stod(what))) : nb::object(nb::str(what.c_str()));
}

void set_acceptable(nb::handle what) {
  if (PyUnicode_Check(what.ptr()))
    gnumpy::acceptable_number_types(std::string_view(nb::cast<std::string>(what)));
  else
    gnumpy::acceptable_number_types(
        cudamat::python::number("acceptable_number_types", "a bound", what));
}

}  // namespace

void def_memory(nb::module_& m) {
  m.def(
      "memory_in_use",
      [](bool in_megabytes) -> nb::object {
        const std::int64_t bytes = gnumpy::memory_in_use();
        return in_megabytes ? nb::object(nb::float_(static_cast<double>(bytes) / (1 << 20)))
                            : nb::object(nb::int_(bytes));
      },
      "in_megabytes"_a = false,
      "The memory that garrays hold, in bytes or in units of 2^20 bytes.");
  m.def(
      "memory_available", [](bool free_first) { return gnumpy::memory_available(free_first); },
      "free_first"_a = false, "The number of bytes that could be allocated.");
  m.def(
      "peak_memory", [] { return gnumpy::peak_memory(); },
      "The maximum of memory_in_use() so far.");
  m.def(
      "reset_peak_memory", [] { gnumpy::reset_peak_memory(); },
      "Restarts the maximum of peak_memory().");
  m.def(
      "free_reuse_cache", [](bool) { return computing([] { return gnumpy::free_reuse_cache(); }); },
      "completely"_a = true, "Frees cached memory. Returns the number of bytes.");
  m.def("_memory_allocators", &allocators);
  m.def("_allocators_text",
        [](std::int64_t minimum) { return gnumpy::to_string(gnumpy::memory_allocators(minimum)); });
  m.def("_status", [] { return gnumpy::status(); });
  m.def("_max_memory_usage", [] { return gnumpy::max_memory_usage(); });
  m.def("_set_max_memory_usage", [](std::int64_t bytes) { gnumpy::max_memory_usage(bytes); });
  m.def("_acceptable_number_types", &acceptable);
  m.def("_set_acceptable_number_types", &set_acceptable);
  m.def("_expensive_check_probability", [] { return gnumpy::expensive_check_probability(); });
  m.def("_set_expensive_check_probability",
        [](double p) { gnumpy::expensive_check_probability(p); });
  m.def(
      "explain",
      [](nb::handle a) {
        const garray of = to_garray(a, here());
        return gnumpy::explain(of);
      },
      "a"_a, nb::sig("def explain(a: garray) -> str"),
      "The statements that would compute the array; empty if it is computed already.");
  m.def(
      "passes",
      [](nb::handle names) -> nb::object {
        if (!names.is_none()) gnumpy::passes(nb::cast<std::string>(names));
        return nb::str(gnumpy::passes().c_str());
      },
      "names"_a = nb::none(), nb::sig("def passes(names: str | None = None) -> str"),
      "Returns the rewriter's passes for expressions; sets them if names are given: "
      "'default,fuse', 'fast', 'none', ...");
  m.def(
      "work_done",
      [] {
        const Work work = gnumpy::work_done();
        nb::dict counts;
        counts["expressions"] = work.expressions;
        counts["statements"] = work.statements;
        counts["launches"] = work.launches;
        counts["allocations"] = work.allocations;
        return counts;
      },
      nb::sig("def work_done() -> dict[str, int]"),
      "The expressions, statements, kernel launches and allocations since the start.");
  m.def("_own_folder", [](const std::string& path) { own_folder(path); });
}

}  // namespace gnumpy::python
