#!/usr/bin/env bash
# Checks the deployment program without AWS: its types, and its declarations under Pulumi's mocks.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash tests/infra/fetch.sh
# The type check takes one core, mostly while the other core prepares the declaration that most tests read.
node node_modules/typescript-native/bin/tsc -p tsconfig.json &
types=$!
trap wait EXIT
npx --no-install vitest run --config tests/infra/vitest.config.ts "${@#tests/infra/}"
wait "$types"
