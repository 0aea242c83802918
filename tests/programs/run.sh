#!/usr/bin/env bash
# Runs programs that call models against the gateway and a played provider. Their packages are separate from the
# platform's, so that a newcomer's `npm ci` stays small. The tests of packages that are not installed are skipped:
# the packages of more/ are installed only with PROGRAMS=all.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash tests/programs/fetch.sh || echo 'The programs cannot be installed: their tests are skipped.' >&2
npx --no-install vitest run --config tests/programs/vitest.config.ts "$@"
