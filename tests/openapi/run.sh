#!/usr/bin/env bash
# Tries the OpenAPI documents with the tools that customers use. Their packages are not among the platform's own:
# `npm ci` of a newcomer stays as small as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash tests/openapi/fetch.sh
npx --no-install vitest run --config tests/openapi/vitest.config.ts "$@"
