import * as z from 'zod'
import { turnKey } from '#shared/ai/turns/key.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { taskView } from './schema.ts'

/** The index of tasks by their next run, and of waiting runs. */
export const schedulesDue = dueIndex('schedules', 16)

/**
 * The index of started runs, by the tick's next check. The last release does not read these partitions: its tick fails
 * every started run that it finds.
 */
export const startedDue = dueIndex('schedules#started', 4)

const due = { pk: 'schedules#{shard}', sk: '{at}#{taskId}' }

/** A prompt for an agent and its schedule. The row is in the index while it has a next run. */
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
      // The key with spend limits that created or last changed it. Its runs count against these limits.
      ...turnKey(),
      /** Increases with every write. */
      revision: z.number(),
      /** The due time of the current run. The next run starts after its end. */
      activeRun: z.string().optional(),
      /** Set if the current run replaces a missed one. A run that becomes due in the meantime is then not skipped. */
      catchingUp: z.literal(true).optional(),
    }),
})

/** A run of a scheduled task, stored for 30 days. It is in the index until it has ended. */
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
      /** The seed of the message to the agent in its history. */
      seed: z.string(),
      startedAt: z.string().optional(),
      endedAt: z.string().optional(),
      reason: z.string().nullable().optional(),
      /** The initiator, `user:<id>`, unless the schedule started it. */
      by: z.string().optional(),
      // The key that started the run, otherwise the key of the task.
      ...turnKey(),
      /** The agent's answer, truncated for display. */
      reply: z.string().optional(),
      tokens: z.number().nullable().optional(),
    }),
})

/** The number of a user's runs that are in progress. */
export const runPlaceRows = entity({
  name: 'places of scheduled runs',
  pk: 'user#{userId}',
  sk: 'runs-under-way',
  schema: () => z.object({ count: z.number() }),
})
