import type { SpecOf } from '../types.ts'

const services = [
  'EMAIL_IN_DOMAIN',
  'SLACK_API_URL',
  'TELEGRAM_API_URL',
  'WHATSAPP_API_URL',
] as const

/** The functions of the channels that people reach agents by. */
export const agentChannels = [
  {
    // It calls the services of channels, which the functions in the VPC cannot reach.
    name: 'web-channels',
    entry: 'functions/web/channels.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/agents/{id}/channels'] },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL', ...services],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'received-mails',
    entry: 'functions/jobs/received-mails.ts',
    // SES sends a message for each mail that it stored; the bucket keeps a mail for a day.
    trigger: { kind: 'queue', queue: 'received-mails', batchSize: 5, maxReceives: 20 },
    memoryMb: 512,
    timeoutSeconds: 60,
    grants: [{ mails: 'read' }],
    settings: ['EMAIL_IN_DOMAIN', 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    // Telegram is outside the VPC. A request that fails is sent again by the watchdog's tick.
    name: 'channel-set-ups',
    entry: 'functions/jobs/channel-set-ups.ts',
    trigger: { kind: 'queue', queue: 'channel-set-ups', batchSize: 1, maxReceives: 3 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { send: 'provisioning' }, { send: 'webhook-deliveries' }],
    settings: ['WEB_URL', ...services],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'web-channels-in',
    entry: 'functions/web/channels-in.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/in'] },
    memoryMb: 512,
    timeoutSeconds: 10,
    grants: [{ table: 'write' }, { send: 'channel-turns' }],
    settings: ['WEB_URL', ...services],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'channel-turns',
    entry: 'functions/jobs/channel-turns.ts',
    trigger: { kind: 'queue', queue: 'channel-turns', batchSize: 1, maxReceives: 5 },
    memoryMb: 512,
    timeoutSeconds: 300,
    grants: [
      { table: 'write' },
      { packs: 'serve' },
      { send: 'channel-deliveries' },
      { send: 'channel-turns' },
      { send: 'mails' },
      { send: 'provisioning' },
      { send: 'telemetry' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'KILL_SWITCH', 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    vpc: true,
    budget: 'standard',
  },
  {
    // It calls the services of channels, which the functions in the VPC cannot reach.
    name: 'channel-deliveries',
    entry: 'functions/jobs/channel-deliveries.ts',
    trigger: { kind: 'queue', queue: 'channel-deliveries', batchSize: 1, maxReceives: 5 },
    memoryMb: 512,
    timeoutSeconds: 60,
    grants: [
      { table: 'write' },
      { mails: 'put' },
      { mails: 'read' },
      { packs: 'serve' },
      { send: 'channel-deliveries' },
      { send: 'channel-turns' },
      { send: 'mails' },
    ],
    settings: ['WEB_URL', ...services],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'channels-due',
    entry: 'functions/scheduled/channels-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    // On one machine it polls services, which respond within 30 s. It also revokes tokens of connections.
    timeoutSeconds: 90,
    grants: [{ table: 'write' }, { send: 'channel-deliveries' }, { send: 'channel-turns' }],
    settings: ['FETCH_ALLOW_HOSTS', 'WEB_URL', ...services],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
