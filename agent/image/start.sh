#!/bin/sh
# Writes OpenClaw's configuration from the agent's environment, then becomes its gateway.
set -eu
node /opt/agent/openclaw/entrypoint.ts
exec openclaw gateway run
