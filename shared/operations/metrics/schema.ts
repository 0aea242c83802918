import * as z from 'zod'
import { userIdText } from '#shared/accounts/users/schema.ts'

const count = z.number()
const rate = z.number().nullable().describe('From 0 to 1; null without calls')
const milliseconds = z.number().nullable().describe('Milliseconds; null without calls')
const cost = z
  .number()
  .nullable()
  .describe('USD of the calls with a known price; null without such calls')

export const metricsParams = z.object({ userId: userIdText })

/** contract.md 10: a user's own figures. */
export const overviewAnswer = z.object({
  metrics: z
    .object({
      agents: z.object({
        total: count,
        active: count.describe('Running'),
        inactive: count.describe('Agents that are not running and have not failed'),
        failed: count,
      }),
      messages: z.object({
        today: count,
        thisWeek: count.describe('Since Monday, in UTC'),
        thisMonth: count,
      }),
      deployments: z
        .object({ total: count, successful: count, failed: count })
        .describe(
          'The latest deployment of each agent; a deployment in progress is counted only in the total',
        ),
      performance: z
        .object({ averageResponseMs: milliseconds, successRate: rate })
        .describe('Of model calls in this month'),
    })
    .meta({ id: 'Metrics' }),
  timestamp: z.string(),
})

export const ranges = ['24h', '7d', '30d'] as const

export const metricsHistoryQuery = z.object({
  range: z.enum(ranges, { error: `range must be one of ${ranges.join(', ')}` }).default('7d'),
})

const figures = { messages: count, tokens: count, cost, errors: count }

export const historyAnswer = z
  .object({
    userId: z.string(),
    timeRange: z.enum(ranges),
    metrics: z
      .array(z.object({ timestamp: z.string(), ...figures }))
      .describe('One entry per day in UTC, oldest first; 24h returns yesterday and today'),
    averages: z.object(figures).describe('Per day'),
  })
  .meta({ id: 'MetricsHistory' })

export const performanceAnswer = z
  .object({
    cpu: z.number().nullable(),
    memory: z.number().nullable(),
    errorRate: rate,
    responseTime: milliseconds,
  })
  .describe('Model calls of the last 30 days; container metrics are in the stats of each agent')
  .meta({ id: 'Performance' })

export const summaryAnswer = z
  .object({
    agents: z.object({ total: count, active: count }),
    messages: z.object({ month: count, total: count }),
    tokens: z.object({ month: count }),
    cost: z.object({ month: cost }),
    bookings: z.object({
      completed: count.describe('Accepted'),
      pending: count.describe('Offered'),
    }),
  })
  .meta({ id: 'MetricsSummary' })
