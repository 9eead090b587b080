#!/usr/bin/env bash
# Fails where a C++ file is not formatted as .clang-format says; skips (77) without the version it is written for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

formatter=
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" > /dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    formatter=$candidate
    break
  fi
done
if [ -z "$formatter" ]; then
  echo "skipped: clang-format 14 is not installed"
  exit 77
fi
find include src tests examples -name '*.cpp' -o -name '*.h' | sort | xargs "$formatter" --dry-run -Werror
