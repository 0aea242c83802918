import * as z from 'zod'
import { agentRows } from '../agents/rows.ts'
import { agentStatuses } from '../agents/statuses.ts'
import { idPattern } from '../platform/ids.ts'
import { containerHealths } from '../stats/health.ts'
import { Incident, WatchdogState } from '../watchdog/schema.ts'
import { userIdText } from '../accounts/schema.ts'
import { countOf } from '../platform/fields.ts'
import { subscriptionStatuses } from '../plans/subscriptions.ts'

/** What operators are told of the platform. Every list is short and says where it goes on. */

const limit = z.number().int().min(1).max(50).default(20).describe('At most so many, 1 to 50')

const nextCursor = z
  .string()
  .nullable()
  .describe('Pass it as `cursor` for what follows; null at the end')

const agentId = z.string().regex(new RegExp(`^${idPattern(agentRows.id)}$`), 'no id of an agent')

const userId = userIdText
  .optional()
  .describe('Of this user alone; without it of the whole platform')

export const nothing = z.object({})

export const agentQuery = z.object({
  status: z.enum(agentStatuses).optional().describe('In this state alone'),
  failing: z
    .boolean()
    .default(false)
    .describe('Only those in error, or that the watchdog is not content with'),
  userId,
  limit,
  cursor: agentId.optional().describe('`nextCursor` of the page before'),
})

const agentSummary = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string().nullable().describe('Null for the platform’s own'),
  status: z.enum(agentStatuses),
  health: z.enum(containerHealths).describe('Of its container, as it was last seen'),
  watchdog: WatchdogState,
  plan: z.string(),
  model: z.string(),
  createdAt: z.string(),
})

export const agentPage = z.object({ agents: z.array(agentSummary), nextCursor })

export const agentRef = z.object({ agentId })

export const agentDetail = agentSummary.extend({
  desired: z.enum(['running', 'stopped']).describe('What is wanted of it'),
  generation: z.number().describe('How often it was started'),
  image: z.string().nullable().describe('The image that was last seen to run'),
  taskStatus: z.string().nullable(),
  startedAt: z.string().nullable(),
  lastActiveAt: z.string().nullable().describe('When work was last done with it'),
  asleep: z.boolean().describe('Stopped as it had nothing to do; the next request wakes it'),
  stopReason: z
    .object({
      code: z.string(),
      exitCode: z.number().nullable(),
      text: z.string(),
      at: z.string(),
    })
    .nullable()
    .describe('Why it stopped last; null while it runs'),
  repairAttempts: z.number(),
  incidents: z.array(Incident).describe('The last five, newest first'),
})

export const incidentQuery = z.object({
  open: z.boolean().default(true).describe('Only those that are not over; false for all'),
  userId,
  limit,
  cursor: z.string().max(100).optional().describe('`nextCursor` of the page before'),
})

export const incidentPage = z.object({
  incidents: z.array(
    Incident.extend({
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
      waiting: z.number().describe('Messages that wait to be taken'),
      inFlight: z.number().describe('Messages that a consumer holds'),
      delayed: z.number().describe('Messages that are not due yet'),
      dead: z.number().describe('Messages that failed for good, in the dead-letter queue'),
    }),
  ),
})

export const costQuery = z.object({
  by: z.enum(['user', 'agent', 'model']).describe('What costs are added up by'),
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
          .describe('The user’s or agent’s id, or the model; null for calls of none that is known'),
        calls: z.number(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        costUsd: z.number().nullable().describe('Of the calls whose price is known; null for none'),
      }),
    )
    .describe('Dearest first'),
  more: z.number().describe('Rows that were left out'),
  total: z.object({ calls: z.number(), costUsd: z.number().nullable() }),
})

export const backlog = z.object({
  work: z.array(
    z.object({
      kind: z.enum(['bus deliveries', 'entitlements', 'scheduled runs', 'splits']),
      overdue: z.number().describe('Counted up to 1,000'),
      oldestDueAt: z.string().nullable(),
    }),
  ),
})

/** The same as queries of the operators' routes, where everything is text. */

const flag = (absent: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(absent)
    .transform((text) => text === 'true')

const listLimit = countOf('limit', 50, 100).transform((count) => Math.max(1, count))

export const agentListQuery = agentQuery.extend({ limit: listLimit, failing: flag('false') })

export const incidentListQuery = incidentQuery.extend({ limit: listLimit, open: flag('false') })

/** Where it is part of the API's document, a resource has a name. */
export const agentList = agentPage.extend({
  agents: z.array(agentSummary.meta({ id: 'OperatedAgent' })),
})

export const incidentList = incidentPage.extend({
  incidents: z.array(incidentPage.shape.incidents.element.meta({ id: 'OperatedIncident' })),
})

export const userQuery = z.object({
  limit: listLimit,
  cursor: userIdText.optional().describe('`nextCursor` of the page before'),
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
        oldestAt: z.string().nullable().describe('Null: queues do not tell it'),
      })
      .meta({ id: 'OperatedQueue' }),
  ),
})

export const queueParams = z.object({ name: z.string().max(100) })

export const redriven = z
  .object({
    name: z.string(),
    moved: z.number().describe('Messages that are in the queue again'),
    dead: z.number().describe('Messages that are still in the dead-letter queue, about'),
  })
  .meta({ id: 'RedrivenQueue' })

export const providerList = z.object({
  providers: z.array(
    z
      .object({
        name: z.string(),
        host: z.string(),
        healthy: z.boolean().describe('It answers with the key that it was given'),
        standIn: z.boolean(),
        unlistedModels: z
          .array(z.string())
          .describe('Models of plans, tasks and the demo that it should serve and does not list'),
        checkedAt: z.string(),
      })
      .meta({ id: 'OperatedProvider' }),
  ),
})
