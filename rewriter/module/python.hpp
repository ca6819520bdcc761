// The Python that reads its own programs: rewriter/_outside.py, as the reader asks it.
#pragma once

#include <nanobind/nanobind.h>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/reader/reader.hpp"

namespace rewriter::module {

namespace nb = nanobind;

/// Asks an object of _outside.Outside. Needs the interpreter's lock.
class AskedPython final : public Python {
 public:
  explicit AskedPython(nb::object outside) : outside_(std::move(outside)) {}
  PythonValue ask(const std::string& what, const std::vector<PythonValue>& arguments,
                  const std::vector<std::pair<std::string, PythonValue>>& keywords) override;

 private:
  [[nodiscard]] nb::object object_of(const PythonValue& value) const;
  [[nodiscard]] PythonValue value_of(nb::handle object) const;

  nb::object outside_;
};

}  // namespace rewriter::module
