import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'
import { taskView } from './schema.ts'

/** What is due is spread over this many partitions of the index, so that a full minute does not meet in one. */
export const scheduleShards = 16

export function schedulePartition(shard: number): string {
  return `schedules#${shard}`
}

/** The place in the index of what is to be looked at from `at` (ISO 8601) on. */
export function dueIndex(taskId: string, at: string) {
  return { gsi1pk: schedulePartition(shardOf(taskId, scheduleShards)), gsi1sk: `${at}#${taskId}` }
}

const due = { pk: 'schedules#{shard}', sk: '{at}#{taskId}' }

/** A prompt for an agent and when it is sent; in the index while a run is to come. */
export const taskRows = entity({
  name: 'scheduled task',
  id: 'tsk',
  count: 'taskCount',
  pk: 'user#{userId}',
  sk: 'task#{taskId}',
  gsi1: due,
  schema: () =>
    taskView.extend({
      userId: z.string(),
      /** Every write raises it. */
      revision: z.number(),
      /** When the run was due that is under way; the next one waits for its end. */
      activeRun: z.string().optional(),
      /** That run was missed and is caught up: a time that comes until its end is not passed over. */
      catchingUp: z.literal(true).optional(),
    }),
})

/** One run of a scheduled task; in the index until it has ended, kept 30 days. */
export const runRows = entity({
  name: 'scheduled run',
  pk: 'user#{userId}',
  sk: 'run#{taskId}#{due}',
  gsi1: due,
  schema: () =>
    z.object({
      userId: z.string(),
      taskId: z.string(),
      /** ISO 8601. */
      due: z.string(),
      state: z.enum(['waiting', 'started', 'ok', 'failed', 'cancelled']),
      /** Names the message to the agent in its history. */
      seed: z.string(),
      startedAt: z.string().optional(),
      endedAt: z.string().optional(),
      reason: z.string().nullable().optional(),
      /** Who asked for it, where it was no schedule: `user:<id>`. */
      by: z.string().optional(),
      /** What the agent answered, cut to what is shown. */
      reply: z.string().optional(),
      tokens: z.number().nullable().optional(),
    }),
})

/** How many scheduled runs of a user are under way. */
export const runPlaceRows = entity({
  name: 'places of scheduled runs',
  pk: 'user#{userId}',
  sk: 'runs-under-way',
  schema: () => z.object({ count: z.number() }),
})
