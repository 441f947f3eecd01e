#!/usr/bin/env bash
# Builds the scenes for several targets, runs them, and compares their digests line by line.
#
#   tests/cross/run.sh [--strict] [TARGET...]
#
# Targets: native (release, the reference), debug (opt-level 0), cpu (target-cpu=native), wasm32 (in Node), aarch64 (under
# qemu-user), i686 (through its own loader). Without names: all. A target whose tools cannot be had is SKIPPED with the
# reason; --strict makes that a failure. Where rustup has a target it is used; else, on Debian as root, its rustc-web packages are unpacked into a cache
# folder (THRONG_CROSS_CACHE, by default target/cross) beside the installed toolchain.
set -u
cd "$(dirname "$0")" || exit 1
cache=${THRONG_CROSS_CACHE:-$(cd ../.. && pwd)/target/cross}
web=$cache/web
mkdir -p "$cache"
strict=0
targets=()
for argument in "$@"; do
  case $argument in
    --strict) strict=1 ;;
    native | debug | cpu | wasm32 | aarch64 | i686) targets+=("$argument") ;;
    *) echo "unknown target $argument: native, debug, cpu, wasm32, aarch64 or i686" >&2; exit 2 ;;
  esac
done
[ ${#targets[@]} -gt 0 ] || targets=(native debug cpu wasm32 aarch64 i686)

skip() { echo "SKIPPED $1: $2" >&2; return 77; }
build() { cargo build --quiet --target-dir "$cache/$1" "${@:2}" >&2; }
has_rustup_target() { rustup target list --installed 2>/dev/null | grep -qx "$1" || rustup target add "$1" >/dev/null 2>&1; }
is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; }
install() { apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y --no-install-recommends "$@" >/dev/null; } >&2; }

download() { (cd "$cache/debs" && { apt-get download "$@" || { apt-get update -qq && apt-get download "$@"; }; } >&2); }

# Unpacks Debian's rustc for the web, with its library source.
fetch_web() {
  [ -x "$web/usr/bin/rustc" ] && return 0
  is_debian_root || return 1
  install libllvm22 lld-22 || return 1
  local version
  rm -rf "$cache/debs" "$web.part"
  mkdir -p "$cache/debs"
  download rustc-web libstd-rust-web-dev rust-web-src || return 1
  version=$(dpkg-deb -f "$cache"/debs/libstd-rust-web-dev_*.deb Depends | grep -o 'libstd-rust-web-[0-9][0-9.]*' | head -n 1)
  [ -n "$version" ] && download "$version" || return 1
  for deb in "$cache"/debs/*.deb; do dpkg -x "$deb" "$web.part" || return 1; done
  mv "$web.part" "$web"  # whole or not at all: a broken download is not taken for a toolchain
}
with_web() { LD_LIBRARY_PATH=$web/usr/lib/x86_64-linux-gnu RUSTC=$web/usr/bin/rustc "$@"; }
build_web() { RUSTC_BOOTSTRAP=1 with_web cargo build --quiet --release --target-dir "$cache/$1" -Z build-std=std,panic_abort "${@:2}" >&2; }

run_native() { build native --release && "$cache/native/release/cross"; }
run_debug() { build debug && "$cache/debug/debug/cross"; }
run_cpu() { RUSTFLAGS="-C target-cpu=native" build cpu --release && "$cache/cpu/release/cross"; }

run_wasm32() {
  local target=wasm32-unknown-unknown
  command -v node >/dev/null || { skip wasm32 "no Node"; return; }
  if has_rustup_target $target; then
    build wasm32 --release --lib --target $target || return 1
  else
    fetch_web || { skip wasm32 "no toolchain for it, and none could be fetched"; return; }
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 build_web wasm32 --lib --target $target || return 1
  fi
  node run.mjs "$cache/wasm32/$target/release/cross.wasm"
}

run_aarch64() {
  local target=aarch64-unknown-linux-gnu
  if ! command -v qemu-aarch64-static >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
    is_debian_root && install qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross || { skip aarch64 "no qemu-user or cross linker"; return; }
  fi
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
  if has_rustup_target $target; then
    build aarch64 --release --target $target || return 1
  else
    fetch_web || { skip aarch64 "no toolchain for it, and none could be fetched"; return; }
    build_web aarch64 --target $target || return 1
  fi
  qemu-aarch64-static -L /usr/aarch64-linux-gnu "$cache/aarch64/$target/release/cross"
}

run_i686() {
  local target=i686-unknown-linux-gnu libraries=/usr/i686-linux-gnu/lib
  if ! command -v i686-linux-gnu-gcc >/dev/null || [ ! -e $libraries/ld-linux.so.2 ]; then
    is_debian_root && install gcc-i686-linux-gnu libc6-dev-i386-cross || { skip i686 "no cross linker"; return; }
  fi
  export CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=i686-linux-gnu-gcc
  if has_rustup_target $target; then
    build i686 --release --target $target || return 1
  else
    fetch_web || { skip i686 "no toolchain for it, and none could be fetched"; return; }
    build_web i686 --target $target || return 1
  fi
  $libraries/ld-linux.so.2 --library-path $libraries "$cache/i686/$target/release/cross"
}

started=$SECONDS
expected=$(run_native) || { echo "the reference does not build or run" >&2; exit 1; }
printf 'native (reference), %s s\n%s\n' $((SECONDS - started)) "$expected"
status=0
for target in "${targets[@]}"; do
  [ "$target" = native ] && continue
  started=$SECONDS
  found=$("run_$target")
  code=$?
  took="$((SECONDS - started)) s"
  if [ $code = 77 ]; then
    [ $strict = 1 ] && status=1
  elif [ $code != 0 ]; then
    echo "$target: does not build or run, $took" >&2
    status=1
  elif [ "$found" = "$expected" ]; then
    echo "$target: same digests, $took"
  else
    echo "$target: DIFFERS, first in line (expected | found):"
    paste -d '|' <(echo "$expected") <(echo "$found") | awk -F '|' '$1 != $2 { print "  " NR ": " $1 " | " $2; exit }'
    status=1
  fi
done
exit $status
