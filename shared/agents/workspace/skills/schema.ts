import * as z from 'zod'
import { agentIdText } from '../memory/schema.ts'

/** Limited to the agent's longest message, because the input is returned unchanged. */
const longestInput = 32_000

const skillId = z
  .string({ error: 'skillId required' })
  .min(1, 'skillId required')
  .max(64, 'skillId must have at most 64 characters')

export const skillFilter = z.object({
  category: z.string().max(64).optional(),
  featured: z
    .enum(['true', 'false'], 'featured must be true or false')
    .transform((text) => text === 'true')
    .optional(),
  search: z.string().max(100, 'search must have at most 100 characters').optional(),
  agentId: z.string().max(64).optional(),
})

export type SkillFilter = z.output<typeof skillFilter>

export const skillOfAgent = z.object({ skillId, agentId: agentIdText }).meta({ id: 'SkillOfAgent' })

export const skillUse = z
  .object({
    agentId: z.string().min(1).max(64).optional(),
    input: z
      .string({ error: 'input required' })
      .max(longestInput, `input must have at most ${longestInput} characters`)
      .refine((text) => text.trim() !== '', 'input required')
      .overwrite((text) => text.toWellFormed()),
  })
  .meta({ id: 'SkillUse' })

export const skillParams = z.object({ name: z.string() })

const listedSkill = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    featured: z.boolean(),
    version: z.string(),
  })
  .meta({ id: 'Skill' })

export const skillAnswers = {
  list: z.object({
    skills: z.array(listedSkill),
    categories: z.array(z.string()),
    featured: z.array(listedSkill),
    installedSkillIds: z.array(z.string()),
  }),
  /** `deployed` is true if the running container has the change. */
  changed: z.object({ success: z.literal(true), installed: z.boolean(), deployed: z.boolean() }),
  installed: z
    .object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      version: z.string(),
      enabled: z.boolean(),
      installedAt: z.string(),
    })
    .meta({ id: 'InstalledSkill' }),
}
