#!/usr/bin/env bash
# packages.sh: makes the packages jobgait and jobgait-spank, a deb and an rpm of each.
#
#   packages.sh OUT [BUILD]   BUILD has bin/ and share/ as `make docs` leaves them, for
#                             tests; without it they are built
#
# dpkg-deb and rpmbuild, the distributions' own, make them: nfpm would do it with one
# description for both, but is some eighty modules that nobody here reads. Debian
# packages rpmbuild, so no rpm distribution is needed.
#
# What is in them is what `make install` installs, moved to where a distribution has
# it. The same commit gives the same bytes on one machine, whenever and in
# whatever directory: times are those of the last commit (or SOURCE_DATE_EPOCH),
# owners and order fixed, programs built without paths and version control's
# stamp. Another compiler or Slurm gives others.
#
# The licence: LICENSE at the root of the tree goes into each package as it is, with
# the name that its line "SPDX-License-Identifier: NAME" says. Without that file the
# packages say that no licence is stated; this script invents none.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
go=${GO:-go}

die() { echo "packages.sh: $*" >&2; exit 1; }
[[ $# == 1 || $# == 2 ]] || die "usage: packages.sh OUT [BUILD]"

# need sees to the programs that make packages.
need() {
  local want=() item
  for item in dpkg-deb:dpkg rpmbuild:rpm readelf:binutils; do
    command -v "${item%%:*}" >/dev/null || want+=("${item##*:}")
  done
  [[ -e ${SLURM_INCLUDE:-/usr/include}/slurm/spank.h ]] || want+=(libslurm-dev)
  packaging/distribution.sh "${want[@]}"
}

# slurm_version prints the release of the headers: 24.11.
slurm_version() {
  local number
  number=$(printf '#include <slurm/slurm_version.h>\nSLURM_VERSION_NUMBER\n' |
    "${CC:-cc}" -E -P ${SLURM_INCLUDE:+-I"$SLURM_INCLUDE"} - | tail -n 1) || die "slurm_version.h does not compile"
  [[ $number =~ ^0x([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{2}$ ]] || die "SLURM_VERSION_NUMBER is $number"
  printf '%d.%02d' "0x${BASH_REMATCH[1]}" "0x${BASH_REMATCH[2]}"
}

# glibc FILE...: the oldest libc that has all that these want.
glibc() { readelf -W --version-info "$@" | grep -o 'GLIBC_2[0-9.]*' | sort -uV | tail -n 1 | cut -d_ -f2; }

# copyright: what LICENSE says, and the licences of what is compiled in.
copyright() {
  local module dir file
  echo "jobgait $version"
  if [[ -e LICENSE ]]; then echo; cat LICENSE; else
    echo "No licence is stated: the source of this package has no LICENSE file."
  fi
  printf '\nThe programs contain the following.\n'
  printf '\n== Go\n\n'; cat "$("$go" env GOROOT)/LICENSE"
  for module in $("$go" version -m "$work"/bin/jobgait{,-agent,-prolog,-epilog} | awk '$1 == "dep" {print $2}' | sort -u); do
    dir=$("$go" list -m -f '{{.Dir}}' "$module")
    printf '\n== %s\n' "$module"
    for file in "$dir"/LICEN[CS]E* "$dir"/COPYING* "$dir"/NOTICE* "$dir"/PATENTS*; do
      if [[ -f $file ]]; then echo; cat "$file"; fi
    done
  done
}

# build fills $work/bin and $work/share; the Makefile knows how.
build() {
  if [[ $given ]]; then cp -r "$given/bin" "$given/share" "$work/"; return; fi
  # No symbol table: a third less to carry to each node. Stacks keep their names.
  GOFLAGS="${GOFLAGS:-} -buildvcs=false -ldflags=-s" make -s docs BIN="$work/bin" GO="$go"
}

# stage makes a tree of each package below $work.
stage() {
  local to=$work/jobgait
  DESTDIR=$to packaging/install.sh install "$work" /usr
  mkdir -p "$to/etc/jobgait"
  install -m 644 packaging/packages/jobgait.toml "$to/etc/jobgait/"
  mv "$to/usr/share/doc/jobgait/sysusers.d" "$to/usr/share/doc/jobgait/tmpfiles.d" "$to/usr/lib/"
  copyright >"$to/usr/share/doc/jobgait/copyright"

  make -s -C spank BUILD="$work/spank-build" CFLAGS=-O2 all
  for kind in deb rpm; do
    local plugins=/usr/lib64/slurm
    [[ $kind == rpm ]] || plugins=/usr/lib/$("${CC:-cc}" -print-multiarch)/slurm-wlm
    make -s -C spank BUILD="$work/spank-build" CFLAGS=-O2 DESTDIR="$work/spank-$kind" PLUGINDIR="$plugins" \
      CONFDIR=/usr/share/doc/jobgait-spank install
    install -m 644 "$to/usr/share/doc/jobgait/copyright" "$work/spank-$kind/usr/share/doc/jobgait-spank/"
  done
  # Debian's zsh keeps a directory apart for packages.
  cp -a "$to" "$work/jobgait-deb"
  mv "$to" "$work/jobgait-rpm"
  mv "$work/jobgait-deb/usr/share/zsh/site-functions" "$work/jobgait-deb/usr/share/zsh/vendor-completions"
  find "$work"/{jobgait,spank}-{deb,rpm} -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
}

# size DIR: kilobytes that its files take.
size() { find "$1" -type f -printf '%s\n' | awk '{n += int(($1 + 1023) / 1024)} END {print n}'; }

# deb NAME VERSION DIR: the files of DIR with the control files for NAME.
deb() {
  local dir=$3 arch f
  arch=$(dpkg --print-architecture)
  mkdir "$dir/DEBIAN"
  sed -e "s|@VERSION@|$2|; s|@ARCH@|$arch|; s|@LIBC@|$libc|; s|@SIZE@|$(size "$dir")|" \
    -e "s|@SLURM@|$slurm|g; s|@SLURM_NEXT@|$slurm_next|g" "packaging/deb/$1.control" >"$dir/DEBIAN/control"
  (cd "$dir" && find . -type f -path './etc/*' -printf '/%P\n' | sort) >"$dir/DEBIAN/conffiles"
  [[ -s $dir/DEBIAN/conffiles ]] || rm "$dir/DEBIAN/conffiles"
  (cd "$dir" && find . -type f -not -path './DEBIAN/*' -not -path './etc/*' -printf '%P\n' | sort | xargs md5sum) >"$dir/DEBIAN/md5sums"
  for f in postinst prerm postrm; do
    [[ -e packaging/deb/$1.$f ]] || continue
    { echo '#!/bin/sh'; cat packaging/packages/scripts.sh "packaging/deb/$1.$f"; } >"$dir/DEBIAN/$f"
    chmod 755 "$dir/DEBIAN/$f"
  done
  find "$dir/DEBIAN" "$dir" -maxdepth 1 -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  # One thread: how xz divides its work would depend on the CPUs.
  dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$dir" "$work/out/$1_$2_$arch.deb" >/dev/null
}

# list DIR: its files for rpm's %files, directories only where they are ours alone.
list() {
  (cd "$1" && find . -mindepth 1 \( -not -type d -o -name 'jobgait*' \) -printf '%y /%P\n' | sort -k 2 | sed \
    -e 's|^d |%dir |; s|^[fl] ||' \
    -e 's|^\(/etc/.*\)|%config(noreplace) \1|; s|^\(/usr/share/doc/\)|%doc \1|; s|^\(/usr/share/man/\)|%doc \1|')
}

# rpm makes both rpms. Debian's rpmbuild has other defaults than a distribution of
# rpms: what matters is said here.
rpm() {
  list "$work/jobgait-rpm" >"$work/files"
  list "$work/spank-rpm" >"$work/files-spank"
  rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_rpmdir $work/out" --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
    --define "_dbpath $work/rpmdb" --define "_tmppath $work" --define "_buildhost localhost" \
    --define "use_source_date_epoch_as_buildtime 1" \
    --define "_binary_payload w6.xzdio" --define "_build_id_links none" --define "debug_package %{nil}" \
    --define "__os_install_post %{nil}" --define "_missing_doc_files_terminate_build 0" \
    --define "version_ $version" --define "slurm $slurm" --define "slurm_next $slurm_next" --define "license $license" \
    --define "work $work" --define "scripts $root/packaging/packages/scripts.sh" \
    packaging/rpm/jobgait.spec
}

need
out=$1 given=${2:-}
version=$(sed -n 's/^const Version = "\(.*\)"/\1/p' configs/config.go)
[[ $version ]] || die "configs/config.go has no version"
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || die "no git here: set SOURCE_DATE_EPOCH to the time of the release, in epoch seconds"
fi
export SOURCE_DATE_EPOCH
license=$(sed -n 's/^.*SPDX-License-Identifier: *//p' LICENSE 2>/dev/null | head -n 1) || true
license=${license:-none stated}
slurm=$(slurm_version)
slurm_next=${slurm%.*}.$(printf '%02d' $((10#${slurm#*.} + 1)))

mkdir -p "$out"
out=$(cd "$out" && pwd -P)
work=$(mktemp -d "$out/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/out"
build
stage
mapfile -t linked < <(find "$work"/bin -name jobgait -o -name jobgait-epilog -o -name jobgait-nvml)
libc=$(glibc "${linked[@]}" "$work"/spank-build/jobgait.so)
deb jobgait "$version" "$work/jobgait-deb"
deb jobgait-spank "$version+slurm$slurm" "$work/spank-deb"
rpm
rm -f "$out"/jobgait*.deb "$out"/jobgait*.rpm
mv "$work"/out/* "$out/"
(cd "$out" && sha256sum ./*.deb ./*.rpm)
