import * as z from 'zod'
import { userIdText } from '#shared/accounts/users/schema.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { agentStatuses } from '#shared/agents/record/statuses.ts'
import { incident, watchdogStates } from '#shared/agents/watchdog/schema.ts'
import { subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'
import { countOf } from '#shared/platform/fields.ts'
import { idPattern } from '#shared/platform/ids.ts'
import { containerHealths } from '../stats/health.ts'

/** Schemas of the operators' views. Lists are short and have a cursor. */

const limit = z.number().int().min(1).max(50).default(20).describe('Items per page, 1 to 50')

const nextCursor = z
  .string()
  .nullable()
  .describe('The `cursor` of the next page; null on the last page')

const agentId = z
  .string()
  .regex(new RegExp(`^${idPattern(agentRows.id)}$`), 'not the id of an agent')

const userId = userIdText.optional().describe('Only this user; default: the whole platform')

export const nothing = z.object({})

export const agentQuery = z.object({
  status: z.enum(agentStatuses).optional().describe('Only agents with this status'),
  failing: z
    .boolean()
    .default(false)
    .describe('Only agents that failed or are unhealthy according to the watchdog'),
  userId,
  limit,
  cursor: agentId.optional().describe('`nextCursor` of the previous page'),
})

const agentSummary = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string().nullable().describe('Null for agents of the platform'),
  status: z.enum(agentStatuses),
  health: z.enum(containerHealths).describe('Last known health of the container'),
  watchdog: z.enum(watchdogStates),
  plan: z.string(),
  model: z.string(),
  createdAt: z.string(),
})

export const agentPage = z.object({ agents: z.array(agentSummary), nextCursor })

export const trafficQuery = z.object({
  date: z.iso.date().optional().describe('A day in UTC, such as 2026-11-21; default: today'),
  limit,
  cursor: agentId.optional().describe('`nextCursor` of the previous page'),
})

export const trafficPage = z.object({
  date: z.string(),
  agents: z.array(
    z.object({
      agentId: z.string(),
      userId: z.string().nullable().describe('Null for the platform’s own'),
      sentBytes: z.number().nullable(),
      printedBytes: z.number().nullable().describe('Bytes that were written to the log'),
    }),
  ),
  nextCursor,
})

export const agentRef = z.object({ agentId })

export const agentDetail = agentSummary.extend({
  desired: z.enum(['running', 'stopped']).describe('The desired state'),
  generation: z.number().describe('Number of starts'),
  image: z.string().nullable().describe('The last image that ran'),
  taskStatus: z.string().nullable(),
  startedAt: z.string().nullable(),
  lastActiveAt: z.string().nullable().describe('Time of the last activity'),
  asleep: z.boolean().describe('Stopped because it was idle; the next request wakes it'),
  stopReason: z
    .object({
      code: z.string(),
      exitCode: z.number().nullable(),
      text: z.string(),
      at: z.string(),
    })
    .nullable()
    .describe('Reason of the last stop; null while it runs'),
  repairAttempts: z.number(),
  incidents: z.array(incident()).describe('The last five, newest first'),
})

export const incidentQuery = z.object({
  open: z.boolean().default(true).describe('Only unresolved incidents; false for all'),
  userId,
  limit,
  cursor: z.string().max(100).optional().describe('`nextCursor` of the previous page'),
})

export const incidentPage = z.object({
  incidents: z.array(
    incident().extend({
      agentId: z.string(),
      agentName: z.string(),
      userId: z.string().nullable(),
      agentStatus: z.enum(agentStatuses),
    }),
  ),
  nextCursor,
})

export const queueList = z.object({
  queues: z.array(
    z.object({
      name: z.string(),
      waiting: z.number().describe('Messages ready for a consumer'),
      inFlight: z.number().describe('Messages in flight'),
      delayed: z.number().describe('Delayed messages'),
      dead: z.number().describe('Messages in the dead-letter queue'),
    }),
  ),
})

export const costQuery = z.object({
  by: z.enum(['user', 'agent', 'model']).describe('Dimension to group costs by'),
  userId,
  limit,
})

export const costList = z.object({
  from: z.string().describe('The first day of the month, in UTC'),
  to: z.string().describe('Today, in UTC'),
  rows: z
    .array(
      z.object({
        key: z
          .string()
          .nullable()
          .describe('The id of the user or agent, or the model; null if unknown'),
        calls: z.number(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        costUsd: z
          .number()
          .nullable()
          .describe('Of the calls with a known price; null without such calls'),
      }),
    )
    .describe('Highest cost first'),
  more: z.number().describe('Number of omitted rows'),
  total: z.object({ calls: z.number(), costUsd: z.number().nullable() }),
})

export const backlog = z.object({
  work: z.array(
    z.object({
      kind: z.enum([
        'bus deliveries',
        'entitlements',
        'restores',
        'sales',
        'scheduled runs',
        'splits',
        'videos',
        'webhook deliveries',
      ]),
      overdue: z.number().describe('Counted up to 1,000'),
      oldestDueAt: z.string().nullable(),
    }),
  ),
})

/** The same schemas as query parameters of the operators' routes. */

const flag = (absent: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(absent)
    .transform((text) => text === 'true')

const listLimit = countOf('limit', 50, 100).transform((count) => Math.max(1, count))

export const agentListQuery = agentQuery.extend({ limit: listLimit, failing: flag('false') })

export const incidentListQuery = incidentQuery.extend({ limit: listLimit, open: flag('false') })

/** The same list with a name for the API document. */
export const agentList = agentPage.extend({
  agents: z.array(agentSummary.meta({ id: 'OperatedAgent' })),
})

export const incidentList = incidentPage.extend({
  incidents: z.array(incidentPage.shape.incidents.element.meta({ id: 'OperatedIncident' })),
})

export const userQuery = z.object({
  limit: listLimit,
  cursor: userIdText.optional().describe('`nextCursor` of the previous page'),
})

export const userPage = z.object({
  users: z.array(
    z
      .object({
        id: z.string(),
        email: z.string(),
        name: z.string(),
        emailVerified: z.boolean(),
        isAdmin: z.boolean(),
        plan: z.string(),
        subscriptionStatus: z.enum(subscriptionStatuses),
        agents: z.number(),
        createdAt: z.string(),
      })
      .meta({ id: 'OperatedUser' }),
  ),
  nextCursor,
})

export const depthList = z.object({
  queues: z.array(
    z
      .object({
        name: z.string(),
        waiting: z.number(),
        dead: z.number(),
        oldestAt: z.string().nullable().describe('Always null: queues do not report it'),
      })
      .meta({ id: 'OperatedQueue' }),
  ),
})

export const queueParams = z.object({ name: z.string().max(100) })

export const redriven = z
  .object({
    name: z.string(),
    moved: z.number().describe('Messages moved to the queue'),
    dead: z.number().describe('Approximate number of messages still in the dead-letter queue'),
  })
  .meta({ id: 'RedrivenQueue' })

export const providerList = z.object({
  providers: z.array(
    z
      .object({
        name: z.string(),
        host: z.string(),
        healthy: z
          .boolean()
          .describe('True if the provider answers and accepts the configured key'),
        standIn: z.boolean(),
        unlistedModels: z
          .array(z.string())
          .describe('Configured models that the provider does not list'),
        checkedAt: z.string(),
      })
      .meta({ id: 'OperatedProvider' }),
  ),
})
