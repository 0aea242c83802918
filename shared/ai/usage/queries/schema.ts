import * as z from 'zod'
import { userIdText } from '#shared/accounts/users/schema.ts'

const daysMessage = 'days must be a whole number from 1 to 365'

/** A range of days up to today, in UTC: contract.md 6. */
const days = (otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,3}$/, daysMessage)
    .transform(Number)
    .refine((count) => count >= 1 && count <= 365, daysMessage)
    .default(otherwise)
    .describe(`1 to 365 days up to today in UTC; default ${otherwise}`)

const userId = userIdText
  .optional()
  .describe('Only this user; default: x-user-id, or the whole platform')

/**
 * The query of a usage view: spec.md, Usage tracking.
 * @param otherwise the default number of days
 */
export const usageQuery = (otherwise: number) => z.object({ days: days(otherwise), userId })

/** The query for the caller's own usage: contract.md 11. */
export const ownUsageQuery = (otherwise: number) => z.object({ days: days(otherwise) })

export const toolQuery = usageQuery(7).extend({ agentId: z.string().min(1).max(64).optional() })

export const agentParams = z.object({ agentId: z.string() })

const costUsd = z
  .number()
  .nullable()
  .describe('USD of the calls with a known price; null without such calls')

const tokens = {
  input_tokens: z.number(),
  output_tokens: z.number(),
  total_tokens: z.number(),
}

/** In addition to spec.md's fields, on the web surface only: contract.md 15. */
const parts = {
  cache_read_tokens: z.number().describe('Input tokens read from the provider’s cache'),
  cache_write_tokens: z.number().describe('Input tokens written to the provider’s cache'),
  reasoning_tokens: z.number().describe('Part of output_tokens'),
}

const model = { model: z.string(), provider: z.string() }

const date = z.string().describe('YYYY-MM-DD, in UTC')

function answer<Item extends z.ZodType>(item: Item) {
  return z.object({ success: z.literal(true), data: z.array(item) })
}

/** The items of each query: spec.md, Usage tracking. */
export const usageAnswers = {
  summary: answer(
    z
      .object({
        date,
        agent_id: z.string().nullable(),
        ...model,
        ...tokens,
        cost_usd: costUsd,
        turn_count: z.number(),
      })
      .meta({ id: 'UsageItem' }),
  ),
  byAgent: answer(
    z
      .object({ ...model, ...tokens, cost_usd: costUsd, events: z.number() })
      .meta({ id: 'UsageOfAgent' }),
  ),
  byModel: answer(
    z
      .object({ ...model, ...tokens, cost_usd: costUsd, turns: z.number() })
      .meta({ id: 'UsageOfModel' }),
  ),
  ownByModel: answer(
    z
      .object({ ...model, ...tokens, ...parts, cost_usd: costUsd, turns: z.number() })
      .meta({ id: 'UsageOfOwnModel' }),
  ),
  byKey: answer(
    z
      .object({
        key_id: z.string().nullable().describe('Null for calls without an API key'),
        key_name: z.string().nullable(),
        ...tokens,
        ...parts,
        cost_usd: costUsd,
        turns: z.number(),
      })
      .meta({ id: 'UsageOfKey' }),
  ),
  agents: answer(
    z
      .object({
        agent_id: z.string().nullable(),
        agent_name: z.string().nullable().describe('Null if the agent is deleted'),
        ...tokens,
        ...parts,
        cost_usd: costUsd,
        turns: z.number(),
      })
      .meta({ id: 'UsageOfOwnAgent' }),
  ),
  breakdown: answer(
    z
      .object({
        date,
        agent_id: z.string().nullable().describe('Null for calls without an agent'),
        agent_name: z.string().nullable().describe('Null if the agent is deleted'),
        ...model,
        ...tokens,
        ...parts,
        cost_usd: costUsd,
        turns: z.number(),
        unpriced: z.number().describe('Turns with an unknown price'),
      })
      .meta({ id: 'UsageOfDayAgentAndModel' }),
  ),
  daily: answer(
    z
      .object({ date, total_tokens: z.number(), cost_usd: costUsd, turns: z.number() })
      .meta({ id: 'UsageOfDay' }),
  ),
  ownDaily: answer(
    z
      .object({ date, total_tokens: z.number(), ...parts, cost_usd: costUsd, turns: z.number() })
      .meta({ id: 'UsageOfOwnDay' }),
  ),
  tools: answer(
    z
      .object({
        tool_name: z.string(),
        calls: z.number(),
        successes: z.number(),
        avg_ms: z.number(),
      })
      .meta({ id: 'UsageOfTool' }),
  ),
}

/** An item of a query's response. */
export type UsageItem<Name extends keyof typeof usageAnswers> = z.input<
  (typeof usageAnswers)[Name]
>['data'][number]
