import * as z from 'zod'

const model = z.string().min(1).max(200)

const usd = z.number().nullable()

/** The body of an estimate: contract.md 11, Cost. */
export const estimateQuestion = z
  .object({
    agentId: z.string().min(1).max(64).optional(),
    model: model.optional().describe('Has precedence over agentId'),
    messages: z
      .array(z.looseObject({ content: z.unknown() }))
      .max(1000)
      .optional()
      .describe('In the format of POST /v1/chat/completions'),
    prompt: z.string().max(1_000_000).optional(),
    maxTokens: z.int().min(1).max(1_000_000).default(4096),
    runsPerDay: z.number().positive().max(1_000_000).optional(),
  })
  .refine((request) => request.model !== undefined || request.agentId !== undefined, {
    error: 'model or agentId required',
    path: ['model'],
  })
  .refine((request) => request.messages === undefined || request.prompt === undefined, {
    error: 'messages or prompt, not both',
    path: ['prompt'],
  })
  .meta({ id: 'EstimateQuestion' })

export type EstimateQuestion = z.output<typeof estimateQuestion>

export const estimateAnswer = z
  .object({
    model: z.string(),
    inputTokens: z.number(),
    low: usd.describe('USD per call with an answer of one token; null if the price is unknown'),
    high: usd.describe('USD per call with an answer of maxTokens'),
    currency: z.literal('USD'),
    perMonth: z
      .object({ low: usd, high: usd })
      .nullable()
      .describe('30 days with runsPerDay calls; null without runsPerDay'),
    capRemaining: usd.describe(
      'USD left of the spend cap that has the least left: the monthly and daily caps of the user and the agent, and the limits of the API key; null without any',
    ),
    quotaRemaining: z
      .number()
      .nullable()
      .describe('Tokens left in the plan’s quota; null for no limit'),
    note: z.string(),
  })
  .meta({ id: 'Estimate' })

export const repriceQuestion = z
  .object({ days: z.int().min(1).max(365), model })
  .meta({ id: 'RepriceQuestion' })

export type RepriceQuestion = z.output<typeof repriceQuestion>

export const repriceAnswer = z
  .object({
    actualUsd: usd.describe('Cost of the calls with a known price; null without such calls'),
    wouldBeUsd: usd.describe(
      'Cost of the same tokens with the model, cached tokens at its price of cached tokens; null if its price is unknown',
    ),
    byModel: z.array(
      z.object({
        model: z.string(),
        provider: z.string(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        cacheReadTokens: z.number().describe('Part of inputTokens'),
        cacheWriteTokens: z.number().describe('Part of inputTokens'),
        reasoningTokens: z.number().describe('Part of outputTokens'),
        turns: z.number(),
        actualUsd: usd,
        wouldBeUsd: usd,
      }),
    ),
    unpriced: z.number().describe('Calls with unknown prices; not included in actualUsd'),
  })
  .meta({ id: 'Repricing' })
