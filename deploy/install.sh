#!/bin/sh
# Installs outreachd from a release: downloads the archive for this machine, verifies it, and copies the executable and its
# manual page.
#
#   sh install.sh [--from URL|DIRECTORY] [--to DIRECTORY] [--target TARGET] [--public-key KEY]
#
#   --from        Where the files of the release are. It is the only place that is contacted.
#   --to          Where the executable goes. Default: /usr/local/bin, or ~/.local/bin if that is not writable.
#   --target      Such as linux-x64. Default: this machine.
#   --public-key  Requires SHA256SUMS to be signed with this key (minisign). Needs minisign or OpenSSL 3.
set -eu

from='@FROM@'
public_key='@PUBLIC_KEY@'
version='@VERSION@'
to=''
target=''

fail() { printf 'Error: %s\n' "$1" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

while [ $# -gt 0 ]; do
  case "$1" in
    --from | --to | --target | --public-key)
      [ $# -ge 2 ] || fail "$1 needs a value."
      case "$1" in
        --from) from=$2 ;;
        --to) to=$2 ;;
        --target) target=$2 ;;
        --public-key) public_key=$2 ;;
      esac
      shift 2
      ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "Unknown argument $1. See --help." ;;
  esac
done

# Placeholders are filled in by the release; a copy from the source has none of the values.
case "$from" in @*@ | '') fail "Say where the files of the release are: --from URL or --from DIRECTORY." ;; esac
case "$public_key" in @*@) public_key='' ;; esac
case "$version" in @*@) version='' ;; esac
from=${from%/}

detect() {
  case "$(uname -m)" in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "There is no executable for the processor $(uname -m)." ;;
  esac
  case "$(uname -s)" in
    Darwin) echo "darwin-$arch" ;;
    Linux)
      # musl's dynamic linker says what it is, and fails without arguments.
      if has ldd && ldd --version 2>&1 | grep -qi musl; then echo "linux-$arch-musl"; else echo "linux-$arch"; fi
      ;;
    *) fail "There is no executable for $(uname -s). On Windows, extract the archive windows-x64." ;;
  esac
}
is_own=no
[ -n "$target" ] || { target=$(detect); is_own=yes; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fetch() {
  case "$from" in
    http://* | https://*)
      if has curl; then curl -fsSL --retry 2 -o "$work/$1" "$from/$1"
      elif has wget; then wget -q -O "$work/$1" "$from/$1"
      else fail "curl or wget is needed."; fi
      ;;
    *) cp "$from/$1" "$work/$1" ;;
  esac
}

fetch SHA256SUMS || fail "Could not get $from/SHA256SUMS."

# Checks the signature of SHA256SUMS with minisign or, for the same signature, with OpenSSL.
verify_signature() {
  fetch SHA256SUMS.minisig || fail "The release is not signed: there is no $from/SHA256SUMS.minisig."
  if has minisign; then
    minisign -Vqm "$work/SHA256SUMS" -P "$public_key" || fail "The signature of SHA256SUMS is wrong. Nothing was installed."
  elif has openssl && openssl version | grep -q '^OpenSSL [3-9]'; then
    printf '%s' "$public_key" | openssl base64 -d -A >"$work/key"
    sed -n 2p "$work/SHA256SUMS.minisig" | openssl base64 -d -A >"$work/signature"
    [ "$(head -c 2 "$work/signature")" = Ed ] || fail "This signature needs minisign to be verified."
    { printf '\060\052\060\005\006\003\053\145\160\003\041\000'; tail -c 32 "$work/key"; } >"$work/key.der"
    tail -c 64 "$work/signature" >"$work/signature.raw"
    openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key.der" -rawin -in "$work/SHA256SUMS" \
      -sigfile "$work/signature.raw" >/dev/null 2>&1 || fail "The signature of SHA256SUMS is wrong. Nothing was installed."
  else
    fail "minisign or OpenSSL 3 is needed to verify the signature."
  fi
  echo "Verified the signature of SHA256SUMS."
}
[ -z "$public_key" ] || verify_signature

# The names of archives contain the version, which SHA256SUMS knows.
archive=$(sed -n "s/^[0-9a-f]\{64\}  \(outreachd-.*-$target\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
# linux-x64 is also the end of no other target, and must match once.
[ "$(printf '%s\n' "$archive" | grep -c .)" = 1 ] || fail "The release has no archive for $target."
[ -z "$version" ] || [ "$archive" = "outreachd-$version-$target.tar.gz" ] ||
  fail "Expected version $version, but the release has $archive."

fetch "$archive" || fail "Could not get $from/$archive."
expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
if has sha256sum; then actual=$(sha256sum "$work/$archive"); elif has shasum; then actual=$(shasum -a 256 "$work/$archive")
else fail "sha256sum or shasum is needed."; fi
[ "${actual%% *}" = "$expected" ] || fail "The checksum of $archive is wrong. Nothing was installed."

tar -xzf "$work/$archive" -C "$work"
executable=outreachd
[ -f "$work/$executable" ] || executable=outreachd.exe
chmod 755 "$work/$executable"
if [ "$is_own" = yes ] && ! "$work/$executable" --version >/dev/null 2>&1; then
  case "$target" in *-musl) fail "The executable does not start. On Alpine, run: apk add libstdc++" ;; esac
  fail "The executable does not start on this machine."
fi

if [ -z "$to" ]; then
  if [ -w /usr/local/bin ]; then to=/usr/local/bin; else to=$HOME/.local/bin; fi
fi
mkdir -p "$to"
# Renamed, because a running executable cannot be written to, and must never be half of one.
cp "$work/$executable" "$to/.$executable.new"
mv -f "$to/.$executable.new" "$to/$executable"
echo "Installed ${archive%.tar.gz} as $to/$executable."

# `man` looks beside each folder of the PATH that ends in /bin.
case "$to" in
  */bin)
    pages=${to%/bin}/share/man/man1
    if [ -f "$work/outreachd.1" ] && mkdir -p "$pages" 2>/dev/null && [ -w "$pages" ]; then
      cp "$work/outreachd.1" "$pages/outreachd.1"
      chmod 644 "$pages/outreachd.1"
      echo "Installed the manual page: man outreachd"
    fi
    ;;
esac
case ":$PATH:" in *":$to:"*) ;; *) echo "Add $to to your PATH." ;; esac
