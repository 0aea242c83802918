#!/usr/bin/env bash
# Builds a stand-in for the base of the services' image, which would come from a registry: Node as the checkout runs it
# with its libraries, certificates and a user, and no other program, not even a shell. The files come from the agents'
# base, which is built first in the folder beside it. The arguments are the same as base.sh's.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="$1"
state="$2"
[ -e "$folder/.whole" ] && [ "$(<"$folder/.whole")" = "$state" ] && exit 0
debian="$(dirname "$folder")/base"
bash "$here/base.sh" "$debian" "$state"
rm -rf "$folder"
mkdir -p "$folder"/{nodejs/bin,etc/ssl/certs,home/nonroot,proc,dev,tmp}
cp "$debian/usr/local/bin/node" "$folder/nodejs/bin/node"
for library in $(chroot "$debian" ldd /usr/local/bin/node | grep -o '/[^ ]*'); do
  mkdir -p "$folder$(dirname "$library")"
  cp -L "$debian$library" "$folder$library"
done
cp -L "$debian/etc/ssl/certs/ca-certificates.crt" "$folder/etc/ssl/certs/"
echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >"$folder/etc/passwd"
echo 'nonroot:x:65532:' >"$folder/etc/group"
chmod 1777 "$folder/tmp"
chown 65532:65532 "$folder/home/nonroot"
echo "$state" >"$folder/.whole"
