// Batch is the memory of all rows: one column per leaf, one array of offsets per group. An author
// looks up a Field by name once and takes spans of a Row by it afterwards. A row is appended, its
// groups are resized, its values are written; only the last row may change its counts. Environments
// write here, streams gather here, policies, networks and the bridge read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "park/core/error.h"
#include "park/core/id_vector.h"
#include "park/core/space.h"

namespace park {

/// A leaf of a batch, looked up by name and checked once; then row[field] is a span.
template <Element T>
struct Field {
  std::uint32_t column = 0, width = 1;
  std::int32_t group = -1;
};
struct GroupId {
  std::int32_t id = -1;
};

template <class B>
class BasicRow;
class Batch;
using Row = BasicRow<Batch>;             ///< one record that may be written; two words, by value
using ConstRow = BasicRow<const Batch>;  ///< one record to read

/// Rows of one record as a packed structure of arrays: one column per leaf. A ragged column is an
/// arena with the elements of all rows one after the other. The group's offsets [rows + 1] say
/// where the elements of each row begin. Columns are 64-byte aligned. Memory only grows. Ownership:
/// a batch owns its columns, rows are views of it that end when it changes its rows. Not
/// thread-safe, except `fill`.
class Batch {
 public:
  /// Throws Error{invalid_space} if a leaf takes nothing, or more than kMostRowBytes.
  explicit Batch(const Record&);
  Batch(Batch&&) noexcept = default;
  Batch& operator=(Batch&&) noexcept = default;

  [[nodiscard]] const Record& record() const noexcept { return record_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  [[nodiscard]] Row row(std::size_t) noexcept;
  [[nodiscard]] ConstRow row(std::size_t) const noexcept;

  /// Removes all rows and keeps the memory.
  void clear() noexcept;
  /// A new last row: its groups are empty, its other values unspecified until written.
  Row append();
  void pop() noexcept;
  /// New rows are zero and their groups empty.
  void resize(std::size_t rows);
  /// Sets the elements of a group in all rows at once: row r has `count(r)` of them. The values of
  /// its columns are then unspecified. Throws Error{capacity} beyond the declared capacity.
  template <class Count>
  void set_counts(GroupId, Count&& count);

  void append(const Batch& from, std::size_t row);
  void append(const Batch& from) { fill(extend(from), from); }
  /// Adds rows for those of `from` and returns where they begin; `fill` writes their values.
  std::size_t extend(const Batch& from);
  /// Copies the rows of `from` to rows at, at + 1, ... Thread-safe for disjoint rows once every
  /// extend is done.
  void fill(std::size_t at, const Batch& from) noexcept;

  /// Throws Error{invalid_space} if there is no such leaf or it has another type.
  template <Element T>
  [[nodiscard]] Field<T> field(std::string_view name) const {
    const std::uint32_t c = find_column(name, dtype_of<T>);
    return {c, static_cast<std::uint32_t>(record_.leaves[c].width()), columns_[c].group};
  }
  /// Throws Error{invalid_space} if there is no such group.
  [[nodiscard]] GroupId group(std::string_view name) const;
  /// The group of a column, or -1.
  [[nodiscard]] GroupId group_of(std::size_t column) const noexcept {
    return {columns_[column].group};
  }

  /// Bytes of one element of a column; of one row if it has no group.
  [[nodiscard]] std::size_t element_bytes(std::size_t column) const noexcept {
    return columns_[column].element;
  }

  /// [rows + 1]: row r has the elements offsets[r] .. offsets[r + 1] - 1 of the group's columns.
  [[nodiscard]] std::span<const std::int64_t> offsets(GroupId g) const noexcept {
    return offsets_[static_cast<std::size_t>(g.id)];
  }
  /// The memory of rows row .. row + n - 1 of a column.
  [[nodiscard]] std::span<std::byte> bytes(std::size_t column, std::size_t row, std::size_t n);
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t column, std::size_t row,
                                                 std::size_t n) const;

  /// Reserves memory for that many rows, and elements of every group.
  void reserve(std::size_t rows, std::size_t elements = 0);

  /// For gathering: a row that is kept elsewhere (Row::keep) is only noted; fill copies it.
  void set_lazy() noexcept { lazy_ = true; }
  /// For tests: fills new rows and elements with the pattern, so that unwritten values show.
  void set_poison(std::uint8_t pattern) noexcept {
    poisoned_ = true;
    poison_ = std::byte{pattern};
  }

 private:
  template <class B>
  friend class BasicRow;
  struct Free {
    void operator()(std::byte* p) const noexcept { ::operator delete (p, std::align_val_t{64}); }
  };
  struct Column {
    std::unique_ptr<std::byte, Free> own;
    std::byte* base = nullptr;
    std::size_t capacity = 0, element = 0;  // bytes
    std::int32_t group = -1;
  };
  struct Kept {
    const Batch* batch = nullptr;
    std::size_t row = 0;
  };
  struct Range {
    std::size_t begin, end;
  };

  [[nodiscard]] Range range(std::size_t column, std::size_t row, std::size_t n) const noexcept;
  [[nodiscard]] std::uint32_t find_column(std::string_view name, DType) const;
  [[nodiscard]] std::int64_t count(std::size_t group, std::size_t row) const noexcept {
    return offsets_[group][row + 1] - offsets_[group][row];
  }
  void check_count(std::size_t group, std::size_t n) const;
  void set_count(std::size_t group, std::size_t row, std::size_t n);
  void copy_row(std::size_t at, const Batch& from, std::size_t row) noexcept;
  void grow(std::size_t column, std::size_t bytes);
  void grow_fixed();
  void grow_group(std::size_t group);
  void poison_row(std::size_t row) noexcept;

  Record record_;
  std::size_t rows_ = 0;
  std::size_t fixed_capacity_ = 0;  // rows that every column without a group can hold
  IdVector<Column> columns_;
  IdVector<IdVector<std::int64_t>> offsets_;
  IdVector<Kept> kept_;
  bool lazy_ = false, any_kept_ = false, poisoned_ = false;
  std::byte poison_{};
};

/// A view of one record. A row that an environment gets arrives empty: resize a group before
/// taking its spans; resizing ends older spans of that group.
template <class B>
class BasicRow {
  template <class T>
  using Span = std::span<std::conditional_t<std::is_const_v<B>, const T, T>>;

 public:
  BasicRow(B& batch, std::size_t row) noexcept : batch_(&batch), row_(row) {}
  operator ConstRow() const noexcept { return {*batch_, row_}; }

  /// [width] of a leaf, or [count * width] of a leaf in a group.
  template <Element T>
  [[nodiscard, gnu::always_inline]] Span<T> operator[](Field<T> f) const noexcept {
    PARK_ASSERT(f.column < batch_->columns_.size());
    auto* base = reinterpret_cast<T*>(batch_->columns_[f.column].base);
    if (f.group < 0) return {base + row_ * f.width, f.width};
    const auto& o = batch_->offsets_[static_cast<std::size_t>(f.group)];
    return {base + static_cast<std::size_t>(o[row_]) * f.width,
            static_cast<std::size_t>(o[row_ + 1] - o[row_]) * f.width};
  }
  template <Element T>
  [[nodiscard]] auto& scalar(Field<T> f) const noexcept {
    PARK_ASSERT(f.column < batch_->columns_.size() && f.group < 0 && f.width == 1);
    return reinterpret_cast<std::conditional_t<std::is_const_v<B>, const T*, T*>>(
        batch_->columns_[f.column].base)[row_];
  }
  /// Elements of a group in this row.
  [[nodiscard]] std::size_t count(GroupId g) const noexcept {
    return static_cast<std::size_t>(batch_->count(static_cast<std::size_t>(g.id), row_));
  }
  /// Only the last row of a batch may change its counts. New elements are unspecified. Throws
  /// Error{capacity} beyond the declared capacity.
  void resize(GroupId g, std::size_t n) const requires(!std::is_const_v<B>) {
    batch_->set_count(static_cast<std::size_t>(g.id), row_, n);
  }
  /// A copy of another row of the same record.
  void assign(ConstRow from) const requires(!std::is_const_v<B>);
  /// Like assign, for a row that does not change until the environment is called again. If rows are
  /// gathered anyway, this saves one of two copies.
  void keep(ConstRow from) const requires(!std::is_const_v<B>);

  [[nodiscard]] B& batch() const noexcept { return *batch_; }
  [[nodiscard]] std::size_t index() const noexcept { return row_; }

 private:
  B* batch_;
  std::size_t row_;
};

inline Row Batch::row(std::size_t r) noexcept { return {*this, r}; }
inline ConstRow Batch::row(std::size_t r) const noexcept { return {*this, r}; }

inline Row Batch::append() {
  for (auto& o : offsets_) o.push_back(o.back());
  if (lazy_) kept_.emplace_back();
  if (++rows_ > fixed_capacity_) [[unlikely]]
    grow_fixed();
  if (poisoned_) [[unlikely]]
    poison_row(rows_ - 1);
  return {*this, rows_ - 1};
}

template <class Count>
void Batch::set_counts(GroupId g, Count&& count) {
  const auto group = static_cast<std::size_t>(g.id);
  auto& o = offsets_[group];
  for (std::size_t r = 0; r < rows_; ++r) {
    const std::size_t n = count(r);
    check_count(group, n);
    o[r + 1] = o[r] + static_cast<std::int64_t>(n);
  }
  grow_group(group);
}

template <class B>
void BasicRow<B>::assign(ConstRow from) const requires(!std::is_const_v<B>) {
  const Batch& source = from.batch();
  for (std::size_t g = 0; g < batch_->offsets_.size(); ++g)
    batch_->set_count(g, row_, static_cast<std::size_t>(source.count(g, from.index())));
  batch_->copy_row(row_, source, from.index());
}

template <class B>
void BasicRow<B>::keep(ConstRow from) const requires(!std::is_const_v<B>) {
  if (!batch_->lazy_) return assign(from);
  for (std::size_t g = 0; g < batch_->offsets_.size(); ++g)
    batch_->offsets_[g][row_ + 1] = batch_->offsets_[g][row_] + from.batch().count(g, from.index());
  batch_->kept_[row_] = {&from.batch(), from.index()};
  batch_->any_kept_ = true;
}

}  // namespace park
