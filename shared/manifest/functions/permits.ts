import type { SpecOf } from '../types.ts'

/** The functions that decide and carry out what agents ask their owners. */
export const permits = [
  {
    name: 'web-approvals',
    entry: 'functions/web/approvals.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/approvals'] },
    memoryMb: 512,
    timeoutSeconds: 10,
    grants: [
      { table: 'write' },
      { send: 'approval-turns' },
      { send: 'approvals' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'approvals',
    entry: 'functions/jobs/approvals.ts',
    trigger: { kind: 'queue', queue: 'approvals', batchSize: 1, maxReceives: 20 },
    memoryMb: 512,
    // A request to another host may take two minutes.
    timeoutSeconds: 140,
    grants: [
      { table: 'write' },
      { send: 'approval-turns' },
      { send: 'approvals' },
      { send: 'bus-deliveries' },
      { send: 'mails' },
      { send: 'provisioning' },
    ],
    settings: ['ADMIN_EMAILS', 'FETCH_ALLOW_HOSTS', 'KILL_SWITCH', 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'approval-turns',
    entry: 'functions/jobs/approval-turns.ts',
    trigger: { kind: 'queue', queue: 'approval-turns', batchSize: 5, maxReceives: 5 },
    memoryMb: 512,
    timeoutSeconds: 300,
    grants: [
      { table: 'write' },
      { send: 'approval-turns' },
      { send: 'provisioning' },
      { send: 'telemetry' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'KILL_SWITCH'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    vpc: true,
    budget: 'standard',
  },
  {
    name: 'approvals-due',
    entry: 'functions/scheduled/approvals-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { send: 'approval-turns' }, { send: 'approvals' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
