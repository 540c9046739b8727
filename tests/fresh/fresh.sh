#!/usr/bin/env bash
# A bare Debian 12 in a temporary folder, a clone of this repository's HEAD in it, and ./run and ./test inside:
# what somebody meets who has just installed Debian. Nothing but the clone is taken from outside (no meshes, no
# build, no compiler cache).
#
# Needs root, debootstrap and git. Debian comes from the mirror that apt uses on this machine, with apt's own
# settings, proxies and keys. Exit status 77: it cannot run here.
#
# Usage: fresh.sh [COMMAND...]        COMMAND instead of ./run and ./test, for a look around
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
suite=bookworm

cannot() {
    echo "not run: $*" >&2
    exit 77
}
((EUID == 0)) || cannot "a bare Debian needs root (chroot, debootstrap)"
command -v debootstrap >/dev/null || cannot "debootstrap is missing (apt-get install debootstrap)"
command -v git >/dev/null || cannot "git is missing"

# Every mount below is made in a mount namespace of this script alone: it goes with the script, however the
# script ends, so that no cleaning can ever reach the machine's own /proc.
if [[ ${PLUSH_FRESH_INSIDE:-} != yes ]]; then
    unshare --mount --propagation private true 2>/dev/null || cannot "no mount namespaces here"
    root=$(mktemp -d "${TMPDIR:-/tmp}/plush-fresh.XXXXXX")
    trap 'rm -rf --one-file-system -- "$root"' EXIT
    trap 'exit 130' INT TERM
    PLUSH_FRESH_INSIDE=yes PLUSH_FRESH_ROOT=$root \
        unshare --mount --propagation private bash "${BASH_SOURCE[0]}" "$@"
    exit
fi
root=$PLUSH_FRESH_ROOT

timed() {  # NAME COMMAND...
    local start=$SECONDS status=0
    "${@:2}" || status=$?
    times+=("$1: $((SECONDS - start)) s$( ((status == 0)) || echo ", status $status")")
    return "$status"
}
times=()
trap 'printf "%s\n" "${times[@]}"' EXIT

# shellcheck disable=SC2016  # the dollars are apt's
mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite=$suite '$1 == suite { print $2; exit }')
[[ -n $mirror ]] || cannot "apt on this machine has no source for $suite"
# debootstrap downloads by itself and does not read apt's proxy.
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
[[ -z ${http_proxy:-} ]] || export http_proxy
[[ -z ${https_proxy:-} ]] || export https_proxy

timed "bare Debian" debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log"
    rm -f "$root.log"
    exit 1
}
rm -f "$root.log"

cp -aL /etc/apt/. "$root/etc/apt/"
rm -f "$root"/etc/apt/sources.list.d/*disabled*
cp -anL /usr/share/keyrings/. "$root/usr/share/keyrings/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"

git -c safe.directory='*' clone -q --no-hardlinks "file://$repository" "$root/plush"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"

inside() {
    chroot "$root" /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 CI=true \
        bash -c 'cd /plush && exec "$@"' inside "$@"
}
if (($#)); then
    inside "$@"
    exit
fi
timed "./run, from nothing" inside ./run
timed "./test, after it" inside ./test
