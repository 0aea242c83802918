import * as z from 'zod'

const runKinds = ['turn', 'task', 'swarm', 'video', 'split', 'provisioning'] as const

/** The states of runs: contract.md 11, Details. */
const runStates = ['queued', 'active', 'cancelling', 'finished', 'failed', 'cancelled'] as const

export type RunState = (typeof runStates)[number]

const runView = z
  .object({
    id: z.string(),
    kind: z.enum(runKinds),
    agentId: z.string().nullable().describe('Null for swarms and runs without an agent'),
    state: z.enum(runStates),
    startedAt: z.string().nullable(),
    by: z.string().nullable(),
    tokens: z.number().nullable(),
    costUsd: z.number().nullable(),
  })
  .meta({ id: 'Run' })

export type RunView = z.output<typeof runView>

const states = runStates.join(', ')

export const runsQuery = z.object({
  agentId: z.string().min(1).max(64).optional(),
  state: z
    .enum(runStates, { error: `state must be one of ${states}` })
    .optional()
    .describe('`active` includes runs that are being cancelled'),
})

export const runList = z.object({ runs: z.array(runView) })

export const runParams = z.object({ id: z.string().max(64) })

export const runCancel = z.object({
  reason: z
    .string()
    .max(500, 'reason must have at most 500 characters')
    .overwrite((text) => text.toWellFormed())
    .optional(),
})

export const runCancelled = z
  .object({ id: z.string(), state: z.literal('cancelling') })
  .meta({ id: 'CancelledRun' })
