# shellcheck shell=bash
# Sourced by the scripts that build libraries from Debian's source packages. They set `list`, the file that
# packaging/static/sources.txt shows the form of, and `work`, a folder; `fail` ends them with one line.
: "${list:?}" "${work:?}"

# The lines of a library: its files, or its patches.
files_of() { awk -v name="$1" '$1 == name { print $3, $4 }' "$list"; }
patches_of() { awk -v name="$1" '$1 == "patch" && $2 == name { print $3 }' "$list"; }

# debian_sources: apt-get's options for a copy of this system's lists that has the sources too.
debian_sources() {
  local apt=$work/apt
  printf '%s\n' -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/etc" \
    -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=
}

prepare_apt() {
  local apt=$work/apt
  if [[ -d $apt/etc ]]; then return; fi
  command -v apt-get >/dev/null || fail "there is no apt-get; put the files of $list into PARK_SOURCES"
  mkdir -p "$apt/etc" "$apt/lists/partial" "$apt/cache"
  # Both forms of a list of packages: a paragraph with Types, and lines that begin with deb.
  local file
  for file in /etc/apt/sources.list.d/*.sources; do
    if [[ -f $file ]]; then sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/etc/$(basename "$file")"; fi
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [[ -f $file ]]; then sed -n 's/^deb /deb-src /p' "$file" >"$apt/etc/$(basename "$file" .list).list"; fi
  done
  mapfile -t options < <(debian_sources)
  apt-get "${options[@]}" -q update >"$work/apt.log" 2>&1 || fail "apt-get update: $(tail -n 3 "$work/apt.log")"
}

# fetch PACKAGE=VERSION FILE SHA256: the file in work/sources, checked.
fetch() {
  local there=$work/sources/$2
  if [[ ! -f $there && -f ${PARK_SOURCES:-/nowhere}/$2 ]]; then cp "$PARK_SOURCES/$2" "$there"; fi
  if [[ ! -f $there ]]; then
    prepare_apt
    (cd "$work/sources" && apt-get "${options[@]}" -q source --download-only "$1") >"$work/apt.log" 2>&1 ||
      fail "$2 is not in PARK_SOURCES, and apt-get: $(tail -n 3 "$work/apt.log")"
  fi
  echo "$3  $there" | sha256sum --check --quiet - && return
  echo "$there is not the file of $list" >&2  # no `fail`, which may mean that there is no network
  exit 1
}

# fetch_files NAME...: the files of these libraries.
fetch_files() {
  local wanted name package file sum
  for wanted in "$@"; do
    while read -r name package file sum; do
      if [[ $name == "$wanted" ]]; then fetch "$package" "$file" "$sum"; fi
    done <"$list"
  done
}

# unpack NAME: its first file in work/NAME, with the fixes that are named.
unpack() {
  local name=$1 files patch
  mapfile -t files < <(files_of "$name" | cut -d' ' -f1)
  rm -rf "${work:?}/$name"
  mkdir -p "$work/$name"
  tar -xf "$work/sources/${files[0]}" -C "$work/$name" --strip-components=1
  for patch in $(patches_of "$name"); do
    tar -xOf "$work/sources/${files[1]}" "debian/patches/$patch" | patch -s -p1 -d "$work/$name"
  done
}
