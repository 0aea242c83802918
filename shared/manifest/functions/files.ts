import type { SpecOf } from '../types.ts'

/** Functions for the files of agents. */
export const files = [
  {
    name: 'web-files',
    entry: 'functions/web/files.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/api/agents/{id}/files', '/api/storage'],
    },
    // A file is in memory several times: as base64, as bytes, and in its pack.
    memoryMb: 1024,
    timeoutSeconds: 29,
    grants: [
      { table: 'write' },
      { packs: 'serve' },
      { send: 'mails' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    vpc: true,
    budget: 'standard',
  },
  {
    // For agents' containers. It reads one list, and the containers send and receive the packs by links.
    name: 'backend-files',
    entry: 'functions/backend/files.ts',
    trigger: { kind: 'http', surface: 'backend', prefixes: ['/api/agent-files'] },
    memoryMb: 1024,
    timeoutSeconds: 29,
    grants: [
      { table: 'write' },
      { packs: 'sync' },
      { send: 'mails' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'file-uploads',
    entry: 'functions/jobs/file-uploads.ts',
    // The bucket sends a message for each upload by a link, which must be listed within 10 s.
    trigger: { kind: 'queue', queue: 'file-uploads', batchSize: 5, maxReceives: 8 },
    memoryMb: 512,
    timeoutSeconds: 60,
    // A job that waits sends itself a delayed message.
    grants: [
      { table: 'write' },
      { packs: 'settle' },
      { send: 'file-uploads' },
      { send: 'mails' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    vpc: true,
    budget: 'standard',
  },
  {
    name: 'file-collections',
    entry: 'functions/jobs/file-collections.ts',
    // It reads the whole tree of an agent's files.
    trigger: { kind: 'queue', queue: 'file-collections', batchSize: 1, maxReceives: 8 },
    memoryMb: 1024,
    timeoutSeconds: 300,
    // A job that waits sends itself a delayed message.
    grants: [{ table: 'write' }, { packs: 'collect' }, { send: 'file-collections' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'files-due',
    entry: 'functions/scheduled/files-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { send: 'file-collections' }, { send: 'file-uploads' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
