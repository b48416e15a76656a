#include "cache/redis/command.h"

#include <array>
#include <charconv>

namespace tessera::cache::redis {
namespace {

void append_header(std::string& request, char type, std::size_t number) {
  std::array<char, 24> header;
  header[0] = type;
  char* const end = std::to_chars(header.data() + 1, header.data() + header.size() - 2, number).ptr;
  end[0] = '\r';
  end[1] = '\n';
  request.append(header.data(), end + 2);
}

void append_word(std::string& request, std::string_view word) {
  append_header(request, '$', word.size());
  request.append(word);
  request.append("\r\n", 2);
}

}  // namespace

void append_command(std::string& request, std::initializer_list<std::string_view> words) {
  append_command(request, words, {});
}

void append_command(std::string& request, std::initializer_list<std::string_view> words,
                    std::span<const std::string> keys) {
  append_header(request, '*', words.size() + keys.size());
  for (const auto word : words) append_word(request, word);
  for (const auto& key : keys) append_word(request, key);
}

}  // namespace tessera::cache::redis
