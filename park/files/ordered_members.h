#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/ordered_map.hpp>
#include <utility>

namespace park::files {

/// The members of a JSON object in the order of the text, found by key in logarithmic time. It is
/// the object of files::Json. nlohmann::ordered_map compares a key with all others at each access.
/// An object of n members would then take n * n comparisons to read. Few members are still compared
/// one by one, because that is the fastest; more have an index beside them.
template <class Key, class T, class IgnoredLess = std::less<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>>
class OrderedMembers : public nlohmann::ordered_map<Key, T, IgnoredLess, Allocator> {
  using Base = nlohmann::ordered_map<Key, T, IgnoredLess, Allocator>;

 public:
  using iterator = typename Base::iterator;
  using const_iterator = typename Base::const_iterator;
  using size_type = typename Base::size_type;
  using value_type = typename Base::value_type;
  using key_compare = std::less<Key>;  ///< nlohmann::basic_json then looks up a Key only

  /// Members beyond this number have an index.
  static constexpr size_type kScanned = 16;

  OrderedMembers() = default;
  template <class It>
  OrderedMembers(It first, It last) {
    insert(first, last);
  }

  /// The member of the key, which is added where there is none; true where it was.
  std::pair<iterator, bool> emplace(const Key& key, T&& value) {
    const size_type at = place(key);
    if (at < this->size()) return {this->begin() + offset(at), false};
    this->emplace_back(key, std::move(value));
    extend_index();
    return {std::prev(this->end()), true};
  }
  std::pair<iterator, bool> insert(const value_type& value) {
    return emplace(value.first, T(value.second));
  }
  template <class It>
  void insert(It first, It last) {
    for (; first != last; ++first) insert(value_type(*first));
  }
  T& operator[](const Key& key) { return emplace(key, T{}).first->second; }

  iterator find(const Key& key) { return this->begin() + offset(place(key)); }
  const_iterator find(const Key& key) const { return this->begin() + offset(place(key)); }
  size_type count(const Key& key) const { return place(key) < this->size() ? 1 : 0; }

  iterator erase(iterator first, iterator last) {
    const iterator next = Base::erase(first, last);
    index_.clear();
    extend_index();
    return next;
  }
  iterator erase(iterator at) { return erase(at, std::next(at)); }
  size_type erase(const Key& key) {
    const iterator at = find(key);
    if (at == this->end()) return 0;
    erase(at);
    return 1;
  }
  void clear() noexcept {
    Base::clear();
    index_.clear();
  }

 private:
  static std::ptrdiff_t offset(size_type at) noexcept { return static_cast<std::ptrdiff_t>(at); }

  /// The number of the key's member; size() where there is none.
  size_type place(const Key& key) const {
    if (this->size() <= kScanned) {
      const auto same = [&](const value_type& member) { return member.first == key; };
      const auto at = std::find_if(this->begin(), this->end(), same);
      return static_cast<size_type>(at - this->begin());
    }
    const auto at = index_.find(key);
    return at == index_.end() ? this->size() : at->second;
  }

  /// Puts into the index what it lacks of the members, which are its first ones already.
  void extend_index() {
    if (this->size() <= kScanned) return;
    for (size_type at = index_.size(); at < this->size(); ++at)
      index_.emplace((this->begin() + offset(at))->first, at);
  }

  std::map<Key, size_type> index_;
};

}  // namespace park::files
