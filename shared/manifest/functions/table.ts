import type { SpecOf } from '../types.ts'

/** Functions of several route groups or schedules that need only the table: docs/design/decisions/0031. */
export const tableOnly = [
  {
    name: 'web-table',
    entry: 'functions/web/table.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: [
        '/oauth',
        '/.well-known/oauth-authorization-server',
        '/.well-known/oauth-protected-resource',
        '/api/colony',
        '/api/dashboard',
        '/api/metrics',
        '/api/mission-control',
        '/api/test-usage',
        '/api/usage',
      ],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }],
    // The list of ways to sign in needs only their public settings.
    settings: [
      'ADMIN_EMAILS',
      'BACKEND_URL',
      'CODEHOST_BASE_URL',
      'CODEHOST_CLIENT_ID',
      'EVM_CHAIN_ID',
      'IDP_CLIENT_ID',
      'IDP_ISSUER',
      'WEB_URL',
      'X402_GATEWAY_URL',
    ],
    secrets: ['ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    // The tools of agents, which authenticate with their scoped keys. The tools of users are in web-mcp, which accepts
    // no keys of agents.
    name: 'backend-table',
    entry: 'functions/backend/table.ts',
    trigger: {
      kind: 'http',
      surface: 'backend',
      prefixes: [
        '/mcp',
        '/api/underground/amplifications',
        '/api/underground/bookings',
        '/api/underground/events',
      ],
    },
    memoryMb: 1024,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }],
    // The tools call services through the broker, the only function that opens their credentials.
    settings: ['BACKEND_URL', 'SUMMARIZER_URL'],
    secrets: ['INTERNAL_API_KEY', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'maintenance',
    entry: 'functions/scheduled/maintenance.ts',
    trigger: { kind: 'schedule', everyMinutes: 60 },
    memoryMb: 512,
    timeoutSeconds: 900,
    grants: [{ table: 'write' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
