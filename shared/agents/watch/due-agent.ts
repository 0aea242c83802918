import type * as z from 'zod'
import { once } from '../../platform/once.ts'
import { WatchdogRecord } from '../../watchdog/schema.ts'
import { agentRecord } from '../record.ts'

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
  deleting: true,
  updatedAt: true,
  watched: true,
} as const

const watchdogFields = {
  state: true,
  dueAt: true,
  repair: true,
  generation: true,
  unsent: true,
} as const

/** What of an agent's row tells when it has to be seen to: nothing that a row may be large by. */
export const dueAgent = once(() =>
  agentRecord()
    .pick(fields)
    .extend({ watchdog: WatchdogRecord.pick(watchdogFields) }),
)

export type DueAgent = z.output<ReturnType<typeof dueAgent>>

/** The same, as a query selects it. */
export const dueFields: readonly string[] = [
  ...Object.keys(fields),
  ...Object.keys(watchdogFields).map((field) => `watchdog.${field}`),
]
