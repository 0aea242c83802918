import * as z from 'zod'
import { specializations } from '#shared/agents/record/lineage.ts'
import { agentStatuses } from '#shared/agents/record/statuses.ts'

/** The query of the colony: contract.md 10, colony. */
export const colonyQuery = z.object({
  action: z
    .enum(['tree', 'soul', 'diagnostics'], {
      error: 'action must be one of tree, soul, diagnostics',
    })
    .default('tree'),
})

const score = z
  .number()
  .nullable()
  .describe('Fitness from 0 to 100; null if the x402 gateway does not report it')

const gateway = z.enum(['reachable', 'unreachable', 'not configured'])

const timestamp = z.string()

const colonyNode = z
  .object({
    id: z.string(),
    name: z.string(),
    generation: z.number(),
    specialization: z.enum(specializations).nullable().describe('Null if the agent is not a clone'),
    status: z.enum(agentStatuses),
    fitness: score,
    get children() {
      return z.array(colonyNode)
    },
  })
  .meta({ id: 'ColonyNode' })

export type ColonyNode = z.output<typeof colonyNode>

export const colonyTree = z
  .object({ tree: z.array(colonyNode), count: z.number(), timestamp })
  .meta({ id: 'ColonyTree' })

export const colonySoul = z
  .object({
    soul: z.array(
      z.object({
        agentId: z.string(),
        name: z.string(),
        score,
        tier: z.string().nullable(),
        details: z.record(z.string(), z.unknown()).nullable(),
      }),
    ),
    gateway,
    timestamp,
  })
  .meta({ id: 'ColonySoul' })

const count = z.number()

export const colonyDiagnostics = z
  .object({
    agents: z.object({
      total: count,
      running: count,
      stopped: count,
      failed: count,
    }),
    generations: z.number().describe('The highest generation'),
    clones: count,
    gateway,
    timestamp,
  })
  .meta({ id: 'ColonyDiagnostics' })

export const colonyAnswer = z.union([colonyTree, colonySoul, colonyDiagnostics])
