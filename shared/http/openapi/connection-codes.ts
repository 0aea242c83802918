/** The error codes of connections to MCP servers. */
export const connectionCodes = {
  CONNECTION_BUSY: {
    kinds: ['unavailable'],
    means: 'The tokens of the connection are being renewed; retry after `Retry-After`',
  },
  CONNECTION_DISCOVERY_FAILED: {
    kinds: ['bad-gateway'],
    means: 'The server requires a sign-in that the platform cannot begin',
  },
  CONNECTION_EXISTS: {
    kinds: ['conflict'],
    means: 'The agent already has a connection of this name',
  },
  CONNECTION_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The agent has reached its limit of connections',
  },
  CONNECTION_REFRESH_FAILED: {
    kinds: ['bad-gateway'],
    means: 'The authorization server did not renew the tokens of the connection',
  },
  CONNECTION_SIGNED_OUT: {
    kinds: ['conflict'],
    means: 'The owner of the agent must sign in at the server of the connection',
  },
  CONNECTION_TIMEOUT: {
    kinds: ['timeout'],
    means: 'The MCP server of the connection did not answer in time',
  },
  CONNECTION_UNREACHABLE: {
    kinds: ['bad-gateway'],
    means: 'The MCP server of the connection gave no usable response',
  },
} as const
