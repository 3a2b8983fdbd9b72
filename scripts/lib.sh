# Shared by the scripts beside it; sourced with $root and $me set. Everything said here goes to
# stderr: stdout belongs to the program.
# shellcheck shell=bash disable=SC2034,SC2154

run_packages=(g++ cmake ninja-build libyaml-cpp-dev libcli11-dev libboost1.74-dev doctest-dev
  nlohmann-json3-dev libfmt-dev libmd-dev libcsv-dev libeigen3-dev)
test_packages=(libbenchmark-dev locales)
lint_packages=(clang-14 clang-tidy-14 clang-format-14)

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() {
  say "$*"
  exit 2
}

# Runs a command: its output is shown as it comes in a terminal, else only when the command fails.
quietly() {
  if [[ -t 2 ]]; then
    "$@" </dev/null >&2
    return
  fi
  local log status=0
  log=$(mktemp)
  "$@" </dev/null >"$log" 2>&1 || status=$?
  if ((status != 0)); then cat "$log" >&2; fi
  rm -f "$log"
  return "$status"
}

# One run at a time installs and builds in this checkout; the lock goes with the process or unlock.
lock() {
  mkdir -p "$root/build" || die "cannot create $root/build"
  exec {lock_fd}>"$root/build/.lock"
  flock -n "$lock_fd" && return
  say "waiting for another build of this folder to end"
  flock "$lock_fd"
}
unlock() { exec {lock_fd}>&-; }

# Sets `missing` to those of the named packages that are not installed.
find_missing() {
  local name status
  local -A installed=()
  missing=()
  if ! command -v dpkg-query >/dev/null; then
    return 0 # not a Debian: configuring will name what it does not find
  fi
  while read -r name status; do
    if [[ $status == ii* ]]; then installed[$name]=1; fi
  done <<<"$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null || true)"
  for name in "$@"; do
    if [[ ! -v installed[$name] ]]; then missing+=("$name"); fi
  done
}

# Installs those of the named packages that are missing, or says what to run.
need() {
  find_missing "$@"
  if ((${#missing[@]} == 0)); then return; fi

  local remedy="sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
  local -a as_root=()
  if [[ ${BTA_PLAN_NO_INSTALL:-} == 1 ]]; then
    die "missing packages, and BTA_PLAN_NO_INSTALL=1 forbids installing them; run: $remedy"
  elif ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      die "missing packages, and only root may install them; run as root: ${remedy//sudo /}"
    elif ! sudo -n true 2>/dev/null && [[ ! -t 0 ]]; then
      die "missing packages, and sudo asks for a password; run: $remedy"
    fi
    as_root=(sudo)
  fi

  say "installing ${missing[*]}"
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
  quietly "${apt[@]}" update || say "apt-get update failed; trying with the package lists at hand"
  quietly "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    die "installing failed; run: $remedy"
  rm -f "$root"/build/*/.configured # what was left out for want of a package comes in
}

# Configures a preset the first time, and again when the presets or the place of this folder changed.
# ninja itself configures again when a CMakeLists.txt changes.
configure() {
  local preset=$1 dir=$root/build/$1
  local stamp=$dir/.configured
  if [[ -f $stamp && $(<"$stamp") == "$root" && ! $root/CMakePresets.json -nt $stamp ]]; then return; fi
  say "configuring build/$preset"
  (cd "$root" && quietly cmake --preset "$preset" --fresh) || die "configuring build/$preset failed"
  printf '%s\n' "$root" >"$stamp"
}

# Builds targets of a preset; says nothing when all is up to date.
build() {
  local preset=$1 dir=$root/build/$1
  shift
  configure "$preset"
  if [[ $(ninja -C "$dir" -n "$@" 2>&1) == *"no work to do"* ]]; then return; fi
  say "building build/$preset"
  quietly ninja -C "$dir" "$@" || die "building build/$preset failed"
}
