import * as z from 'zod'

/** Members are asked side by side, so their number bounds what one run starts. */
const mostMembers = 20

const text = (name: string, longest: number) =>
  z
    .string({ error: `${name} required` })
    .max(longest, `${name} must have at most ${longest} characters`)
    .refine((value) => value.trim() !== '', `${name} required`)
    .overwrite((value) => value.toWellFormed())

/** contract.md 10, swarms. */
export const newSwarm = z.object({
  name: text('name', 100),
  description: z
    .string()
    .max(1000)
    .overwrite((value) => value.toWellFormed())
    .nullable()
    .default(null),
  agents: z
    .array(z.string().min(1).max(64), { error: 'agents must be a list of agent ids' })
    .min(1, 'agents must name at least one agent')
    .max(mostMembers, `agents must name at most ${mostMembers}`)
    .refine((ids) => new Set(ids).size === ids.length, 'agents must name each agent once'),
})

export type NewSwarm = z.output<typeof newSwarm>

export const swarmParams = z.object({ id: z.string() })

/** The prompt reaches each member as a message does. */
export const swarmRun = z.object({ prompt: text('prompt', 32_000) })

export const swarmView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  agents: z.array(z.string()),
  createdAt: z.string(),
})

export type Swarm = z.output<typeof swarmView>

export const swarmList = z.object({ swarms: z.array(swarmView), count: z.number() })

export const swarmResults = z.object({
  id: z.string(),
  results: z.array(
    z.object({
      agentId: z.string(),
      reply: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
})
