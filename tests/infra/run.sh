#!/usr/bin/env bash
# Checks the program that deploys, without AWS: its types, and what it declares under Pulumi's mocks.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash tests/infra/fetch.sh
# Types take one core, mostly while the other one makes the declaration that most tests look at.
node node_modules/typescript-native/bin/tsc -p tsconfig.json &
types=$!
trap wait EXIT
npx --no-install vitest run --config tests/infra/vitest.config.ts "$@"
wait "$types"
