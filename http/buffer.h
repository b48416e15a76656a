// Bytes that have been read from a connection and not been consumed yet, in one piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace tessera::http {

class Buffer {
 public:
  std::string_view bytes() const { return {data_.get() + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  void consume(std::size_t count) {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // Gives an empty buffer's memory back when there is more of it than `limit`.
  void shrink(std::size_t limit) {
    if (!empty() || capacity_ <= limit) return;
    data_.reset();
    capacity_ = 0;
  }

  // Room behind the bytes, `least` or more. Moves the bytes to the front, or grows, when there is less.
  std::span<char> room(std::size_t least) {
    if (capacity_ - end_ < least) make_room(least);
    return {data_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t count) { end_ += count; }

 private:
  void make_room(std::size_t least) {
    const std::size_t held = size();
    if (capacity_ - held >= least) {
      std::memmove(data_.get(), data_.get() + begin_, held);
    } else {
      const std::size_t capacity = std::max(held + least, 2 * capacity_);
      std::unique_ptr<char[]> data(new char[capacity]);  // not zeroed
      if (held != 0) std::memcpy(data.get(), data_.get() + begin_, held);
      data_ = std::move(data);
      capacity_ = capacity;
    }
    begin_ = 0;
    end_ = held;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace tessera::http
