#!/bin/sh
# Becomes the process before OpenClaw: it writes OpenClaw's configuration, runs it on loopback, and
# serves the agent's port.
set -eu
exec node "$(dirname "$0")/../openclaw/front/main.ts"
