import type { SpecOf } from '../types.ts'

/** The functions that connect agents to MCP servers with tokens that the agents cannot read. */
export const connections = [
  {
    name: 'web-connections',
    entry: 'functions/web/connections.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: [
        '/api/agents/{id}/connections',
        '/api/agents/{id}/connection-requests',
        '/api/connections',
      ],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { send: 'mails' }],
    settings: ['ADMIN_EMAILS', 'FETCH_ALLOW_HOSTS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'backend-connections',
    entry: 'functions/backend/connections.ts',
    trigger: {
      kind: 'http',
      surface: 'backend',
      prefixes: ['/connections'],
      streaming: true,
    },
    memoryMb: 512,
    timeoutSeconds: 75,
    // A limit, because slow servers must not occupy the instances of all other functions.
    reserved: 30,
    // For the owner of an agent: approvals, and mails about a connection that fails.
    grants: [
      { table: 'write' },
      { send: 'approvals' },
      { send: 'webhook-deliveries' },
      { send: 'mails' },
    ],
    settings: ['FETCH_ALLOW_HOSTS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
