#!/usr/bin/env bash
# Checks the program that deploys, without AWS: its types, and what it declares under Pulumi's mocks.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The switches keep the CLI from fetching its own Pulumi and bun: neither is needed, for nothing is deployed.
SST_SKIP_DEPENDENCY_CHECK=1 SST_NO_BUN=1 SST_TELEMETRY_DISABLED=1 npx --no-install sst install --stage ci
npx --no-install tsc -p tsconfig.json
npx --no-install vitest run --config tests/infra/vitest.config.ts "$@"
