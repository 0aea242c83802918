import * as z from 'zod'
import { agentStatuses } from '../agent.ts'
import { containerHealths } from './health.ts'

const figure = z.number().nullable()

/** contract.md 7: cpu in percent of one core, memory in bytes, rates as parts of 1, null before there is any. */
export const agentStats = z.object({
  stats: z.object({
    agentId: z.string(),
    status: z.enum(agentStatuses),
    cpu: figure,
    memory: figure,
    memoryPercent: figure,
    uptimeMs: figure,
    messagesProcessed: figure,
    averageResponseMs: figure,
    successRate: figure,
    errorRate: figure,
  }),
  status: z.literal('ok'),
})

export const instanceDetails = z.object({
  userId: z.string().nullable(),
  agentId: z.string(),
  status: z.enum(agentStatuses),
  startedAt: z.string().nullable(),
  subdomain: z.string(),
  url: z.string(),
  plan: z.string(),
  runtimeVersion: z.string().nullable(),
})

export const instanceStats = z.object({
  userId: z.string().nullable(),
  agentId: z.string(),
  status: z.enum(agentStatuses),
  health: z.enum(containerHealths),
  cpu: figure,
  memory: figure,
  uptimeMs: figure,
  messages: figure,
  errors: figure,
  runtimeVersion: z.string().nullable(),
})

export const runtimeVersionAnswer = z.object({
  runtimeVersion: z.string().nullable(),
  image: z.string(),
  deployedAt: z.string().nullable().describe('Null: nobody notes when a version came'),
})

export const runtimeInstances = z.object({
  instances: z.array(
    z.object({
      agentId: z.string(),
      name: z.string(),
      image: z.string(),
      status: z.string(),
      createdAt: z.string(),
      version: z.string().nullable(),
      metadata: z.object({
        userId: z.string().nullable(),
        plan: z.string(),
        generation: z.number(),
        startedAt: z.string().nullable(),
      }),
    }),
  ),
  count: z.number(),
})

export const runtimeStats = z.object({
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
