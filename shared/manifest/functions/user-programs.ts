import type { SpecOf } from '../types.ts'
import { modelSettings } from './groups.ts'

/** Functions for users' own programs: webhook endpoints, and notices of spending. */
export const userPrograms = [
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
    name: 'telemetry',
    entry: 'functions/jobs/telemetry.ts',
    trigger: {
      kind: 'queue',
      queue: 'telemetry',
      // The spans of a user in this window are sent to the user's collector in one request.
      batchSize: 100,
      batchWindowSeconds: 5,
      // The third attempt drops spans that the collector does not accept, so that a missing collector raises no alarm
      // of the platform.
      maxReceives: 4,
    },
    memoryMb: 256,
    timeoutSeconds: 30,
    grants: [{ table: 'read' }],
    settings: [],
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
    grants: [{ table: 'write' }, { send: 'mails' }, { send: 'webhook-deliveries' }],
    settings: ['ADMIN_EMAILS', 'PLAN_SPEND_CAPS_USD', 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'web-estimates',
    entry: 'functions/web/estimates.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/estimate', '/api/usage/reprice'] },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }],
    settings: ['ADMIN_EMAILS', 'PLAN_SPEND_CAPS_USD', 'WEB_URL', ...modelSettings],
    secrets: ['AI_API_KEY', 'AI_PROVIDERS', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
