#!/usr/bin/env bash
# Makes what stands for an image's base, which is in a registry: Debian by debootstrap, Node and npm as the checkout runs them, and
# OpenClaw as it is locked. Arguments: the folder for it, and what stands for all that it is made of: a folder that is whole and of
# the same is left as it is.
set -euo pipefail
here="$(cd "$(dirname "$0")/../.." && pwd)"
folder="$1"
state="$2"
[ -e "$folder/.whole" ] && [ "$(<"$folder/.whole")" = "$state" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
debootstrap --variant=minbase --include=ca-certificates,tini bookworm "$folder" >&2
install -m 0755 "$here/node_modules/node-linux-$(uname -m | sed 's/x86_64/x64/;s/aarch64/arm64/')/bin/node" "$folder/usr/local/bin/node"
mkdir -p "$folder/usr/local/lib/node_modules" "$folder/opt/openclaw"
cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$folder/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/usr/local/bin/npm"
cp "$here"/stacks/local/openclaw/lock/package*.json "$folder/opt/openclaw/"
npm ci --prefix "$folder/opt/openclaw" --ignore-scripts --no-audit --no-fund >&2
chmod +x "$folder/opt/openclaw/node_modules/openclaw/openclaw.mjs"
ln -s /opt/openclaw/node_modules/openclaw/openclaw.mjs "$folder/usr/local/bin/openclaw"
chroot "$folder" useradd --create-home --uid 1000 node
# Without the scripts of packages, its first start writes into its own folder, which is read-only where it runs.
chroot "$folder" openclaw --version >&2
echo "$state" >"$folder/.whole"
