import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { eventId, usageEvent, video } from './event.ts'

/** A call of a model or a tool, with its usage and cost (event.ts). */
export const usageEventRows = entity({
  name: 'usage event',
  id: eventId,
  pk: 'user#{userId}',
  sk: 'usage#{eventId}',
  schema: usageEvent,
})

/** A video with its cost. It has its own key, because the last release could not read it among the model calls. */
export const videoEventRows = entity({
  name: 'video usage event',
  pk: 'user#{userId}',
  sk: 'video-usage#{eventId}',
  schema: once(video),
})

const count = () => z.number().default(0)

const rollupKey = 'rollup#{date}#{agent}#{model}#{provider}'

const counters = () => ({
  calls: count(),
  failures: count(),
  inputTokens: count(),
  outputTokens: count(),
  /** Parts of the input and output tokens; absent in older rows. */
  cacheReadTokens: count(),
  cacheWriteTokens: count(),
  reasoningTokens: count(),
  /** The table adds decimals exactly. Calls without a known price add nothing. */
  costUsd: count(),
  unpriced: count(),
  durationMs: count(),
})

const rollup = once(() =>
  z.object({
    date: z.string(),
    agentId: z.string().nullable(),
    model: z.string(),
    provider: z.string(),
    ...counters(),
  }),
)

/** One day's usage of a user by one agent and one model. */
export const userRollupRows = entity({
  name: 'usage rollup',
  pk: 'user#{userId}',
  sk: rollupKey,
  schema: rollup,
})

/**
 * One day's usage of all users by one agent and one model, in the shard of the agent, or of the user for calls without
 * an agent.
 */
export const platformRollupRows = entity({
  name: 'platform usage rollup',
  pk: 'rollups#{shard}',
  sk: rollupKey,
  schema: rollup,
})

/**
 * One day's usage of all users by model, aggregated after the day. `late` counts the calls that were recorded after the
 * day could be aggregated, and `added` is the value of `late` at the aggregation. The aggregate is complete if both are
 * equal.
 */
export const platformDayRows = entity({
  name: 'platform usage of a day',
  pk: 'usage-days',
  sk: 'day#{date}',
  schema: () =>
    z.object({
      date: z.string(),
      late: count(),
      added: z.number().optional(),
      models: z
        .array(z.object({ model: z.string(), provider: z.string(), ...counters() }))
        .default([]),
    }),
})

/** One day's usage of a user by one API key, over all models. The row outlives the key. */
export const userKeyRows = entity({
  name: 'usage rollup of a key',
  pk: 'user#{userId}',
  sk: 'key-rollup#{date}#{keyId}',
  schema: () =>
    z.object({
      date: z.string(),
      keyId: z.string(),
      /** The key's name at its last call. */
      keyName: z.string().nullable().default(null),
      ...counters(),
    }),
})

const toolKey = 'tools#{date}#{agentId}#{toolName}'

const toolRollup = once(() =>
  z.object({
    date: z.string(),
    agentId: z.string(),
    toolName: z.string(),
    calls: count(),
    successes: count(),
    durationMs: count(),
  }),
)

/** One day's calls of an agent to one tool. */
export const userToolRows = entity({
  name: 'tool rollup',
  pk: 'user#{userId}',
  sk: toolKey,
  schema: toolRollup,
})

/** One day's calls of an agent to one tool, for all users, in the shard of the agent. */
export const platformToolRows = entity({
  name: 'platform tool rollup',
  pk: 'rollups#{shard}',
  sk: toolKey,
  schema: toolRollup,
})

/**
 * Holds are in the additional attributes `held_…` and `heldMicroUsd_…`, open calls in `openCalls_…`:
 * shared/ai/usage/quota/row.ts.
 */
const month = once(() =>
  z.looseObject({
    used: count(),
    committed: count(),
    usedMicroUsd: count(),
    committedMicroUsd: count(),
    sweepAt: count(),
    openCalls: count(),
    /** Epoch seconds: from this time, a spend row counts. Earlier spending of its period was added then. */
    begunAt: z.number().optional(),
    expiresAt: z.number().optional(),
  }),
)

/** The usage and holds of a user in a calendar month, in tokens and micro-USD. */
export const quotaRows = entity({
  name: 'quota',
  pk: 'user#{userId}',
  sk: 'quota#{month}',
  schema: month,
})

/** The usage and holds of one agent in a calendar month. The row expires a month after the month's end. */
export const agentQuotaRows = entity({
  name: 'agent quota',
  pk: 'user#{userId}',
  sk: 'agent-quota#{agentId}#{month}',
  schema: month,
})

/**
 * The spending and holds of a user, an agent or an API key in a day or a calendar month, in micro-USD. Only spenders
 * with a limit of that period have rows. They expire a month after the end of the period.
 */
export const spendRows = entity({
  name: 'spend of a period',
  pk: 'user#{userId}',
  sk: 'spend#{spender}#{period}',
  schema: month,
})
