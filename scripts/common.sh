# Shared by the scripts of this folder; meant to be sourced: . "$(dirname "$0")/common.sh"
# Sets `root`, the project's folder, and goes there.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$1" >&2
  shift
  for hint in "$@"; do printf '%s: hint: %s\n' "$(basename "$0")" "$hint" >&2; done
  exit 1
}

# Runs a command as root, through sudo where we are someone else.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root: $*" "run it as root, or install sudo"
  fi
}

need_swift() {
  command -v swift >/dev/null ||
    die "no Swift toolchain found" "install Swift 6.3 for Debian 12 and put its bin folder in PATH: see https://www.swift.org/install/linux"
}
