#!/usr/bin/env bash
# Unpacks the components of the deployment program, and installs their packages.
set -euo pipefail
cd "$(dirname "$0")/../.."

# These variables keep the CLI from downloading its own Pulumi and bun. They are not needed, because nothing is
# deployed.
SST_SKIP_DEPENDENCY_CHECK=1 SST_NO_BUN=1 SST_TELEMETRY_DISABLED=1 npx --no-install sst install --stage ci
