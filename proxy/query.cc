// Boost.URL refuses a query with a broken escape; origins mostly accept it. Here nothing is refused: the text
// is passed on as it was sent, and only its names are looked at.
#include "proxy/query.h"

#include <algorithm>

namespace tessera::proxy {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A '%' without two hexadecimal digits behind it stands for itself.
std::string decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    decoded += text[i] == '+' ? ' ' : text[i];
  }
  return decoded;
}

// Calls visit(piece) for each piece that is not empty, until it returns false.
template <class Visit>
void for_each_piece(std::string_view query, Visit visit) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    if (end != 0 && !visit(query.substr(0, end))) return;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
}

}  // namespace

std::vector<std::string_view> query_pieces(std::string_view query) {
  std::vector<std::string_view> pieces;
  for_each_piece(query, [&](std::string_view piece) {
    pieces.push_back(piece);
    return true;
  });
  return pieces;
}

std::string query_name(std::string_view piece) {
  return decode(piece.substr(0, piece.find('=')));
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  std::optional<std::string> value;
  for_each_piece(query, [&](std::string_view piece) {
    if (query_name(piece) != name) return true;
    const auto equals = piece.find('=');
    value = equals == std::string_view::npos ? std::string() : decode(piece.substr(equals + 1));
    return false;
  });
  return value;
}

std::string query_without(std::string_view query, const std::vector<std::string>& names) {
  std::string kept;
  for_each_piece(query, [&](std::string_view piece) {
    // Some origins begin another parameter at a semicolon: "page=1;lang=de" is not only a page.
    const bool is_one = piece.find(';') == std::string_view::npos &&
                        piece.find("%3B") == std::string_view::npos &&
                        piece.find("%3b") == std::string_view::npos;
    if (!is_one || std::find(names.begin(), names.end(), query_name(piece)) == names.end()) {
      if (!kept.empty()) kept += '&';
      kept += piece;
    }
    return true;
  });
  return kept;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                            c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kHex[byte >> 4];
      encoded += kHex[byte & 0xF];
    }
  }
  return encoded;
}

}  // namespace tessera::proxy
