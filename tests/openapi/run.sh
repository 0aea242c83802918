#!/usr/bin/env bash
# Tries the OpenAPI documents with the tools that customers use. Their packages are separate from the platform's, so
# that a newcomer's `npm ci` stays small.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash tests/openapi/fetch.sh
npx --no-install vitest run --config tests/openapi/vitest.config.ts "$@"
