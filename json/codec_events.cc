#include "json/codec_events.h"

#include <cmath>

#include "json/number.h"

namespace tessera::json {

bool DecodeEvents::descend() {
  return ++depth_ <= kMaxDepth || fail(Error::too_deep);
}

bool DecodeEvents::begin_object() {
  if (!descend()) return false;
  names_.begin_object();
  json_.begin_object();
  return true;
}

bool DecodeEvents::end_object() {
  --depth_;
  names_.end_object();
  json_.end_object();
  return true;
}

bool DecodeEvents::begin_array() {
  if (!descend()) return false;
  json_.begin_array();
  return true;
}

bool DecodeEvents::end_array() {
  --depth_;
  json_.end_array();
  return true;
}

bool DecodeEvents::key(std::string_view text) {
  if (!names_.add(text)) return fail(Error::name_repeated);
  json_.key(text);
  return text_is_valid();
}

bool DecodeEvents::string(std::string_view text) {
  json_.string(text);
  return text_is_valid();
}

bool DecodeEvents::integer(std::int64_t value) {
  json_.number(value);
  return true;
}

bool DecodeEvents::natural(std::uint64_t value) {
  json_.number(value);
  return true;
}

bool DecodeEvents::real(double value) {
  if (!std::isfinite(value)) return fail(Error::no_json_form);
  json_.number(value);
  return true;
}

bool DecodeEvents::number(std::string_view token) {
  if (!read_number(token)) return fail(Error::number_not_kept);
  json_.raw(token);
  return true;
}

bool DecodeEvents::literal(std::string_view token) {
  json_.raw(token);
  return true;
}

bool DecodeEvents::fail(Error error) {
  error_ = error;
  return false;
}

}  // namespace tessera::json
