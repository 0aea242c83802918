import * as z from 'zod'

const periods = ['7d', '30d', 'mtd'] as const

export type Period = (typeof periods)[number]

export const costQuery = z.object({
  period: z.enum(periods, { error: `period must be one of ${periods.join(', ')}` }).default('7d'),
})

const cost = z
  .number()
  .nullable()
  .describe('USD of the calls with a known price; null without such calls')

const averageCost = z.number().nullable().describe('USD per call, of the calls with a known price')

/** The cost dashboard: spec.md, Usage tracking. */
export const costAnswer = z
  .object({
    period: z.enum(periods),
    summary: z.object({
      totalCost: cost,
      totalTokens: z.number(),
      totalCalls: z.number(),
      avgCostPerCall: averageCost,
    }),
    agents: z
      .array(
        z.object({
          name: z.string(),
          tokens: z.number(),
          cost,
          calls: z.number(),
          avgCostPerCall: averageCost,
          model: z.string().describe('The model that the agent called most'),
        }),
      )
      .describe('Highest cost first'),
    daily: z
      .array(
        z.object({
          date: z.string().describe('A label in UTC, such as Nov 21'),
          cost,
          tokens: z.number(),
        }),
      )
      .describe('Every day of the period, oldest first'),
    modelBreakdown: z
      .array(
        z.object({
          model: z.string(),
          percent: z
            .number()
            .describe('Share of the cost with one decimal; the shares add up to 100'),
          cost,
        }),
      )
      .describe('Highest cost first'),
    isMockData: z.boolean().describe('True if there is no usage yet and the figures are samples'),
    message: z.string().optional(),
  })
  .meta({ id: 'Cost' })

export type CostAnswer = z.input<typeof costAnswer>
