import * as z from 'zod'

export const periods = ['7d', '30d', 'mtd'] as const

export type Period = (typeof periods)[number]

export const costQuery = z.object({
  period: z.enum(periods, { error: `period must be one of ${periods.join(', ')}` }).default('7d'),
})

const cost = z
  .number()
  .nullable()
  .describe('USD of the calls whose price is known; null where no price of any is')

const averageCost = z.number().nullable().describe('USD a call, of those whose price is known')

/** spec.md, Usage tracking: the cost dashboard. */
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
          model: z.string().describe('The one that it called most'),
        }),
      )
      .describe('Dearest first'),
    daily: z
      .array(
        z.object({
          date: z.string().describe('A label, such as Nov 21, in UTC'),
          cost,
          tokens: z.number(),
        }),
      )
      .describe('Every day of the period, oldest first'),
    modelBreakdown: z
      .array(
        z.object({
          model: z.string(),
          percent: z.number().describe('Of the cost, to a tenth; they add up to 100'),
          cost,
        }),
      )
      .describe('Dearest first'),
    isMockData: z.boolean().describe('There is no usage yet, and these are sample figures'),
    message: z.string().optional(),
  })
  .meta({ id: 'Cost' })

export type CostAnswer = z.input<typeof costAnswer>
