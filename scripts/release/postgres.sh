#!/bin/sh
# Builds the server programs of PostgreSQL from its own source and packs them, for EMBEDDED_POSTGRES_BIN:
#   scripts/release/postgres.sh FOLDER
# The version and its hash are in postgres-source.sha256. Needs bison, bzip2, curl, flex, gcc, make, perl, tar and xz.
set -eu

target=$(mkdir -p "$1" && cd "$1" && pwd)
sums=$(cd "$(dirname "$0")" && pwd)/postgres-source.sha256
source=$(awk '{ print $2 }' "$sums")
name=${source%.tar.bz2}
version=${name#postgresql-}
case $(uname -m) in
  x86_64) system=linux-x64 ;;
  aarch64) system=linux-arm64 ;;
  *) echo "postgres.sh: no name for the system $(uname -m)" >&2 && exit 1 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The hash that was read when the version was chosen, and the one that is published now.
address=https://ftp.postgresql.org/pub/source/v$version/$source
curl --fail --silent --show-error --proto '=https' --retry 3 --remote-name "$address" --remote-name "$address.sha256"
sha256sum --check "$sums" "$source.sha256"

# As little as the relay needs: passwords and random bytes come from PostgreSQL itself and the kernel, and texts are ordered by bytes.
tar xf "$source"
cd "$name"
./configure --quiet --prefix="$work/built" --disable-rpath --without-icu --without-readline --without-zlib
make --silent -j "$(nproc)" LDFLAGS_EX="-Wl,-rpath,'\$\$ORIGIN/../lib'"
make --silent install-strip LDFLAGS_EX="-Wl,-rpath,'\$\$ORIGIN/../lib'"

# PostgreSQL finds its files relative to the program, so the folder may be moved.
packed=$work/packed/$name
mkdir -p "$packed/bin"
cp COPYRIGHT "$packed"
for program in postgres initdb; do cp "$work/built/bin/$program" "$packed/bin"; done
cp -R "$work/built/lib" "$work/built/share" "$packed"
find "$packed/lib" -name '*.a' -delete
rm -rf "$packed/lib/pgxs" "$packed/lib/postgresql/pgxs" "$packed/lib/pkgconfig" "$work/built"

# Tried where it was not built. PostgreSQL refuses to run as root.
as_other() {
  if [ "$(id -u)" = 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi
}
chmod 755 "$work"
trial=$(as_other mktemp -d)
cd "$trial"
as_other "$packed/bin/initdb" --pgdata="$trial/data" --no-locale --encoding=UTF8 --data-checksums > "$work/initdb.log" ||
  { cat "$work/initdb.log" && exit 1; }
echo 'select version()' | as_other "$packed/bin/postgres" --single -D "$trial/data" postgres | grep "PostgreSQL $version "
cd "$work"
rm -rf "$trial"

tar --create --xz --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
  --file="$target/$name-$system.tar.xz" --directory="$work/packed" "$name"
ls -l "$target"
