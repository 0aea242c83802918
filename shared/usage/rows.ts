import * as z from 'zod'
import { once } from '../platform/once.ts'
import { entity } from '../platform/table/entity.ts'
import { eventId, usageEvent, video } from './event.ts'

/** One call of a model or a tool, with what it used and cost (event.ts). */
export const usageEventRows = entity({
  name: 'usage event',
  id: eventId,
  pk: 'user#{userId}',
  sk: 'usage#{eventId}',
  schema: usageEvent,
})

/** A video with its cost. It has its own key, because the last release cannot read it among the calls to models. */
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
  /** Parts of the two: absent in rows that were written before they were counted. */
  cacheReadTokens: count(),
  cacheWriteTokens: count(),
  reasoningTokens: count(),
  /** The table adds decimals exactly; calls of an unknown price add nothing. */
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

/** A user’s day with one agent and one model, added up. */
export const userRollupRows = entity({
  name: 'usage rollup',
  pk: 'user#{userId}',
  sk: rollupKey,
  schema: rollup,
})

/** The same of every user, in the shard of the agent, or of the user where there is none. */
export const platformRollupRows = entity({
  name: 'platform usage rollup',
  pk: 'rollups#{shard}',
  sk: rollupKey,
  schema: rollup,
})

/**
 * A day of all users by model, added up once it is over. `late` counts what was recorded so late that it may be missing
 * in it: it holds while `added` says that as much was there when it was added up.
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

/** A user’s day with one API key, added up, of every model; it outlives the key. */
export const userKeyRows = entity({
  name: 'usage rollup of a key',
  pk: 'user#{userId}',
  sk: 'key-rollup#{date}#{keyId}',
  schema: () =>
    z.object({
      date: z.string(),
      keyId: z.string(),
      /** As it was last called by. */
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

/** An agent’s day with one tool, added up; no model is in it. */
export const userToolRows = entity({
  name: 'tool rollup',
  pk: 'user#{userId}',
  sk: toolKey,
  schema: toolRollup,
})

/** The same of every user, in the shard of the agent. */
export const platformToolRows = entity({
  name: 'platform tool rollup',
  pk: 'rollups#{shard}',
  sk: toolKey,
  schema: toolRollup,
})

/** What is held stands beside these, in attributes `held_…` and `heldMicroUsd_…`: shared/usage/quota/row.ts. */
const month = once(() =>
  z.looseObject({
    used: count(),
    committed: count(),
    usedMicroUsd: count(),
    committedMicroUsd: count(),
    sweepAt: count(),
    expiresAt: z.number().optional(),
  }),
)

/** What a user has used and holds in a calendar month: tokens, and micro-USD. */
export const quotaRows = entity({
  name: 'quota',
  pk: 'user#{userId}',
  sk: 'quota#{month}',
  schema: month,
})

/** The same of one agent; it goes a month after the month has ended. */
export const agentQuotaRows = entity({
  name: 'agent quota',
  pk: 'user#{userId}',
  sk: 'agent-quota#{agentId}#{month}',
  schema: month,
})
