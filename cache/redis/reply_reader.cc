// Object functions build the Reply while hiredis parses: its own objects would cost two allocations a value,
// and views into its buffer do not survive the next read.
#include "cache/redis/reply_reader.h"

#include <algorithm>
#include <new>

#include <hiredis/read.h>

namespace tessera::cache::redis {

// What the object functions write to. The root is the reply under way; its parts live inside it.
struct ReplySink {
  Reply root;
  std::size_t value_limit = 0;
};

namespace {

// A buffer that an unusually large value left behind is freed once it is empty.
constexpr std::size_t kKeptBuffer = 1 << 20;
// Room made at once for an array's elements; more grows as they come.
constexpr std::size_t kReservedElements = 4096;

ReplySink& sink_of(const redisReadTask* task) {
  return *static_cast<ReplySink*>(task->privdata);
}

// The reply that the task is about. Appending to the parent moves finished siblings only: of what is still
// open, hiredis holds pointers to the ancestors alone.
Reply& place(const redisReadTask* task) {
  if (task->parent == nullptr) return sink_of(task).root = Reply{};
  return static_cast<Reply*>(task->parent->obj)->elements.emplace_back();
}

// Exceptions must not cross hiredis's frames; it takes null for "out of memory".
template <class Fill>
void* create(const redisReadTask* task, Fill fill) noexcept {
  try {
    Reply& reply = place(task);
    fill(reply);
    return &reply;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* create_text(const redisReadTask* task, char* text, std::size_t size) {
  return create(task, [=](Reply& reply) {
    if (task->type == REDIS_REPLY_STRING && size > sink_of(task).value_limit) return;
    reply.kind = task->type == REDIS_REPLY_ERROR    ? Reply::Kind::error
                 : task->type == REDIS_REPLY_STATUS ? Reply::Kind::status
                                                    : Reply::Kind::text;
    reply.text.assign(text, size);
  });
}

// `elements` is an int in hiredis 0.14, a size_t since 1.0.
template <class Count>
void* create_array(const redisReadTask* task, Count elements) {
  return create(task, [=](Reply& reply) {
    reply.kind = Reply::Kind::array;
    reply.elements.reserve(std::min(static_cast<std::size_t>(elements), kReservedElements));
  });
}

void* create_integer(const redisReadTask* task, long long value) {
  return create(task, [=](Reply& reply) {
    reply.kind = Reply::Kind::integer;
    reply.integer = value;
  });
}

void* create_nil(const redisReadTask* task) {
  return create(task, [](Reply&) {});
}

// The types that 1.0 added (double, bool) are RESP3's: the guard lets none through.
redisReplyObjectFunctions* object_functions() {
  static redisReplyObjectFunctions functions = [] {
    redisReplyObjectFunctions made{};
    made.createString = create_text;
    made.createArray = create_array;
    made.createInteger = create_integer;
    made.createNil = create_nil;
    made.freeObject = [](void*) {};
    return made;
  }();
  return &functions;
}

}  // namespace

void ReplyReader::Free::operator()(redisReader* reader) const {
  redisReaderFree(reader);
}

ReplyReader::ReplyReader(const Limits& limits)
    : guard_(limits.reply),
      sink_(std::make_unique<ReplySink>()),
      reader_(redisReaderCreateWithFunctions(object_functions())) {
  if (!reader_) throw std::bad_alloc();
  sink_->value_limit = limits.value;
  reader_->privdata = sink_.get();
  reader_->maxbuf = kKeptBuffer;
}

ReplyReader::~ReplyReader() = default;

ReplyReader::Status ReplyReader::feed(std::string_view bytes) {
  if (status_ != Status::fine) return status_;
  switch (guard_.check(bytes)) {
    case ReplyGuard::Verdict::malformed:
      return status_ = Status::malformed;
    case ReplyGuard::Verdict::too_large:
      return status_ = Status::too_large;
    case ReplyGuard::Verdict::fine:
      break;
  }
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) status_ = Status::out_of_memory;
  return status_;
}

bool ReplyReader::next(Reply& reply) {
  if (status_ != Status::fine) return false;
  void* complete = nullptr;
  if (redisReaderGetReply(reader_.get(), &complete) != REDIS_OK) {
    status_ = reader_->err == REDIS_ERR_OOM ? Status::out_of_memory : Status::malformed;
    return false;
  }
  if (complete == nullptr) return false;
  reply = std::move(*static_cast<Reply*>(complete));
  ++given_;
  return true;
}

}  // namespace tessera::cache::redis
