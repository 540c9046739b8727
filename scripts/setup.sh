# shellcheck shell=bash disable=SC2034
# What ./run and ./test share: words for the terminal, Debian's packages, configuring and building.
# Sourced by bash with the repository's root as the working folder.

# Debian 12 packages. docs/dependencies.md says what each is for.
build_packages=(g++ cmake ninja-build ccache mold
                libtbb-dev libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev libxxhash-dev
                libembree-dev libpng-dev libfreetype-dev fonts-dejavu-core
                civetweb libcivetweb-dev)
run_packages=(ffmpeg)  # films
python_packages=(python3 python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-numpy pybind11-dev)
test_packages=(libgtest-dev libcgal-dev clang-14 clang-format-14 python3 python3-jsonschema git
               "${python_packages[@]}" python3-pytest python3-hypothesis mypy python3-matplotlib ffmpeg
               chromium doxygen)

if [[ -n ${CI:-} ]]; then
    export TERM=dumb NO_COLOR=1 GTEST_COLOR=no  # a log is no terminal
fi
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' plain=$'\e[0m'
else
    bold='' plain=''
fi

say() { printf '%s%s%s\n' "$bold" "$*" "$plain"; }
stop() {  # STATUS WORDS...
    printf '%s\n' "${@:2}" >&2
    exit "$1"
}

# Installs those of the given packages that are missing; nothing is asked of the network when none is.
install_missing() {
    if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
        say "No apt here, so nothing is installed. Plush needs what Debian 12 calls: $*"
        return
    fi
    local package missing=() as_root=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    if ((EUID != 0)); then
        as_root=(sudo)
        command -v sudo >/dev/null || stop 2 "These Debian packages are missing: ${missing[*]}" \
            "Neither root nor sudo is here to install them. As root: apt-get install ${missing[*]}"
    fi
    say "Installing from Debian: ${missing[*]}"
    # A broken source of something else need not be in the way: whether the packages come is what counts.
    "${as_root[@]}" apt-get update -q || say "apt-get update complains; going on with what it knows"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
        stop 2 "apt-get could not install: ${missing[*]}. The reason stands above."
}

# The page of `plush view` is built by npm, whoever brought it here. Without it all else is built.
install_npm() {
    command -v npm >/dev/null && return
    (install_missing nodejs npm) || true
    command -v npm >/dev/null ||
        say "npm cannot be had here: the page of plush view is not built, its tests are skipped. Everything else is there."
}
# Says so where the page is not in the program of a build.
tell_of_page() {  # PRESET
    [[ -e build/$1/web/stamp ]] || say "The page of plush view is not in this program: npm, or its packages, could not be had."
}

# The instruction set to build for: x86-64-v3, unless this machine is older.
arch_option() {
    local flag
    for flag in avx2 bmi1 bmi2 f16c fma movbe; do
        grep -qw "$flag" /proc/cpuinfo || { echo "-DPLUSH_ARCH=x86-64-v2"; return; }
    done
    echo "-DPLUSH_ARCH=x86-64-v3"
}

# configure PRESET [-DKEY=VALUE...]: quiet, unless it fails.
configure() {
    local log
    say "Configuring build/$1"
    log=$(cmake --preset "$@" 2>&1) || stop 1 "$log" "Configuring build/$1 failed: see above."
}

# build PRESET [TARGET...]
build() {
    local preset=$1
    shift
    say "Building build/$preset"
    cmake --build --preset "$preset" ${1:+--target "$@"} || stop 1 "Building build/$preset failed: see above."
}
