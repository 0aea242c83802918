#!/usr/bin/env bash
# Makes what stands for the base of the services' image, which is in a registry: Node as the checkout runs it with the libraries that
# it loads, certificates and a user, and nothing else, no shell either. They are taken from the agents' base, which is made first
# beside it. Arguments are those of base.sh.
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
