import * as z from 'zod'
import { requiredText } from '#shared/platform/fields.ts'

/** Members run concurrently, so this limits the load of one run. */
const maxMembers = 20

/** The body of a new swarm: contract.md 10, swarms. */
export const newSwarm = z
  .object({
    name: requiredText('name', 100),
    description: z
      .string()
      .max(1000)
      .overwrite((value) => value.toWellFormed())
      .nullable()
      .default(null),
    agents: z
      .array(z.string().min(1).max(64), { error: 'agents must be a list of agent ids' })
      .min(1, 'agents must name at least one agent')
      .max(maxMembers, `agents must name at most ${maxMembers}`)
      .refine((ids) => new Set(ids).size === ids.length, 'agents must name each agent once'),
  })
  .meta({ id: 'NewSwarm' })

export type NewSwarm = z.output<typeof newSwarm>

export const swarmParams = z.object({ id: z.string() })

/** Each member receives the prompt as a message. */
export const swarmRun = z
  .object({ prompt: requiredText('prompt', 32_000) })
  .meta({ id: 'SwarmRun' })

export const swarmView = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    agents: z.array(z.string()),
    createdAt: z.string(),
  })
  .meta({ id: 'Swarm' })

export type Swarm = z.output<typeof swarmView>

export const swarmList = z.object({ swarms: z.array(swarmView), count: z.number() })

export const swarmResults = z
  .object({
    id: z.string(),
    results: z.array(
      z.object({
        agentId: z.string(),
        reply: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SwarmResults' })
