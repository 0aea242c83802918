#!/bin/sh
# Writes OpenClaw's configuration from the agent's environment, then becomes its gateway.
set -eu
node "$(dirname "$0")/../openclaw/entrypoint.ts"
# OpenClaw prints its answers to standard output whatever the log level, and conversations have no
# place in a container's log. Warnings and errors come on standard error.
exec openclaw gateway run > /dev/null
