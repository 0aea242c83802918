import * as z from 'zod'
import { usdField } from '#shared/money/fields/usd.ts'
import { channelToken, webhookSecret, webhookUrl } from './values.ts'

/** The maximum length in characters as JSON. */
export const longestPrompt = 4000

/** Returns the length of a text in JSON, without its quotation marks. */
export function lengthAsJson(text: string): number {
  return JSON.stringify(text).length - 2
}

/** The maximum length in characters as JSON. A row has at most 400 KB, and the config is only a part of it. */
export const longestConfig = 65_536

/** DynamoDB allows 32 levels, including the row itself. */
const deepest = 16

/** The maximum idle time in minutes. For longer times, users stop the agent. */
const minutesOfAYear = 525_600

/**
 * Replaces characters that the table and task events cannot contain: UTF-8 cannot encode unpaired surrogates, and SQS
 * rejects U+FFFE and U+FFFF.
 */
export function portable(text: string): string {
  return text.toWellFormed().replace(/[\uFFFE\uFFFF]/g, '\uFFFD')
}

export const shortText = (longest: number) => z.string().min(1).max(longest).overwrite(portable)

/**
 * The config of an agent, or a change of it: contract.md 7. Unknown keys are stored unchanged; null removes a key.
 * Channel tokens and the webhook secret are stored encrypted, and a masked value changes nothing.
 */
export const agentConfig = z
  .looseObject({
    plan: shortText(64).nullish(),
    aiProvider: shortText(64).nullish(),
    model: shortText(200).nullish(),
    systemPrompt: z
      .string()
      .max(longestPrompt, `config.systemPrompt must have at most ${longestPrompt} characters`)
      .refine(
        (text) => lengthAsJson(text) <= longestPrompt,
        `config.systemPrompt must have at most ${longestPrompt} characters as JSON`,
      )
      .regex(/^[^\0]*$/, 'config.systemPrompt must not contain a NUL character')
      .overwrite(portable)
      .nullish(),
    webhookUrl: webhookUrl.nullish(),
    webhookSecret: webhookSecret.nullish(),
    sleepAfterMinutes: z
      .int()
      .min(1)
      .max(minutesOfAYear)
      .nullish()
      .describe('Idle minutes before the agent sleeps; null for never'),
    spendCapUsd: usdField().nullish().describe('USD per calendar month in UTC'),
    spendCapUsdPerDay: usdField().nullish().describe('USD per day in UTC'),
    paidGateway: z
      .boolean()
      .nullish()
      .describe('True if paying callers can message the agent through /api/v1/gateway'),
    wakeOnMessage: z
      .boolean()
      .nullish()
      .describe('True if a message from another agent wakes the agent'),
    bus: z
      .boolean()
      .nullish()
      .describe('True if the model can send messages to other agents and read theirs'),
    mcp: z
      .boolean()
      .nullish()
      .describe('True if the agent can access its own memory, schedules and usage by MCP'),
    telegramToken: channelToken.nullish(),
    discordBotToken: channelToken.nullish(),
    whatsappToken: channelToken.nullish(),
  })
  .refine((config) => isStorable(config), {
    error: 'config contains a value that cannot be stored',
    abort: true,
  })
  .refine(
    (config) => JSON.stringify(config).length <= longestConfig,
    `config must have at most ${longestConfig} characters as JSON`,
  )
  .meta({ id: 'AgentConfigChange' })

export const configUpdate = z.object({ config: agentConfig })

export const configQuery = z.object({
  apply: z
    .enum(['true', 'false'])
    .default('true')
    .describe('false: takes effect at the next start'),
})

const config = z
  .record(z.string(), z.unknown())
  .describe('Secrets are masked')
  .meta({ id: 'AgentConfig' })

/** The fields of a config that have no effect. Absent if every field has one. */
export const configWarnings = z
  .array(
    z
      .object({ field: z.string(), message: z.string() })
      .meta({ id: 'ConfigWarning', description: 'A field of the config that has no effect' }),
  )
  .optional()

export const configAnswers = {
  shown: z.object({ config, warnings: configWarnings, status: z.literal('ok') }),
  updated: z.object({ config, warnings: configWarnings, status: z.literal('updated') }),
}

/** A config, or a change of one. */
export type ConfigChange = z.output<typeof agentConfig>

/** Returns whether the table can store a JSON value. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return value === 0 || isStorableNumber(Math.abs(value))
  if (typeof value !== 'object' || value === null) return true
  if (depth >= deepest) return false
  return Object.entries(value).every(
    ([name, item]) => isStorableName(name) && isStorable(item, depth + 1),
  )
}

/** The document client reads an object's type from its `constructor`, so no attribute can have that name. */
function isStorableName(name: string): boolean {
  return !['', '__proto__', 'constructor'].includes(name) && name.isWellFormed()
}

function isStorableNumber(size: number): boolean {
  return size <= Number.MAX_SAFE_INTEGER && size >= 1e-100
}
