#include "proxy/growing_body.h"

#include <algorithm>
#include <cstring>

namespace tessera::proxy {
namespace {

// How far a body that is no longer kept may run ahead of its reader.
constexpr std::size_t kWindow = 256 * 1024;

}  // namespace

class GrowingBody::Reader final : public http::BodySource {
 public:
  Reader(std::shared_ptr<GrowingBody> body, std::optional<std::uint64_t> length)
      : body_(std::move(body)), length_(length) {
    body_->reader_ = true;
  }
  ~Reader() override {
    body_->reader_ = false;
    body_->wake();
  }

  std::optional<std::uint64_t> length() const override { return length_; }

  http::Task<http::Result<std::size_t>> read_some(std::span<char> buffer, http::Deadline deadline) override {
    while (body_->consumed_ == body_->bytes_.size()) {
      if (body_->finished_) {
        if (body_->complete_) co_return std::size_t{0};
        co_return http::make_error_code(http::Error::incomplete_body);
      }
      http::Signal more;
      body_->waiter_ = more;
      if (!co_await more.wait(deadline)) co_return http::make_error_code(http::Error::timeout);
    }
    const std::size_t size = std::min(buffer.size(), body_->bytes_.size() - body_->consumed_);
    std::memcpy(buffer.data(), body_->bytes_.data() + body_->consumed_, size);
    body_->consumed_ += size;
    if (!body_->whole_) body_->wake();
    co_return size;
  }

 private:
  std::shared_ptr<GrowingBody> body_;
  std::optional<std::uint64_t> length_;
};

GrowingBody::GrowingBody(std::size_t limit) : limit_(limit) {}

void GrowingBody::wake() {
  if (!waiter_) return;
  http::Signal waiter = *waiter_;
  waiter_.reset();
  waiter.set();
}

void GrowingBody::reserve(std::uint64_t length) {
  if (length <= limit_) bytes_.reserve(static_cast<std::size_t>(length));
}

void GrowingBody::append(std::string_view bytes) {
  if (whole_ && bytes_.size() + bytes.size() > limit_) whole_ = false;
  if (!whole_ && consumed_ > 0) {
    bytes_.erase(0, consumed_);
    consumed_ = 0;
  }
  bytes_ += bytes;
  wake();
}

void GrowingBody::finish(bool complete) {
  finished_ = true;
  complete_ = complete;
  wake();
}

http::Task<bool> GrowingBody::wait_for_room(http::Deadline deadline) {
  while (!whole_) {
    if (!reader_) co_return false;
    if (bytes_.size() - consumed_ < kWindow) co_return true;
    http::Signal room;
    waiter_ = room;
    if (!co_await room.wait(deadline)) co_return false;
  }
  co_return true;
}

std::unique_ptr<http::BodySource> GrowingBody::read(std::shared_ptr<GrowingBody> body,
                                                    std::optional<std::uint64_t> length) {
  return std::make_unique<Reader>(std::move(body), length);
}

}  // namespace tessera::proxy
