import type { SpecOf, SettingName } from '../types.ts'
import { imageSettings } from './image-settings.ts'

const watchdogSettings = [
  'WATCHDOG_AUTO_REPAIR',
  'WATCHDOG_CHECK_INTERVAL',
  'WATCHDOG_CRASH_LOOP_THRESHOLD',
  'WATCHDOG_CRASH_LOOP_WINDOW',
  'WATCHDOG_DEGRADED_CHECK_INTERVAL',
  'WATCHDOG_MAX_REPAIR_ATTEMPTS',
  'WATCHDOG_REPAIR_START_WAIT',
  'WATCHDOG_REPAIR_STOP_WAIT',
  'WATCHDOG_STARTUP_FAILURE_THRESHOLD',
] as const satisfies readonly SettingName[]

const watchdogGrants = [
  { table: 'write' },
  { send: 'checks' },
  { send: 'provisioning' },
  { send: 'notices' },
  { send: 'task-states' },
  { send: 'webhook-deliveries' },
] as const

/** The jobs that start, stop and watch agents' containers. */
export const fleet = [
  {
    name: 'provisioning',
    entry: 'functions/jobs/provisioning.ts',
    // Fargate starts 20 tasks a second, so a higher concurrency would only be throttled.
    trigger: {
      kind: 'queue',
      queue: 'provisioning',
      batchSize: 10,
      maxReceives: 5,
      maxConcurrency: 2,
    },
    // Ten concurrent deletions have ten restore points in memory.
    memoryMb: 1024,
    timeoutSeconds: 30,
    reserved: 2,
    grants: [
      { table: 'write' },
      { send: 'provisioning' },
      { containers: 'run' },
      { containers: 'stop' },
      { containers: 'describe' },
      { send: 'hand-overs' },
      { snapshots: 'put' },
      { send: 'webhook-deliveries' },
    ],
    settings: [...imageSettings, 'BACKEND_URL', 'KILL_SWITCH', 'WARM_CONTAINERS'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'task-events',
    entry: 'functions/jobs/task-events.ts',
    trigger: { kind: 'queue', queue: 'task-events', batchSize: 10, maxReceives: 8 },
    memoryMb: 512,
    timeoutSeconds: 30,
    reserved: 10,
    grants: watchdogGrants,
    settings: watchdogSettings,
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'task-states',
    entry: 'functions/jobs/task-states.ts',
    // A queue of its own: if half of a large fleet is silent, these look-ups would wait in `provisioning` behind starts
    // and stops. ECS describes up to 100 tasks in a request, and allows 20 such requests a second per account.
    trigger: {
      kind: 'queue',
      queue: 'task-states',
      batchSize: 10,
      maxReceives: 5,
      maxConcurrency: 2,
    },
    memoryMb: 512,
    timeoutSeconds: 30,
    reserved: 2,
    grants: [
      { table: 'write' },
      { send: 'provisioning' },
      { containers: 'describe' },
      { send: 'webhook-deliveries' },
    ],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'hand-overs',
    entry: 'functions/jobs/hand-overs.ts',
    // A user waits for each hand-over, and each hand-over lasts until its container has started as the agent.
    trigger: { kind: 'queue', queue: 'hand-overs', batchSize: 1, maxReceives: 3 },
    memoryMb: 512,
    timeoutSeconds: 30,
    grants: watchdogGrants,
    settings: watchdogSettings,
    secrets: ['WALLET_ENCRYPTION_KEY'],
    vpc: true,
    budget: 'standard',
  },
  {
    name: 'warm-pool',
    entry: 'functions/scheduled/warm-pool.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [
      { table: 'write' },
      { containers: 'run-plans' },
      { containers: 'stop' },
      { containers: 'describe' },
    ],
    settings: ['AGENT_IMAGE', 'BACKEND_URL', 'KILL_SWITCH', 'WARM_CONTAINERS'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'checks',
    entry: 'functions/jobs/checks.ts',
    // Enough for 100,000 agents if half of them are silent: the check of a silent agent takes the five seconds of its
    // probe (bench/scale).
    trigger: {
      kind: 'queue',
      queue: 'checks',
      batchSize: 10,
      maxReceives: 3,
      maxConcurrency: 50,
    },
    memoryMb: 512,
    timeoutSeconds: 30,
    reserved: 50,
    grants: [...watchdogGrants, { send: 'channel-set-ups' }, { send: 'mails' }],
    settings: [...watchdogSettings, 'WEB_URL'],
    secrets: ['WALLET_ENCRYPTION_KEY'],
    vpc: true,
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
