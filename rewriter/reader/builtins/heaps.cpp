// The functions of the module heapq, on lists that are known when the program is read. Their order
// is that of Python's module, as programs see it.
#include <algorithm>

#include "rewriter/reader/table/keys.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

using Heap = std::vector<Value>;

/// Moves the item towards the root, up to `start`, past those that are larger.
void sift_down(const Call& call, Heap& heap, std::size_t start, std::size_t at) {
  const Value item = heap[at];
  while (at > start) {
    const std::size_t parent = (at - 1) / 2;
    if (!is_known_less(call, item, heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = item;
}

/// Moves the smaller children up to a leaf, and the item there, and then down again.
void sift_up(const Call& call, Heap& heap, std::size_t at) {
  const std::size_t start = at;
  const Value item = heap[at];
  for (std::size_t child = 2 * at + 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && !is_known_less(call, heap[child], heap[child + 1])) ++child;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
  sift_down(call, heap, start, at);
}

void check_holds(const Call& call, const Heap& heap) {
  if (heap.empty())
    throw PythonError("IndexError", call.name, "index out of range: the heap is empty",
                      {{std::string("index out of range")}});
}

/// Of heapreplace, and of heappushpop where the first is smaller: the first, for which the item is
/// there.
Value replaced(const Call& call, Heap& heap, const Value& item) {
  check_holds(call, heap);
  Value first = heap[0];
  heap[0] = item;
  sift_up(call, heap, 0);
  return first;
}

Value popped(const Call& call, Heap& heap, const Value&) {
  check_holds(call, heap);
  Value last = heap.back();
  heap.pop_back();
  return heap.empty() ? last : replaced(call, heap, last);
}

/// The result of `work` on the heap, which changes it, with the item that the call gives, if any.
template <class Work>
Value changed(const Call& call, const Work& work) {
  const auto bound = call.bind();
  const auto* list = bound[0]->as<Sequence>();
  if (list == nullptr || !list->list || list->is_set)
    misuse(call.name, "takes a list whose length is known when the program is read; got {}",
           bound[0]->description());
  const std::vector<Value> given = call.values();
  const Value item = given.size() > 1 ? given[1] : Value{};
  Value result;
  call.reader().change(given[0],
                       [&](auto&, std::vector<Value>& heap) { result = work(call, heap, item); },
                       {&item, given.size() - 1});
  return result;
}

Value heappush(const Call& call, Heap& heap, const Value& item) {
  heap.push_back(item);
  sift_down(call, heap, 0, heap.size() - 1);
  return {};
}

Value heappushpop(const Call& call, Heap& heap, const Value& item) {
  return !heap.empty() && is_known_less(call, heap[0], item) ? replaced(call, heap, item) : item;
}

Value heapify(const Call& call, Heap& heap, const Value&) {
  for (std::size_t at = heap.size() / 2; at-- > 0;) sift_up(call, heap, at);
  return {};
}

Handler changing(Value (*work)(const Call&, Heap&, const Value&)) {
  return [work](const Call& call) { return changed(call, work); };
}

/// The first of them in order; from the largest on where `down`.
Value first_in_order(const Call& call, bool down) {
  const auto bound = call.bind();
  Call sorted{"sorted", {*bound[1]}, {{"reverse", {down}}}, call.steps, nullptr, call.caller};
  if (bound[2] != nullptr) sorted.keywords.emplace_back("key", *bound[2]);
  std::vector<Value> items = elements_of(call_function(sorted));
  const Index count = std::clamp<Index>(bound[0]->integer("n"), 0, std::ssize(items));
  items.resize(static_cast<std::size_t>(count));
  return new_sequence(true, std::move(items));
}

/// In order, if each of the iterables is.
Value merged_in_order(const Call& call) {
  std::vector<Value> all;
  for (const Value& each : call.arguments)
    for (Value& item : elements_of(each)) all.push_back(std::move(item));
  Call sorted{"sorted",   {new_sequence(true, std::move(all))}, call.keywords, call.steps, nullptr,
              call.caller};
  return gone_through(elements_of(call_function(sorted)));
}

}  // namespace

void enter_heaps(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"heapq.heappush", "heap, item", changing(heappush), kOfFunctions},
         {"heapq.heappop", "heap", changing(popped), kOfFunctions},
         {"heapq.heapify", "heap", changing(heapify), kOfFunctions},
         {"heapq.heapreplace", "heap, item", changing(replaced), kOfFunctions},
         {"heapq.heappushpop", "heap, item", changing(heappushpop), kOfFunctions},
         {"heapq.merge", "*iterables, key=None, reverse=False", merged_in_order, kOfFunctions},
         {"heapq.nsmallest", "n, iterable, key=None", with(first_in_order, false), kOfFunctions},
         {"heapq.nlargest", "n, iterable, key=None", with(first_in_order, true), kOfFunctions}});
}

}  // namespace rewriter
