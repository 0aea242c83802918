import * as z from 'zod'
import { countOf, cursorText, requiredText } from '#shared/platform/fields.ts'
import { nextRun, type Schedule } from './next-run.ts'

/** The maximum length of a user's message, because the prompt is sent as a message. */
const longestPrompt = 32_000

const fields = {
  name: requiredText('name', 100),
  cronSchedule: requiredText('cronSchedule', 120).describe(
    'Five fields: minute hour day month weekday',
  ),
  prompt: requiredText('prompt', longestPrompt),
  agentId: z.string({ error: 'agentId required' }).min(1, 'agentId required').max(64),
  description: z
    .string()
    .max(1000)
    .overwrite((value) => value.toWellFormed())
    .nullable(),
  enabled: z.boolean(),
  timezone: requiredText('timezone', 64).describe('An IANA name, such as Europe/London'),
}

/** The body of a new task: contract.md 7, scheduled-tasks. */
export const newTask = z
  .object({
    ...fields,
    description: fields.description.default(null),
    enabled: fields.enabled.default(true),
    timezone: fields.timezone.default('UTC'),
  })
  .superRefine((task, issues) => {
    const problem = problemWith(task)
    if (problem !== undefined) issues.addIssue({ code: 'custom', ...problem })
  })
  .meta({ id: 'NewScheduledTask' })

const taskId = z.string({ error: 'taskId required' }).min(1, 'taskId required').max(64)

export const taskChange = z
  .object({ taskId, ...z.object(fields).partial().shape })
  .meta({ id: 'ScheduledTaskChange' })

export const taskRef = z.object({ taskId })

export type NewTask = z.output<typeof newTask>
export type TaskChange = z.output<typeof taskChange>

export const taskQuery = z.object({ agentId: z.string().min(1).max(64).optional() })

export const taskView = z
  .object({
    id: z.string(),
    agentId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    cronSchedule: z.string(),
    timezone: z.string(),
    prompt: z.string(),
    enabled: z.boolean(),
    lastRun: z.string().nullable().describe('The last due time'),
    lastStatus: z
      .string()
      .nullable()
      .describe('`running`, `ok`, or `failed: ` and the reason; null before the first run'),
    nextRun: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'ScheduledTask' })

export const taskList = z.object({ tasks: z.array(taskView), count: z.number() })

export const taskDeleted = z.object({ success: z.literal(true), taskId: z.string() })

export const taskParams = z.object({ id: z.string().max(64) })

export const taskRunsQuery = z.object({
  limit: countOf('limit', 20, 100),
  cursor: cursorText(),
})

/** A run in responses: contract.md 11, Schedules. */
export const taskRunView = z
  .object({
    id: z.string(),
    startedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
    status: z.enum(['queued', 'active', 'finished', 'failed', 'cancelled']),
    reply: z.string().nullable(),
    error: z.string().nullable(),
    tokens: z.number().nullable(),
    costUsd: z.number().nullable(),
  })
  .meta({ id: 'ScheduledRun' })

export const taskRunList = z.object({ runs: z.array(taskRunView) })

export const taskRunBegun = z.object({ runId: z.string() })

/** Fields separated by spaces, or a name such as `@daily`. */
const expressionForm = /^\s*(?:@[a-z]+|\S+(?:\s+\S+)+)\s*$/i

/** Returns the fault of a schedule and its field, or undefined if it is valid. */
export function problemWith(
  schedule: Schedule,
): { path: [keyof Schedule]; message: string } | undefined {
  if (!isTimezone(schedule.timezone))
    return { path: ['timezone'], message: 'timezone must be an IANA name' }
  const noExpression = 'cronSchedule must be a cron expression of 5 fields'
  // The parser also accepts a date, but after its only run the task could no longer be changed.
  if (!expressionForm.test(schedule.cronSchedule))
    return { path: ['cronSchedule'], message: noExpression }
  try {
    if (nextRun(schedule, new Date()) !== null) return undefined
    return { path: ['cronSchedule'], message: 'cronSchedule has no time in the future' }
  } catch {
    // The parser's message may describe its internals instead of the expression.
    return { path: ['cronSchedule'], message: noExpression }
  }
}

function isTimezone(name: string): boolean {
  try {
    return Boolean(Intl.DateTimeFormat('en', { timeZone: name }))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
