import type * as z from 'zod'
import { watchdogRecord } from '#shared/agents/watchdog/schema.ts'
import { once } from '#shared/platform/once.ts'
import { agentRecord } from '../record.ts'
import { channelFields, channelPaths } from './channel-due.ts'

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

/** The fields of an agent's row that decide when it is due. No large fields. */
export const dueAgent = once(() =>
  agentRecord()
    .pick(fields)
    .extend({ watchdog: watchdogRecord().pick(watchdogFields), ...channelFields() }),
)

export type DueAgent = z.output<ReturnType<typeof dueAgent>>

/** The same fields for a query's projection. */
export const dueFields: readonly string[] = [
  ...Object.keys(fields),
  ...Object.keys(watchdogFields).map((field) => `watchdog.${field}`),
  ...channelPaths,
]
