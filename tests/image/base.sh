#!/usr/bin/env bash
# Builds a stand-in for an image's base, which would come from a registry: Debian by debootstrap, Node and npm as the
# checkout runs them, and OpenClaw as locked. Arguments: the target folder, and a fingerprint of all its sources. A
# complete folder with the same fingerprint is reused.
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
# Package scripts are disabled, so OpenClaw's first start writes into its own folder, which is read-only in a container.
chroot "$folder" openclaw --version >&2
echo "$state" >"$folder/.whole"
