// What was used most recently, by key: a bounded cache in memory, for several threads.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace cudamat::code {

/// A Value is made of the arguments of a key that is new, under the lock: what takes long is left
/// to its users. Who holds one keeps it, whether it is still here or not.
template <class Key, class Value>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}

  /// The value of `key`, which is a Key or equal to one, and of which a Key can be made. `hash` is
  /// the same for equal keys.
  template <class Lookup>
  std::shared_ptr<Value> at(std::size_t hash, const Lookup& key) {
    std::shared_ptr<Value> dropped;  // its destructor runs without the lock
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = places_.equal_range(hash);
    for (auto place = begin; place != end; ++place) {
      const auto entry = place->second;
      if (!(entry->key == key)) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entry->value;
    }
    if (entries_.size() == most_) dropped = drop_last();
    entries_.push_front({Key(key), hash, std::make_shared<Value>()});
    places_.emplace(hash, entries_.begin());
    return entries_.front().value;
  }

 private:
  struct Entry {
    Key key;
    std::size_t hash;
    std::shared_ptr<Value> value;
  };

  std::shared_ptr<Value> drop_last() {
    const auto last = std::prev(entries_.end());
    const auto [begin, end] = places_.equal_range(last->hash);
    for (auto place = begin; place != end; ++place)
      if (place->second == last) {
        places_.erase(place);
        break;
      }
    std::shared_ptr<Value> value = std::move(last->value);
    entries_.pop_back();
    return value;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the most recent one first
  std::unordered_multimap<std::size_t, typename std::list<Entry>::iterator> places_;
};

}  // namespace cudamat::code
