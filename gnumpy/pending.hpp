// Values that garrays hold and that are still to be computed: writing to memory, or lack of it,
// makes them computed. Internal to gnumpy.
#pragma once

#include "gnumpy/node.hpp"

namespace gnumpy::detail {

/// Whether computing the node reads the memory.
bool reads(const Node& node, const StoragePtr& storage);

/// Whether it reads memory that another library may write to.
bool reads_shared(const Node& node);

/// For what a garray is to hold: a pending value enters the list, or is computed if it must not
/// wait.
void hold(const NodePtr& node);

/// Computes pending values that read the memory, before it is written at `where`, which is also
/// where copies of it are made then.
void materialize_readers(const StoragePtr& storage, const std::source_location& where);

/// While it lives, this thread, a holder of a Lock, is computing: nothing else is materialized to
/// make room.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

/// Computes pending values for whose sake alone much larger memory is kept, if garrays hold more
/// memory than when it last was.
void materialize_small_results();
/// Computes all pending values that it can; whether there was one.
bool materialize_pending();

/// f(), which allocates before it does anything else. Where an allocation fails, it is called again
/// once nothing is pending.
template <class F>
auto with_room(const F& f) {
  materialize_small_results();
  while (true) {
    try {
      return f();
    } catch (const Refused&) {
      if (!materialize_pending()) throw;
    }
  }
}

}  // namespace gnumpy::detail
