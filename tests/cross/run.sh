#!/usr/bin/env bash
# Builds the scenes for several targets, runs them, and compares their digests line by line.
#
#   tests/cross/run.sh [--strict] [TARGET...]
#
# Targets: native (release, the reference), debug (opt-level 0), cpu (target-cpu=native), wasm32 (in Node), aarch64 (under
# qemu-user). Without names: all. A target whose tools cannot be had is SKIPPED with the reason; --strict makes that a
# failure. Where rustup has a target it is used; else, on Debian as root, its rustc-web packages are unpacked into a cache
# folder (THRONG_CROSS_CACHE, by default target/cross) beside the installed toolchain.
set -u
cd "$(dirname "$0")" || exit 1
cache=${THRONG_CROSS_CACHE:-$(cd ../.. && pwd)/target/cross}
web=$cache/web
mkdir -p "$cache"
strict=0
targets=()
for argument in "$@"; do
  case $argument in --strict) strict=1 ;; *) targets+=("$argument") ;; esac
done
[ ${#targets[@]} -gt 0 ] || targets=(native debug cpu wasm32 aarch64)

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
  mkdir -p "$cache/debs"
  download rustc-web libstd-rust-web-dev rust-web-src || return 1
  version=$(dpkg-deb -f "$(ls "$cache"/debs/rustc-web_*.deb | head -n 1)" Depends | grep -o 'libstd-rust-web-[0-9.]*' | head -n 1)
  download "$version" || return 1
  for deb in "$cache"/debs/*.deb; do dpkg -x "$deb" "$web" || return 1; done
}
with_web() { LD_LIBRARY_PATH=$web/usr/lib/x86_64-linux-gnu RUSTC=$web/usr/bin/rustc "$@"; }

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
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 RUSTC_BOOTSTRAP=1 \
      with_web cargo build --quiet --release --lib --target-dir "$cache/wasm32" -Z build-std=std,panic_abort --target $target >&2 || return 1
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
    RUSTC_BOOTSTRAP=1 with_web cargo build --quiet --release --target-dir "$cache/aarch64" -Z build-std=std,panic_abort --target $target >&2 || return 1
  fi
  qemu-aarch64-static -L /usr/aarch64-linux-gnu "$cache/aarch64/$target/release/cross"
}

expected=$(run_native) || { echo "the reference does not build or run" >&2; exit 1; }
printf 'native (reference)\n%s\n' "$expected"
status=0
for target in "${targets[@]}"; do
  [ "$target" = native ] && continue
  found=$("run_$target")
  code=$?
  if [ $code = 77 ]; then
    [ $strict = 1 ] && status=1
  elif [ $code != 0 ]; then
    echo "$target: does not build or run" >&2
    status=1
  elif [ "$found" = "$expected" ]; then
    echo "$target: same digests"
  else
    echo "$target: DIFFERS (< expected, > found)"
    diff <(echo "$expected") <(echo "$found") | head -n 4
    status=1
  fi
done
exit $status
