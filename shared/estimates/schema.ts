import * as z from 'zod'

const model = z.string().min(1).max(200)

const usd = z.number().nullable()

/** contract.md 11, Cost. */
export const estimateQuestion = z
  .object({
    agentId: z.string().min(1).max(64).optional(),
    model: model.optional().describe('Of the two, this one counts'),
    messages: z
      .array(z.looseObject({ content: z.unknown() }))
      .max(1000)
      .optional()
      .describe('As POST /v1/chat/completions takes them'),
    prompt: z.string().max(1_000_000).optional(),
    maxTokens: z.int().min(1).max(1_000_000).default(4096),
    runsPerDay: z.number().positive().max(1_000_000).optional(),
  })
  .refine((given) => given.model !== undefined || given.agentId !== undefined, {
    error: 'model or agentId required',
    path: ['model'],
  })
  .refine((given) => given.messages === undefined || given.prompt === undefined, {
    error: 'messages or prompt, not both',
    path: ['prompt'],
  })
  .meta({ id: 'EstimateQuestion' })

export type EstimateQuestion = z.output<typeof estimateQuestion>

export const estimateAnswer = z
  .object({
    model: z.string(),
    inputTokens: z.number(),
    low: usd.describe('USD of one call with an answer of one token; null where no price is known'),
    high: usd.describe('USD of one call with an answer of maxTokens'),
    currency: z.literal('USD'),
    perMonth: z
      .object({ low: usd, high: usd })
      .nullable()
      .describe('Of 30 days with runsPerDay calls; null without it'),
    capRemaining: usd.describe('USD left of the spend cap; null without one'),
    quotaRemaining: z.number().nullable().describe('Tokens left of the plan’s; null for no limit'),
    note: z.string(),
  })
  .meta({ id: 'Estimate' })

export const repriceQuestion = z
  .object({ days: z.int().min(1).max(365), model })
  .meta({ id: 'RepriceQuestion' })

export type RepriceQuestion = z.output<typeof repriceQuestion>

export const repriceAnswer = z
  .object({
    actualUsd: usd.describe(
      'What the calls cost whose price is known; null where no price of any is',
    ),
    wouldBeUsd: usd.describe(
      'What the same tokens cost with the model; null where it has no price',
    ),
    byModel: z.array(
      z.object({
        model: z.string(),
        provider: z.string(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        turns: z.number(),
        actualUsd: usd,
        wouldBeUsd: usd,
      }),
    ),
    unpriced: z.number().describe('Calls whose price is not known; actualUsd leaves them out'),
  })
  .meta({ id: 'Repricing' })
