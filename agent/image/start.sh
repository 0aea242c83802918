#!/bin/sh
# Writes OpenClaw's configuration from the agent's environment, then becomes its gateway.
set -eu
node /opt/agent/openclaw/write.ts
exec openclaw gateway run
