import type { SpecOf } from '../types.ts'

/** Functions that give programs access to the web surface, and that revoke it. */
export const webAccess = [
  {
    name: 'web-keys',
    entry: 'functions/web/keys.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/keys'] },
    memoryMb: 1024,
    timeoutSeconds: 10,
    grants: [{ table: 'write' }, { send: 'webhook-deliveries' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET'],
    budget: 'hot',
  },
  {
    name: 'web-account',
    entry: 'functions/web/account.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/account'] },
    memoryMb: 1024,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { send: 'entitlements' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'web-mcp',
    entry: 'functions/web/mcp.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/mcp'],
      // A chat takes longer than an HTTP API allows.
      streaming: true,
    },
    memoryMb: 512,
    timeoutSeconds: 60,
    // No grants, because it calls the web surface with the caller's credential and stores nothing.
    grants: [],
    settings: ['WEB_URL'],
    secrets: ['ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'password-resets',
    entry: 'functions/jobs/password-resets.ts',
    trigger: { kind: 'queue', queue: 'password-resets', batchSize: 5, maxReceives: 5 },
    memoryMb: 256,
    timeoutSeconds: 30,
    grants: [{ table: 'write' }, { send: 'mails' }],
    settings: ['WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
