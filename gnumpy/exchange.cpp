#include "gnumpy/exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gnumpy/errors.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/pending.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

namespace exchange = cudamat::exchange;
using cudamat::Owner;
using cudamat::Strided;
using detail::Node;
using detail::NodePtr;

namespace {

/// Marks storage as shared while another library has it.
class Shared {
 public:
  explicit Shared(detail::StoragePtr storage) : storage_(std::move(storage)) { storage_->share(); }
  ~Shared() { storage_->unshare(); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

 private:
  detail::StoragePtr storage_;
};

/// Elements of a leaf: the first one, and how they lie.
struct Layout {
  NodePtr leaf;
  Index offset = 0;
  std::vector<Index> dims, strides;
};

/// The same elements with other dims, which differ by axes of extent 1 alone.
bool reshape(Layout& layout, const Dims& dims) {
  std::vector<Index> strides;
  std::size_t axis = 0;
  const auto skip = [&] {
    while (axis < layout.dims.size() && layout.dims[axis] == 1) ++axis;
  };
  for (const Index extent : dims) {
    if (extent == 1) {
      strides.push_back(1);
      continue;
    }
    skip();
    if (axis == layout.dims.size() || layout.dims[axis] != extent) return false;
    strides.push_back(layout.strides[axis++]);
  }
  skip();
  if (axis != layout.dims.size()) return false;
  layout.dims = dims;
  layout.strides = std::move(strides);
  return true;
}

/// Where a leaf's or a part's elements lie; nothing where no strides say it.
std::optional<Layout> layout_of(const NodePtr& node) {
  if (node->is_leaf())
    return Layout{node, node->offset, node->dims, exchange::c_strides(node->dims)};
  if (node->kind != Node::Kind::Part) return {};
  std::optional<Layout> layout = layout_of(node->args[0]);
  const detail::Selection& selection = *node->selection;
  if (!layout || !reshape(*layout, selection.from)) return {};
  for (const detail::Selection::Step& step : selection.steps) {
    if (step.by_number) return {};
    layout->offset += step.start * layout->strides[step.axis];
    layout->dims[step.axis] = step.count;
    layout->strides[step.axis] *= step.stride;
  }
  if (!reshape(*layout, selection.dims)) return {};
  return layout;
}

/// What goes out, and what keeps it.
struct Outgoing {
  Strided elements;
  detail::StoragePtr storage;
  bool is_copy = false;
};

Outgoing outgoing(const std::string& op, const Exported& array, copyif copy) {
  const detail::Engine& on = detail::engine();
  if (!on.element_type())
    detail::misuse(op, array.where,
                   "long double has no type there; convert the elements to float64 first");
  std::optional<Layout> layout = layout_of(array.node);
  const bool is_copy =
      copy == copyif::always || !layout || (copy == copyif::yes && array.read_only);
  if (!layout && copy == copyif::no)
    detail::misuse(op, array.where,
                   "elements selected by a mask or an index list, and a slice in another shape, "
                   "are copies; copyif::yes makes one");
  if (is_copy) layout = layout_of(detail::copy_of(array.node));
  Outgoing result{.elements = {.type = *on.element_type(),
                               .dims = std::move(layout->dims),
                               .strides = std::move(layout->strides),
                               .read_only = array.read_only && !is_copy},
                  .storage = layout->leaf->storage,
                  .is_copy = is_copy};
  if (array.node->size > 0)
    result.elements.data =
        static_cast<char*>(result.storage->data()) + layout->offset * on.bytes_per_element();
  result.elements.device = on.sharing().device(result.elements.data);
  if (!result.elements.read_only) {  // what reads it must not see what the other one writes
    detail::materialize_readers(result.storage, array.where);
    result.storage->content = detail::Content::Numbers;
  }
  return result;
}

Owner shared(const Outgoing& array) {
  if (array.elements.read_only) return array.storage;
  return std::make_shared<Shared>(array.storage);
}

template <class Managed>
std::unique_ptr<Managed, cudamat::DeleteTensor> lend(const Exported& array, copyif copy,
                                                     std::optional<StreamNumber> consumer) {
  exchange::check_stream("to_dlpack", consumer);
  const detail::Lock lock;
  Outgoing out = outgoing("to_dlpack", array, copy);
  return exchange::lend<Managed>(
      out.elements, detail::engine().sharing().lend(shared(out), consumer), out.is_copy);
}

/// A leaf with a copy of the elements, in C order.
NodePtr copied(const Strided& from, Where where) {
  std::vector<int> order(from.dims.size());  // of the axes, by their strides
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::abs(from.strides[static_cast<std::size_t>(a)]) >
           std::abs(from.strides[static_cast<std::size_t>(b)]);
  });
  Strided sorted = from;
  std::vector<int> back(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto axis = static_cast<std::size_t>(order[k]);
    sorted.dims[k] = from.dims[axis];
    sorted.strides[k] = from.strides[axis];
    back[axis] = static_cast<int>(k);
  }
  NodePtr leaf = detail::make_empty(sorted.dims, where);
  if (leaf->size > 0) detail::engine().sharing().copy(sorted, leaf->storage->data());
  if (std::is_sorted(order.begin(), order.end())) return leaf;
  return garray(leaf).transpose(back, where).materialize().node();
}

/// A garray over the elements, or over a copy of them. `owner` gives what keeps them.
template <class Owning>
garray taken(const char* op, const Strided& elements, copyif copy, const Owning& owner,
             Where where) {
  const detail::Engine& on = detail::engine();
  exchange::check_type(op, elements, on.element_type(), on.name());
  (void)detail::element_count(elements.dims, where);
  const std::string layout =
      exchange::is_c_order(elements)
          ? ""
          : fmt::format("its strides are {} (a garray is in C order, without gaps)",
                        exchange::text(elements.strides));
  const detail::Lock lock;
  if (exchange::must_copy(op, elements, on.sharing(), layout, copy))
    return garray(copied(elements, where));
  auto storage = std::make_shared<detail::Storage>(elements.data, elements.size(),
                                                   on.sharing().until_done(owner()), where);
  return garray(detail::make_leaf(std::move(storage), 0, elements.dims, where));
}

template <class Managed>
garray take(Managed* tensor, copyif copy, Where where) {
  auto owner = std::make_shared<exchange::Taken<Managed>>();
  garray result = taken(
      "from_dlpack", exchange::describe("from_dlpack", *tensor), copy, [&] { return owner; },
      where);
  owner->tensor = tensor;  // nothing can fail any more
  return result;
}

}  // namespace

Exported::Exported(garray& array, Where at) : node(array.materialize().node()), where(at) {}
Exported::Exported(garray&& array, Where at) : node(array.materialize().node()), where(at) {}
Exported::Exported(const garray& array, Where at)
    : node(array.materialize().node()), read_only(true), where(at) {}
Exported::Exported(const garray_view& view, Where at) : node(view.node()), where(at) {}

dlpack::Device dlpack_device() {
  return detail::engine().sharing().device(nullptr);
}

std::optional<StreamNumber> stream_for_garrays() {
  return detail::engine().sharing().stream();
}

TensorPtr to_dlpack(const Exported& array, copyif copy, std::optional<StreamNumber> consumer) {
  return lend<dlpack::ManagedTensorVersioned>(array, copy, consumer);
}
UnversionedTensorPtr to_dlpack_unversioned(const Exported& array, copyif copy,
                                           std::optional<StreamNumber> consumer) {
  return lend<dlpack::ManagedTensor>(array, copy, consumer);
}

CudaArrayInterface cuda_array_interface(const Exported& array) {
  const detail::Lock lock;
  const Outgoing out = outgoing("cuda_array_interface", array, copyif::no);
  return exchange::interface_of(out.elements, detail::engine().sharing(), shared(out));
}

garray from_dlpack(dlpack::ManagedTensorVersioned* tensor, copyif copy, Where where) {
  return take(tensor, copy, where);
}
garray from_dlpack(dlpack::ManagedTensor* tensor, copyif copy, Where where) {
  return take(tensor, copy, where);
}

garray from_cuda_array_interface(const CudaArrayInterface& array, copyif copy, Where where) {
  return taken(
      "from_cuda_array_interface",
      exchange::arriving(array, detail::engine().sharing(), detail::engine().name()), copy,
      [&] { return array.owner; }, where);
}

}  // namespace gnumpy
