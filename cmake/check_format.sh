#!/usr/bin/env bash
# Fails when clang-format would change a file, and says where.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang-format >/dev/null || { echo "check-format: clang-format is not installed" >&2; exit 1; }
find config json http cache origin proxy tests loadtest cmake \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 -r -P "$(nproc)" -n 16 clang-format --dry-run --Werror
echo "check-format: every file is as clang-format writes it"
