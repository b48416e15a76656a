// Commands as Redis reads them: arrays of bulk strings (RESP2), binary-safe. Written by hand, straight into
// the request that carries many of them: a quarter of the time of redisFormatCommandArgv, which allocates
// each.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tessera::cache::redis {

// Appends the command `words` to `request`.
void append_command(std::string& request, std::initializer_list<std::string_view> words);
// The same, with `keys` after the words.
void append_command(std::string& request, std::initializer_list<std::string_view> words,
                    std::span<const std::string> keys);

}  // namespace tessera::cache::redis
