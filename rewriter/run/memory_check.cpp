#include "rewriter/run/memory_check.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "cudamat/error.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr const char* kRun = "PreparedList::run";

std::vector<std::size_t> bytes_of(const std::vector<Binding>& bindings, int element_bytes) {
  std::vector<std::size_t> bytes;
  for (const Binding& binding : bindings)
    bytes.push_back(static_cast<std::size_t>(npmat::element_count(binding.dims) * element_bytes));
  return bytes;
}

void check_count(std::string_view what, const std::vector<Binding>& bindings, std::size_t given) {
  if (given == bindings.size()) return;
  std::string names;
  for (const Binding& binding : bindings)
    names += (names.empty() ? "" : ", ") + binding.name + " " + to_string(binding.dims);
  misuse(kRun, "there must be memory for each of the list's {} {}s{}; got {}", bindings.size(),
         what, names.empty() ? "" : ", " + names, given);
}

}  // namespace

MemoryCheck::MemoryCheck(const StatementList& list, const std::vector<bool>& overwritten,
                         int element_bytes)
    : list_(list),
      overwritten_(overwritten),
      input_bytes_(bytes_of(list.inputs, element_bytes)),
      output_bytes_(bytes_of(list.outputs, element_bytes)) {
  if (!overwritten.empty() && overwritten.size() != list.inputs.size())
    misuse("PreparedList",
           "`overwritten` must be empty or have an element for each of {} inputs; "
           "got {}",
           list.inputs.size(), overwritten.size());
  overwritten_.resize(list.inputs.size());
}

void MemoryCheck::check_counts(std::size_t inputs, std::size_t outputs) const {
  check_count("input", list_.inputs, inputs);
  check_count("output", list_.outputs, outputs);
}

void MemoryCheck::add_input(std::size_t i, const void* data) {
  if (data == nullptr && input_bytes_[i] > 0)
    misuse(kRun, "the input {} must have memory for {} bytes, its elements {}; got null",
           list_.inputs[i].name, input_bytes_[i], to_string(list_.inputs[i].dims));
  if (!overwritten_[i]) add(data, input_bytes_[i], i, false);
}

void MemoryCheck::add(const void* data, std::size_t bytes, std::size_t index, bool is_output) {
  if (data == nullptr || bytes == 0) return;
  const auto* const begin = static_cast<const char*>(data);
  used_.push_back({begin, begin + bytes, index, is_output});
}

/// Sorted by their beginning: what overlaps begins before one that began earlier has ended.
void MemoryCheck::check_overlaps() {
  const auto by_begin = [](const Used& a, const Used& b) { return a.begin < b.begin; };
  std::sort(used_.begin(), used_.end(), by_begin);
  const Used* input = nullptr;  // of those so far the one that ends last
  const Used* output = nullptr;
  for (const Used& next : used_) {
    if (output != nullptr && next.begin < output->end) refuse(*output, next);
    if (next.is_output && input != nullptr && next.begin < input->end) refuse(next, *input);
    const Used*& last = next.is_output ? output : input;
    if (last == nullptr || next.end > last->end) last = &next;
  }
}

void MemoryCheck::refuse(const Used& one, const Used& other) const {
  const std::string& name = list_.outputs[one.index].name;
  if (other.is_output)
    misuse(kRun, "the outputs {} and {} overlap; each must have memory of its own", name,
           list_.outputs[other.index].name);
  misuse(kRun,
         "the output {} overlaps the input {}, which is read while outputs are written; give it "
         "memory of its own, or make the list ready with `overwritten` for {}",
         name, list_.inputs[other.index].name, list_.inputs[other.index].name);
}

}  // namespace rewriter
