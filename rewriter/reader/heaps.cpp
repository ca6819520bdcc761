// The functions of the module heapq, on lists that are known when the program is read. Their order
// is that of Python's module, as programs see it.
#include <algorithm>

#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

bool is_less(const Value& a, const Value& b) {
  const auto truth = truth_of(known_less(a, b));
  if (!truth) misuse("heapq", "compares what is known when the program is read");
  return *truth;
}

/// Moves the item towards the root, up to `start`, past those that are larger.
void sift_down(std::vector<Value>& heap, std::size_t start, std::size_t at) {
  const Value item = heap[at];
  while (at > start) {
    const std::size_t parent = (at - 1) / 2;
    if (!is_less(item, heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = item;
}

/// Moves the smaller children up to a leaf, and the item there, and then down again.
void sift_up(std::vector<Value>& heap, std::size_t at) {
  const std::size_t start = at;
  const Value item = heap[at];
  for (std::size_t child = 2 * at + 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && !is_less(heap[child], heap[child + 1])) ++child;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
  sift_down(heap, start, at);
}

/// Of heapreplace, and of heappushpop where the first is smaller: the first, for which the item is
/// there.
Value replaced(std::vector<Value>& heap, const Value& item) {
  if (heap.empty()) misuse("heapq", "index out of range: the heap is empty");
  Value first = heap[0];
  heap[0] = item;
  sift_up(heap, 0);
  return first;
}

Value popped(std::vector<Value>& heap) {
  if (heap.empty()) misuse("heapq.heappop", "index out of range: the heap is empty");
  Value last = heap.back();
  heap.pop_back();
  return heap.empty() ? last : replaced(heap, last);
}

constexpr std::string_view kOfHeaps =
    "heapq.heappush heapq.heappop heapq.heapify heapq.heapreplace heapq.heappushpop";
constexpr std::string_view kOfAny = "heapq.nsmallest heapq.nlargest";

}  // namespace

std::optional<Value> Interpreter::heap_call(const Call& call) {
  const std::string& name = call.name;
  if (has_word(kOfAny, name)) {
    const auto bound = call.bind({"n", "iterable", "key"}, 2);
    Call sorted{"sorted", {*bound[1]}, {}, call.steps};
    if (bound[2] != nullptr) sorted.keywords.emplace_back("key", *bound[2]);
    if (name == "heapq.nlargest") sorted.keywords.emplace_back("reverse", Value{true});
    const Value all = *call_with_functions(sorted);
    std::vector<Value> items = elements_of(all);
    const Index count = std::clamp<Index>(bound[0]->integer("n"), 0, std::ssize(items));
    items.resize(static_cast<std::size_t>(count));
    return new_sequence(true, std::move(items));
  }
  if (!has_word(kOfHeaps, name)) return std::nullopt;
  const bool takes_item = name != "heapq.heappop" && name != "heapq.heapify";
  const auto bound = takes_item ? call.bind({"heap", "item"}, 2) : call.bind({"heap"}, 1);
  const auto* list = bound[0]->as<Sequence>();
  if (list == nullptr || !list->list)
    misuse(name, "takes a list that is known when the program is read; got {}",
           bound[0]->description());
  const Value item = takes_item ? *bound[1] : Value{};
  Value result;
  const auto work = [&](auto&, std::vector<Value>& heap) {
    if (name == "heapq.heappop") {
      result = popped(heap);
    } else if (name == "heapq.heapreplace") {
      result = replaced(heap, item);
    } else if (name == "heapq.heappushpop") {
      result = !heap.empty() && is_less(heap[0], item) ? replaced(heap, item) : item;
    } else if (name == "heapq.heappush") {
      heap.push_back(item);
      sift_down(heap, 0, heap.size() - 1);
    } else {
      for (std::size_t at = heap.size() / 2; at-- > 0;) sift_up(heap, at);
    }
  };
  if (takes_item)
    change(*bound[0], work, item);
  else
    change(*bound[0], work);
  return result;
}

void enter_heaps(Handlers& table) {
  for (const std::string_view names : {kOfHeaps, kOfAny})
    enter(table, names,
          [](const Call& call) -> Value { misuse(call.name, "is called by its name only"); });
}

}  // namespace rewriter
