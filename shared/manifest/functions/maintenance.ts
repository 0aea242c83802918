import type { SpecOf } from '../types.ts'

/** Functions that repair the effects of faults. */
export const maintenance = [
  {
    name: 'settlements',
    entry: 'functions/jobs/settlements.ts',
    // Messages wait here while the table throttles requests. The low concurrency leaves capacity for other requests.
    // Messages are retried for a day, which is longer than faults of the table last.
    trigger: {
      kind: 'queue',
      queue: 'settlements',
      batchSize: 10,
      maxReceives: 300,
      maxConcurrency: 2,
    },
    memoryMb: 256,
    timeoutSeconds: 30,
    grants: [{ table: 'write' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
  {
    name: 'orphan-tasks',
    entry: 'functions/scheduled/orphan-tasks.ts',
    // Two requests for a hundred tasks each, which is the rate that ECS allows in addition to the calls of other functions.
    trigger: { kind: 'schedule', everyMinutes: 60 },
    memoryMb: 256,
    timeoutSeconds: 900,
    grants: [{ table: 'write' }, { send: 'provisioning' }, { containers: 'describe' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
