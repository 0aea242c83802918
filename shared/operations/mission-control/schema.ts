import * as z from 'zod'
import { agentStatuses } from '#shared/agents/record/statuses.ts'

const cost = z.number().nullable().describe('USD in this month; null if no price is known')

/** contract.md 10, mission-control. */
export const costsAnswer = z
  .object({
    costs: z.array(
      z.object({
        agentId: z.string(),
        agentName: z.string(),
        status: z.enum(agentStatuses),
        cost,
        createdAt: z.string(),
      }),
    ),
    totalSpend: z.number().describe('USD; the sum of the known costs'),
    plan: z.string(),
  })
  .meta({ id: 'FleetCosts' })

export const graphAnswer = z
  .object({
    nodes: z.array(
      z
        .object({
          id: z.string(),
          name: z.string(),
          type: z.literal('agent'),
          status: z.enum(agentStatuses),
          metadata: z.object({
            model: z.string().nullable(),
            plan: z.string().nullable(),
            createdAt: z.string(),
          }),
        })
        .meta({ id: 'FleetNode' }),
    ),
    edges: z.array(
      z
        .object({
          id: z.string(),
          source: z.string().describe('The sender of the latest message'),
          target: z.string(),
          label: z.string().describe('The action of the latest message'),
        })
        .meta({ id: 'FleetEdge' }),
    ),
    timestamp: z.string(),
  })
  .meta({ id: 'FleetGraph' })

export const tracesAnswer = z
  .object({
    traces: z.array(
      z
        .object({
          id: z.string().describe('Time of the user’s message'),
          agentId: z.string(),
          agentName: z.string().nullable(),
          status: z.enum(['completed', 'failed', 'running']),
          description: z.string().describe('The first 200 characters of the user’s message'),
          model: z.string().nullable(),
          tokensUsed: z.number().nullable(),
          costUsd: z
            .number()
            .nullable()
            .describe('Null if the calls of the turn cannot be determined'),
          startedAt: z.string(),
          completedAt: z.string().nullable(),
        })
        .meta({ id: 'FleetTrace' }),
    ),
  })
  .meta({ id: 'FleetTraces' })
