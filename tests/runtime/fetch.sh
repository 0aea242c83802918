#!/usr/bin/env bash
# Installs AWS's runtime client, which compiles C++ (about a minute of processor time), unless the locked version is
# already installed.
set -euo pipefail
cd "$(dirname "$0")/client"

installed=node_modules/.for-lock
if cmp -s package-lock.json "$installed"; then exit; fi
for tool in cmake g++ make python3 tar xz; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done
# The headers of the Node that runs the functions, so that none are downloaded.
node=$(readlink -f ../../../node_modules/.bin/node)
npm_config_nodedir=$(dirname "$(dirname "$node")") npm ci --no-audit --no-fund --loglevel=error
cp package-lock.json "$installed"
