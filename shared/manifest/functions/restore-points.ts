import type { SpecOf } from '../types.ts'
import { imageSettings } from './image-settings.ts'

/** Functions that create, store and restore restore points, and that export and import agents. */
export const restorePoints = [
  {
    name: 'web-restore-points',
    entry: 'functions/web/restore-points.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/api/agents/{id}/snapshots', '/api/agents/{id}/restore'],
    },
    memoryMb: 1024,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { send: 'restore-points' }, { snapshots: 'put' }],
    settings: ['ADMIN_EMAILS', 'AGENTS_DOMAIN', ...imageSettings, 'KILL_SWITCH', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'web-agent-archives',
    entry: 'functions/web/agent-archives.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: [
        '/api/agents/import',
        '/api/agents/imports',
        '/api/agents/{id}/export',
        '/api/agents/{id}/exports',
        '/api/agents/{id}/duplicate',
      ],
    },
    // The whole agent is in memory, both unpacked and packed.
    memoryMb: 1024,
    timeoutSeconds: 29,
    grants: [
      { table: 'write' },
      { packs: 'serve' },
      { send: 'agent-exports' },
      { send: 'provisioning' },
      { send: 'restore-points' },
      { snapshots: 'write' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'AGENTS_DOMAIN', ...imageSettings, 'KILL_SWITCH', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'restore-points',
    entry: 'functions/jobs/restore-points.ts',
    // Years of conversations are read and written again, and large archives are unpacked.
    trigger: { kind: 'queue', queue: 'restore-points', batchSize: 1, maxReceives: 8 },
    memoryMb: 1024,
    timeoutSeconds: 900,
    // A job that waits sends itself a delayed message.
    grants: [
      { table: 'write' },
      { packs: 'archive' },
      { send: 'provisioning' },
      { send: 'restore-points' },
      { snapshots: 'all' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'AGENTS_DOMAIN', ...imageSettings, 'KILL_SWITCH'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'restore-points-due',
    entry: 'functions/scheduled/restore-points-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { send: 'restore-points' }, { snapshots: 'write' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'agent-exports',
    entry: 'functions/jobs/agent-exports.ts',
    // All files of an agent pass through one attempt.
    trigger: { kind: 'queue', queue: 'agent-exports', batchSize: 1, maxReceives: 8 },
    memoryMb: 1024,
    timeoutSeconds: 900,
    // A job that waits sends itself a delayed message.
    grants: [{ table: 'write' }, { packs: 'archive' }, { send: 'agent-exports' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'agent-exports-due',
    entry: 'functions/scheduled/agent-exports-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { packs: 'archive' }, { send: 'agent-exports' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'daily-restore-points',
    entry: 'functions/scheduled/daily-restore-points.ts',
    trigger: { kind: 'schedule', everyMinutes: 60 },
    memoryMb: 512,
    timeoutSeconds: 300,
    grants: [{ table: 'read' }, { send: 'restore-points' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
