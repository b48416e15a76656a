# shellcheck shell=bash disable=SC2034,SC2154
# Shell functions that tests/run and the scripts of loadtest/ share. Sourced, never run; the caller has set
# `set -euo pipefail`, and `program`, the name that its messages carry.
#
# Everything started with `start` is stopped, by its process id, and every temporary file is removed when the script
# ends, however it ends.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tessera.XXXXXX")
install=1        # --no-install clears it
detach=          # set: what is started outlives the script when `keep` is set at its end
keep=            # set: leave running what was started
started=()       # process ids, in the order of their start
programs=(tessera-origin tessera-proxy tessera-loadtest)  # what build_programs builds
policy_file=     # set while services are kept from starting

say() { printf '%s: %s\n' "$program" "$*"; }
fail() { printf '%s: %s\n' "$program" "$*" >&2; exit 1; }

stop_all() {
  local pid i
  for ((i = ${#started[@]} - 1; i >= 0; i--)); do
    pid=${started[i]}
    kill -CONT "$pid" || true
    kill -TERM "$pid" || continue
    for _ in {1..150}; do kill -0 "$pid" || break; sleep 0.1; done
    kill -KILL "$pid" || true
    wait "$pid" || true
  done
  started=()
}

clean_up() {
  local status=$?
  trap - EXIT
  [[ $BASHPID -eq $$ ]] || exit "$status"  # a background process that was stopped before it became its program
  allow_services
  if [[ -z $keep ]]; then
    stop_all 2>/dev/null
    rm -rf "$scratch"
  fi
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- packages ---------------------------------------------------------------------------------------------------

# The first pair of Boost packages that this system offers (Debian 12 has 1.81; Debian 13 and Ubuntu 24.04 have 1.83).
boost_packages() {
  local version
  for version in 1.83 1.81; do
    # Not through `grep -q`, which ends at the first line: apt-cache would die of SIGPIPE, and pipefail say so.
    if installed "libboost$version-dev" || [[ -n $(apt-cache show "libboost$version-dev" 2>/dev/null) ]]; then
      echo "libboost$version-dev libboost-url$version-dev"
      return
    fi
  done
}

build_packages() {
  echo g++ cmake ninja-build pkg-config libssl-dev zlib1g-dev libhiredis-dev libsqlite3-dev libxxhash-dev \
    libspdlog-dev libcli11-dev libtomlplusplus-dev rapidjson-dev nlohmann-json3-dev \
    libyaml-cpp-dev boost
}

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 "$@"
}

# A server's package starts its service. What is wanted here is its program only: while this file says so, nothing
# starts (invoke-rc.d and systemd's helper both ask it). A file that is there already is the system's own.
forbid_services() {
  [[ -e /usr/sbin/policy-rc.d ]] && return
  policy_file=/usr/sbin/policy-rc.d
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy_file" >/dev/null
  as_root chmod 755 "$policy_file"
}

allow_services() {
  [[ -z $policy_file ]] || as_root rm -f "$policy_file"
  policy_file=
}

# need PACKAGE...: installs those that are missing. The word `boost` stands for boost_packages.
need() {
  local package missing=()
  command -v dpkg-query >/dev/null || {
    [[ -z $install ]] || fail "this system has no apt-get; install what CONTRIBUTING.md lists, then pass --no-install"
    return 0
  }
  for package in "$@"; do
    if [[ $package == boost ]]; then
      installed libboost1.83-dev && installed libboost-url1.83-dev && continue
      installed libboost1.81-dev && installed libboost-url1.81-dev && continue
      missing+=(boost)
    else
      installed "$package" || missing+=("$package")
    fi
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ -n $install ]] || fail "these packages are missing, and --no-install forbids to install them: ${missing[*]/#boost/libboost-dev (1.81 or later) with libboost-url-dev}"
  install_packages "${missing[@]}"
}

install_packages() {
  local log=$scratch/install.log packages
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || fail "installing $* needs root, and there is no sudo; run this as root, or install them and pass --no-install"
    sudo -n true 2>/dev/null || [[ -t 0 ]] || fail "installing $* needs root, and sudo asks for a password without a terminal to ask on"
    sudo true || fail "no permission to install $*: sudo refused; install them and pass --no-install"
  fi
  say "reading the list of packages"
  apt update >"$log" 2>&1 || true  # without a network an old list may still do; if not, the next step says so
  packages=$*
  if [[ " $packages " == *" boost "* ]]; then
    local pair; pair=$(boost_packages)
    if [[ -z $pair ]]; then
      network_fault "$log" && fail "no network: the list of packages could not be read ($(last_error "$log"))"
      fail "this system offers neither Boost 1.83 nor 1.81 (Debian 12, Debian 13 and Ubuntu 24.04 do)"
    fi
    packages=${packages/boost/$pair}
  fi
  say "installing $packages"
  forbid_services
  # Word splitting is wanted: one word a package.
  # shellcheck disable=SC2086
  if ! apt install -y --no-install-recommends $packages >>"$log" 2>&1; then
    allow_services
    network_fault "$log" && fail "no network: the packages could not be fetched ($(last_error "$log"))"
    grep -qi 'permission denied\|are you root' "$log" && fail "no permission to install packages ($(last_error "$log"))"
    fail "installing packages failed: $(last_error "$log")"
  fi
  allow_services
}

network_fault() {
  grep -qiE 'temporary failure resolving|could not resolve|could not connect|network is unreachable|failed to fetch|connection (failed|refused|timed out)' "$1"
}

last_error() { grep -E '^(E|W|Err):? ' "$1" | tail -1 | cut -c1-300 || true; }

# --- building ---------------------------------------------------------------------------------------------------

# A compiler takes about a gigabyte at its peak.
build_jobs() {
  awk -v cores="$(nproc)" '/^MemAvailable:/ { n = int($2 / 1000000); if (n > cores) n = cores; if (n < 1) n = 1; print n }' /proc/meminfo
}

# build DIRECTORY CMAKE_ARGUMENTS -- TARGETS: configures and builds, showing how far it is.
build() {
  local directory=$1 log=$scratch/build.log arguments=() jobs
  shift
  while [[ $# -gt 0 && $1 != -- ]]; do arguments+=("$1"); shift; done
  shift || true
  mkdir -p "$directory" 2>/dev/null || true
  [[ -w $directory ]] || fail "no permission to write to $directory (was it made by another user?)"
  say "configuring ${directory#"$root"/}"
  (cd "$root" && cmake "${arguments[@]}") >"$log" 2>&1 || {
    tail -30 "$log" >&2
    fail "configuring failed; the lines above say why"
  }
  jobs=$(build_jobs)
  say "building ${*:-everything} (-j$jobs)"
  local targets=()
  [[ $# -eq 0 ]] || targets=(--target "$@")
  if [[ -t 1 ]]; then
    cmake --build "$directory" -j "$jobs" "${targets[@]}" || fail "building failed; the lines above say why"
  else
    cmake --build "$directory" -j "$jobs" "${targets[@]}" 2>&1 | show_progress || fail "building failed; the lines above say why"
  fi
}

# Without a terminal: a line for every tenth part that is done, and whatever is not ninja's own status.
show_progress() {
  awk -v name="$program" '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), part, "/")
      step = int(10 * part[1] / part[2])
      if (step != shown || part[1] == part[2]) { printf "%s: built %d of %d\n", name, part[1], part[2]; fflush() }
      shown = step
      next
    }
    /^ninja: no work to do/ { print name ": nothing to build"; next }
    { print; fflush() }'
}

# --- processes --------------------------------------------------------------------------------------------------

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# need_port PORT OPTION: fails with a sentence when something listens there already. Port 0 is always free.
need_port() {
  [[ $1 =~ ^[0-9]+$ && $1 -le 65535 ]] || fail "$2 takes a port number, not '$1'"
  [[ $1 -eq 0 ]] || ! port_is_taken "$1" || fail "port $1 is taken by another program; free it, or choose another with $2 (0 picks a free one)"
}

# start NAME COMMAND...: runs it in the background with its output in $scratch/NAME.log; its id is in `pid`.
start() {
  local name=$1
  shift
  : >"$scratch/$name.new" && mv "$scratch/$name.new" "$scratch/$name.log"  # one of that name may still write to the old one
  if [[ -n $detach ]]; then
    setsid "$@" >"$scratch/$name.log" 2>&1 </dev/null &
  else
    "$@" >"$scratch/$name.log" 2>&1 </dev/null &
  fi
  pid=$!
  started+=("$pid")
}

# wait_for NAME PID TEXT: waits until the log of NAME holds TEXT; fails when the program ends first.
wait_for() {
  local _
  for _ in {1..600}; do
    grep -q -- "$3" "$scratch/$1.log" && return
    kill -0 "$2" 2>/dev/null || break
    sleep 0.05
  done
  grep -q -- "$3" "$scratch/$1.log" && return
  tail -5 "$scratch/$1.log" >&2
  fail "$1 did not come up; its last lines are above"
}

# url_of NAME TEXT: the URL in the log's first line with TEXT.
url_of() { grep -m1 -- "$2" "$scratch/$1.log" | grep -oE 'http://[^[:space:]]+' | head -1; }

# start_origin ARGUMENTS...: sets origin_url and origin_pid.
start_origin() {
  start origin "$build/origin/tessera-origin" "$@"
  origin_pid=$pid
  wait_for origin "$origin_pid" 'listening on http'
  origin_url=$(url_of origin 'listening on http')
}

# start_proxy ARGUMENTS...: sets proxy_url, admin_url and proxy_pid.
start_proxy() {
  start proxy "$build/proxy/tessera-proxy" "$@"
  proxy_pid=$pid
  wait_for proxy "$proxy_pid" 'listening on http'
  proxy_url=$(url_of proxy 'listening on http')
  admin_url=$(url_of proxy 'admin on http')
}

# start_redis: a private one on a socket in $scratch, with nothing on disk; sets redis_address and redis_pid.
start_redis() {
  local socket=$scratch/redis.sock _
  start redis redis-server --port 0 --unixsocket "$socket" --save '' --appendonly no --dir "$scratch"
  redis_pid=$pid
  for _ in {1..200}; do [[ -S $socket ]] && break; kill -0 "$redis_pid" 2>/dev/null || break; sleep 0.05; done
  [[ -S $socket ]] || { tail -3 "$scratch/redis.log" >&2; fail "redis-server did not come up; its last lines are above"; }
  redis_address=unix://$socket
}

# build_programs PACKAGE...: what the scripts of loadtest/ begin with. Sets build. A folder that is configured
# already keeps its tests; a new one gets none.
build_programs() {
  local options=()
  build=$root/build/release
  # shellcheck disable=SC2046
  need $(build_packages) "$@"
  [[ -e $build/CMakeCache.txt ]] || options=(-DTESSERA_TESTS=OFF)
  build "$build" --preset release "${options[@]}" -- "${programs[@]}"
}

# --- measuring --------------------------------------------------------------------------------------------------

# run_ab URL ARGUMENTS...: prints "LENGTH MS REQUESTS_PER_SECOND". Fails when ab saw a failure: a document of another
# length than the first one counts as one, so the data must not change meanwhile.
run_ab() {
  local log=$scratch/ab.log url=$1
  shift
  ab -q "$@" "$url" >"$log" 2>&1 || { tail -3 "$log" >&2; fail "ab could not finish against $url"; }
  awk '/^Document Length:/ { bytes = $3 } /^Requests per second:/ { rate = $4 } /^Time per request:/ && !ms { ms = $4 }
       /^Failed requests:/ { failed = $3 } /^Non-2xx responses:/ { other = $3 }
       END { if (failed || other) exit 1
             print bytes, ms, rate }' "$log" \
    || fail "ab counts failures against $url: $(grep -E '^Failed requests|^ +\(Connect|^Non-2xx' "$log" | tr -s ' \n' ' ')"
}

# run_wrk URL CONNECTIONS: prints "REQUESTS_PER_SECOND RESPONSES" of $seconds seconds. Fails when wrk saw an error.
run_wrk() {
  local log=$scratch/wrk.log threads=2
  [[ $2 -gt 1 ]] || threads=1
  wrk -t "$threads" -c "$2" -d "${seconds}s" "$1" >"$log" 2>&1 || { tail -3 "$log" >&2; fail "wrk could not finish against $1"; }
  ! grep -E 'Socket errors|Non-2xx' "$log" >&2 || fail "wrk counts errors against $1"
  awk '/requests in/ { responses = $1 } /^Requests\/sec:/ { rate = $2 } END { print rate, responses }' "$log"
}
