#include "origin/words.h"

#include <array>
#include <string_view>

namespace tessera::origin {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kQualities = {
    "Adaptable"sv,       "Agreed"sv,        "Amplified"sv,     "Assembled"sv,  "Balanced"sv,
    "Borderless"sv,      "Calibrated"sv,    "Combined"sv,      "Compact"sv,    "Composable"sv,
    "Connected"sv,       "Cooperative"sv,   "Curated"sv,       "Dependable"sv, "Diversified"sv,
    "Durable"sv,         "Elastic"sv,       "Embedded"sv,      "Expandable"sv, "Federated"sv,
    "Forward-looking"sv, "Grounded"sv,      "Harmonized"sv,    "Inclusive"sv,  "Interlocking"sv,
    "Layered"sv,         "Lightweight"sv,   "Measured"sv,      "Modular"sv,    "Networked"sv,
    "Open-ended"sv,      "Orchestrated"sv,  "Patient"sv,       "Portable"sv,   "Predictable"sv,
    "Quick-witted"sv,    "Refined"sv,       "Repeatable"sv,    "Resilient"sv,  "Self-healing"sv,
    "Shared"sv,          "Streamlined"sv,   "Tailored"sv,      "Trusted"sv,    "Unhurried"sv,
    "Versatile"sv,       "Well-tempered"sv, "Whole-hearted"sv,
};

constexpr std::array kScopes = {
    "around-the-clock"sv, "asynchronous"sv,  "audible"sv,
    "bottom-up"sv,        "coastal"sv,       "concurrent"sv,
    "contextual"sv,       "cross-team"sv,    "declarative"sv,
    "dynamic"sv,          "evergreen"sv,     "fault-tolerant"sv,
    "global"sv,           "granular"sv,      "hands-on"sv,
    "high-altitude"sv,    "holistic"sv,      "hybrid"sv,
    "incremental"sv,      "intuitive"sv,     "local"sv,
    "long-range"sv,       "low-friction"sv,  "mobile"sv,
    "modular"sv,          "multilingual"sv,  "narrative"sv,
    "neutral"sv,          "next-door"sv,     "paperless"sv,
    "parallel"sv,         "peer-reviewed"sv, "polite"sv,
    "radial"sv,           "real-time"sv,     "regional"sv,
    "remote"sv,           "seasonal"sv,      "secondary"sv,
    "stateless"sv,        "systemic"sv,      "tangible"sv,
    "transparent"sv,      "twofold"sv,       "uniform"sv,
    "upstream"sv,         "visual"sv,        "weekly"sv,
};

constexpr std::array kProducts = {
    "almanac"sv,       "ambition"sv,     "apprenticeship"sv, "archive"sv,     "atlas"sv,      "blueprint"sv,
    "briefing"sv,      "campus"sv,       "checklist"sv,      "collective"sv,  "compass"sv,    "concierge"sv,
    "curriculum"sv,    "dashboard"sv,    "directory"sv,      "exchange"sv,    "field trip"sv, "foundation"sv,
    "gateway"sv,       "guideline"sv,    "handbook"sv,       "help desk"sv,   "initiative"sv, "inventory"sv,
    "knowledge map"sv, "laboratory"sv,   "logbook"sv,        "marketplace"sv, "mentorship"sv, "milestone"sv,
    "moratorium"sv,    "neighborhood"sv, "notebook"sv,       "observatory"sv, "playbook"sv,   "process"sv,
    "question bank"sv, "registry"sv,     "relay"sv,          "repertoire"sv,  "safety net"sv, "scaffolding"sv,
    "seminar"sv,       "showcase"sv,     "syllabus"sv,       "timetable"sv,   "toolkit"sv,    "workshop"sv,
};

constexpr std::array kShortNames = {
    "API"sv, "ARP"sv, "BGP"sv,  "CLI"sv, "CPU"sv, "CSV"sv,  "DNS"sv, "EXE"sv,  "FTP"sv,
    "GPU"sv, "HDD"sv, "HTTP"sv, "I2C"sv, "IPC"sv, "JSON"sv, "LED"sv, "MIDI"sv, "NFS"sv,
    "NTP"sv, "OCR"sv, "PNG"sv,  "RAM"sv, "RFC"sv, "RPC"sv,  "SAS"sv, "SMTP"sv, "SQL"sv,
    "SSH"sv, "SSL"sv, "TCP"sv,  "TLS"sv, "UDP"sv, "USB"sv,  "UTF"sv, "XML"sv,  "YAML"sv,
};

constexpr std::array kTraits = {
    "back-end"sv, "binary"sv,    "bitwise"sv,     "cached"sv,      "cold"sv,      "compressed"sv,
    "cryptic"sv,  "digital"sv,   "distributed"sv, "emulated"sv,    "haptic"sv,    "headless"sv,
    "idle"sv,     "immutable"sv, "lock-free"sv,   "mirrored"sv,    "nested"sv,    "neural"sv,
    "optical"sv,  "orphaned"sv,  "primary"sv,     "recursive"sv,   "redundant"sv, "sandboxed"sv,
    "serial"sv,   "sharded"sv,   "signed"sv,      "solid-state"sv, "static"sv,    "synthetic"sv,
    "tiny"sv,     "unsigned"sv,  "virtual"sv,     "volatile"sv,    "wireless"sv,
};

constexpr std::array kThings = {
    "array"sv,    "bandwidth"sv, "bitmap"sv, "buffer"sv,   "bus"sv,      "checksum"sv,
    "circuit"sv,  "compiler"sv,  "daemon"sv, "driver"sv,   "endpoint"sv, "firewall"sv,
    "firmware"sv, "gateway"sv,   "hash"sv,   "heap"sv,     "index"sv,    "kernel"sv,
    "listener"sv, "matrix"sv,    "mutex"sv,  "packet"sv,   "panel"sv,    "parser"sv,
    "port"sv,     "proxy"sv,     "queue"sv,  "register"sv, "router"sv,   "scheduler"sv,
    "sensor"sv,   "socket"sv,    "thread"sv, "timer"sv,    "token"sv,    "watchdog"sv,
};

constexpr std::array kVerbs = {
    "back up"sv,    "bisect"sv,   "bridge"sv,   "calculate"sv, "compile"sv, "copy"sv, "decode"sv,
    "defragment"sv, "drain"sv,    "encrypt"sv,  "flash"sv,     "format"sv,  "fuzz"sv, "hash"sv,
    "hot-swap"sv,   "index"sv,    "input"sv,    "intercept"sv, "link"sv,    "map"sv,  "measure"sv,
    "mount"sv,      "navigate"sv, "override"sv, "parse"sv,     "patch"sv,   "ping"sv, "program"sv,
    "reboot"sv,     "replay"sv,   "rewire"sv,   "rotate"sv,    "sandbox"sv, "scan"sv, "sniff"sv,
    "synthesize"sv, "throttle"sv, "trace"sv,    "transcode"sv, "unplug"sv,
};

// %v a verb, %n a short name, %t a trait, %o a thing.
constexpr std::array kSentences = {
    "Before we %v the %o, somebody has to %v the %t %n %o."sv,
    "I'll %v the %t %n %o, that should %v the %o!"sv,
    "Never %v the %t %o twice: its %n %o remembers everything."sv,
    "Once they %v the %o, only our %t %n %o can %v it now."sv,
    "The %n %o is down again, so %v the %t %o and %v whatever still answers."sv,
    "Try to %v the %n %o first; if it turns %t, blame the clock."sv,
    "We don't %v the %o here, we %v the %t %n %o instead."sv,
    "What if we %v the %t %o? Then the %n %o has to %v alone."sv,
    "You could %v the %n %o from here, but only the %t %o can %v it."sv,
    "Somewhere in that %t %n %o sits one %o that we have to %v."sv,
    "My %t %o can %v the %n %o faster than yours can %v one %t file."sv,
    "Don't trust the %t %o: it says %v, but all it does is %v."sv,
    "Did you %v the %t %n %o, or did it %v you?"sv,
    "Please %v the %n %o, then %v the %t one."sv,
    "A good %n %o is nothing that we couldn't %v in one night, they say."sv,
    "No %n %o will ever %v the %o; %v the %t %o, and do it by hand."sv,
};

template <class Words>
std::string_view pick(const Words& words, Random& random) {
  return words[random.below(words.size())];
}

std::string_view word(char kind, Random& random) {
  switch (kind) {
    case 'v':
      return pick(kVerbs, random);
    case 'n':
      return pick(kShortNames, random);
    case 't':
      return pick(kTraits, random);
    default:
      return pick(kThings, random);
  }
}

}  // namespace

std::string catch_phrase(Random& random) {
  std::string phrase(pick(kQualities, random));
  phrase += ' ';
  phrase += pick(kScopes, random);
  phrase += ' ';
  phrase += pick(kProducts, random);
  return phrase;
}

std::string hacker_sentence(Random& random) {
  const std::string_view pattern = pick(kSentences, random);
  std::string sentence;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%') {
      sentence += word(pattern[++i], random);
    } else {
      sentence += pattern[i];
    }
  }
  return sentence;
}

}  // namespace tessera::origin
