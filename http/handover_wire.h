// What two processes say to each other when one takes the other's listening sockets over: packets of a
// SOCK_SEQPACKET socket. First the names of some sockets, one a line behind kGreeting, with as many
// descriptors (SCM_RIGHTS), until all are sent; then kEnd. The answer is kReady, or the end of the
// connection. Upon kReady comes kTaken, and the sockets are the other process's alone; or, when it has come
// too late, another kEnd, and they stay where they were.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <sys/un.h>
#include <utility>
#include <vector>

namespace tessera::http::handover {

inline constexpr std::string_view kGreeting = "tessera-handover 1";
inline constexpr std::string_view kEnd = "end";
inline constexpr std::string_view kReady = "ready";
inline constexpr std::string_view kTaken = "taken";
inline constexpr std::size_t kPacketSockets = 64;  // the kernel's limit is 253
inline constexpr std::size_t kPacketBytes = 4096;

using Descriptors = std::vector<std::pair<std::string, int>>;  // by name

// nullopt: the path is too long.
std::optional<sockaddr_un> address_of(const std::string& path);

// The process at the other end is of the same user, or root's.
bool is_one_of_us(int channel);

bool send_packet(int channel, std::string_view text, const std::vector<int>& descriptors);
struct Packet {
  std::string text;
  std::vector<int> descriptors;  // the receiver's to close
};
// nullopt: the other side is gone, or the packet does not fit.
std::optional<Packet> receive_packet(int channel);

}  // namespace tessera::http::handover
