import * as z from 'zod'
import { agentStatuses } from '#shared/agents/record/agent.ts'
import { containerHealths } from './health.ts'

const figure = z.number().nullable()

const sinceStart = (what: string) =>
  figure.describe(
    `${what} since the container started, as counted by the container; null if it does not report them`,
  )

/**
 * contract.md 7: cpu in percent of one core, memory in bytes, rates as parts of 1. Counts of the platform are 0 without
 * events; unknown figures of the container, and rates and averages without calls, are null.
 */
export const agentStats = z.object({
  stats: z
    .object({
      agentId: z.string(),
      status: z.enum(agentStatuses),
      cpu: figure,
      memory: figure,
      memoryPercent: figure,
      uptimeMs: figure,
      messagesProcessed: z.number().describe('Messages from the owner'),
      averageResponseMs: figure,
      successRate: figure,
      errorRate: figure,
    })
    .meta({ id: 'AgentStats' }),
  status: z.literal('ok'),
})

export const instanceDetails = z
  .object({
    userId: z.string().nullable(),
    agentId: z.string(),
    status: z.enum(agentStatuses),
    startedAt: z.string().nullable(),
    subdomain: z.string(),
    url: z.string(),
    plan: z.string(),
    runtimeVersion: z.string().nullable(),
  })
  .meta({ id: 'Instance' })

export const instanceStats = z
  .object({
    userId: z.string().nullable(),
    agentId: z.string(),
    status: z.enum(agentStatuses),
    health: z.enum(containerHealths),
    cpu: figure,
    memory: figure,
    uptimeMs: figure,
    messages: sinceStart('Messages'),
    errors: sinceStart('Messages that the agent could not answer'),
    runtimeVersion: z.string().nullable(),
  })
  .meta({ id: 'InstanceStats' })

export const runtimeVersionAnswer = z
  .object({
    runtimeVersion: z.string().nullable(),
    image: z.string(),
    deployedAt: z.string().nullable().describe('Always null: deployment times are not recorded'),
  })
  .meta({ id: 'RuntimeVersion' })

export const runtimeInstances = z.object({
  instances: z.array(
    z
      .object({
        agentId: z.string(),
        name: z.string(),
        image: z.string().nullable().describe('Null before the first start'),
        status: z.string(),
        createdAt: z.string(),
        version: z.string().nullable(),
        metadata: z.object({
          userId: z.string().nullable(),
          plan: z.string(),
          generation: z.number(),
          startedAt: z.string().nullable(),
        }),
      })
      .meta({ id: 'Instance' }),
  ),
  count: z.number(),
})

export const runtimeStats = z
  .object({
    agentId: z.string(),
    cpu: figure,
    memory: figure,
    memoryPercent: figure,
    network: z.object({ rxBytes: figure, txBytes: figure }).nullable(),
    pids: figure,
    status: z.string(),
    uptimeMs: figure,
    timestamp: z.string(),
  })
  .meta({ id: 'InstanceStats' })
