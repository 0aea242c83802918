#!/bin/sh
# Runs the front process: it writes OpenClaw's configuration, runs OpenClaw on loopback, and
# serves the agent's port.
set -eu
exec node "$(dirname "$0")/../openclaw/front/main.ts"
