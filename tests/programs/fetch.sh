#!/usr/bin/env bash
# Installs the programs, and with PROGRAMS=all the packages of more/, unless the locked versions are already installed.
set -euo pipefail
cd "$(dirname "$0")"

install() (
  cd "$1"
  installed=node_modules/.for-lock
  if cmp -s package-lock.json "$installed"; then exit; fi
  npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
  cp package-lock.json "$installed"
)

install .
if [ "${PROGRAMS:-}" = all ]; then install more; fi
