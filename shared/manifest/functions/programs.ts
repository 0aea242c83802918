import type { SpecOf } from '../types.ts'

/** What users' own programs stand on: their webhook endpoints, and what tells them of spending. */
export const programs = [
  {
    name: 'web-webhook-endpoints',
    entry: 'functions/web/webhook-endpoints.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/webhook-endpoints'] },
    memoryMb: 512,
    timeoutSeconds: 10,
    grants: [{ table: 'write' }, { send: 'webhook-deliveries' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'webhook-deliveries',
    entry: 'functions/jobs/webhook-deliveries.ts',
    trigger: { kind: 'queue', queue: 'webhook-deliveries', batchSize: 5, maxReceives: 8 },
    memoryMb: 512,
    timeoutSeconds: 30,
    grants: [{ table: 'write' }, { send: 'webhook-deliveries' }, { send: 'mails' }],
    settings: ['WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'webhooks-due',
    entry: 'functions/scheduled/webhooks-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { send: 'webhook-deliveries' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'spend-alerts',
    entry: 'functions/scheduled/spend-alerts.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { send: 'mails' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
