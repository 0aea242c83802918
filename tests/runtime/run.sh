#!/usr/bin/env bash
# Runs the deployed bundles under AWS's own runtime client. Its package is separate from the platform's, because it is
# compiled. Without it, all tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash tests/runtime/fetch.sh || echo 'The runtime client cannot be built.' >&2
npx --no-install vitest run --config tests/runtime/vitest.config.ts "$@"
