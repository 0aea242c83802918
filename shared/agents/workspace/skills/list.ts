import type * as z from 'zod'
import { findAgent } from '#shared/agents/record/find.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type CatalogueSkill, catalogue } from './catalogue.ts'
import { readInstalls } from './installs.ts'
import type { SkillFilter, skillAnswers } from './schema.ts'

/**
 * Lists the catalogue's skills that match a filter. `categories` and `featured` cover the whole catalogue. Only an
 * agent's owner can see its installed skills and whether it exists.
 */
export async function listSkills(
  ctx: Pick<Context, 'table' | 'owner'>,
  { agentId, ...filter }: SkillFilter,
): Promise<z.input<typeof skillAnswers.list>> {
  return {
    skills: catalogue.filter((skill) => passes(skill, filter)),
    categories: [...new Set(catalogue.map(({ category }) => category))].sort(),
    featured: catalogue.filter(({ featured }) => featured),
    installedSkillIds: await installedOn(ctx, agentId),
  }
}

function passes(skill: CatalogueSkill, { category, featured, search }: SkillFilter): boolean {
  if (category !== undefined && skill.category !== category) return false
  if (featured !== undefined && skill.featured !== featured) return false
  const words = (search ?? '').toLowerCase().split(/\s+/)
  const text = [skill.id, skill.name, skill.description, skill.category].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

async function installedOn(
  { table, owner }: Pick<Context, 'table' | 'owner'>,
  agentId: string | undefined,
): Promise<string[]> {
  if (owner === undefined || agentId === undefined) return []
  const agent = await findAgent({ table }, { agentId, owner })
  if (agent === undefined) return []
  const { installs } = await readInstalls({ table }, { userId: owner })
  return installs.filter((one) => one.agentId === agentId).map(({ skillId }) => skillId)
}
