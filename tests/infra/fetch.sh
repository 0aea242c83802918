#!/usr/bin/env bash
# Unpacks the components that the program that deploys is made of, and installs their packages.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The switches keep the CLI from fetching its own Pulumi and bun: neither is needed, for nothing is deployed.
SST_SKIP_DEPENDENCY_CHECK=1 SST_NO_BUN=1 SST_TELEMETRY_DISABLED=1 npx --no-install sst install --stage ci
