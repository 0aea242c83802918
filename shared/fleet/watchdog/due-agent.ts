import * as z from 'zod'
import { agentRecord } from '../../agents/record.ts'
import { once } from '../../platform/once.ts'
import { WatchdogRecord } from '../../watchdog/schema.ts'

const fields = {
  id: true,
  userId: true,
  status: true,
  desired: true,
  generation: true,
  taskArn: true,
  taskStatus: true,
  previousTaskArn: true,
  stopReason: true,
  retryAt: true,
  startedAt: true,
  lastActiveAt: true,
  busyUntil: true,
  deleting: true,
  updatedAt: true,
} as const

const watchdogFields = {
  state: true,
  dueAt: true,
  repair: true,
  generation: true,
  unsent: true,
} as const

/**
 * What of an agent's row tells whether something is due for it. A round reads every agent, so it leaves out what a row
 * may be large by: configs, incidents, and the ones that were well.
 */
export const dueAgent = once(() =>
  agentRecord()
    .pick(fields)
    .extend({
      // Of a config without this field, nothing comes at all.
      config: z.looseObject({ sleepAfterMinutes: z.unknown() }).partial().default({}),
      watchdog: WatchdogRecord.pick(watchdogFields),
    }),
)

export type DueAgent = z.output<ReturnType<typeof dueAgent>>

/** The same, as a query selects it. */
export const dueFields: readonly string[] = [
  ...Object.keys(fields),
  'config.sleepAfterMinutes',
  ...Object.keys(watchdogFields).map((field) => `watchdog.${field}`),
]
