#include "http/handover_wire.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace tessera::http::handover {
namespace {

constexpr std::size_t kControl = CMSG_SPACE(kPacketSockets * sizeof(int));

std::vector<int> descriptors_in(msghdr& message) {
  std::vector<int> found;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const std::size_t before = found.size();
    found.resize(before + count);
    std::memcpy(found.data() + before, CMSG_DATA(part), count * sizeof(int));
  }
  return found;
}

}  // namespace

std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

bool is_one_of_us(int channel) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

bool send_packet(int channel, std::string_view text, const std::vector<int>& descriptors) {
  iovec bytes{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, kControl> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size() * sizeof(int);
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(part), descriptors.data(), size);
  }
  return ::sendmsg(channel, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::optional<Packet> receive_packet(int channel) {
  Packet packet;
  packet.text.resize(kPacketBytes);
  iovec bytes{packet.text.data(), packet.text.size()};
  alignas(cmsghdr) std::array<char, kControl> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size = -1;
  do {
    size = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  packet.text.resize(static_cast<std::size_t>(size));
  packet.descriptors = descriptors_in(message);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) return packet;
  for (const int descriptor : packet.descriptors) ::close(descriptor);
  return std::nullopt;
}

}  // namespace tessera::http::handover
