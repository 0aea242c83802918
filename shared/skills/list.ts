import type * as z from 'zod'
import { findAgent } from '../agents/find.ts'
import type { Table } from '../platform/table/port.ts'
import { type CatalogueSkill, catalogue } from './catalogue.ts'
import { readInstalls } from './installs.ts'
import type { SkillFilter, skillAnswers } from './schema.ts'

/**
 * The catalogue's skills that pass a filter; `categories` and `featured` are of the whole catalogue.
 * @param userId whoever asks; what is installed is told to an agent's owner alone, and to nobody else that it exists
 */
export async function listSkills(
  table: Table,
  userId: string | undefined,
  { agentId, ...filter }: SkillFilter,
): Promise<z.input<typeof skillAnswers.list>> {
  return {
    skills: catalogue.filter((skill) => passes(skill, filter)),
    categories: [...new Set(catalogue.map(({ category }) => category))].sort(),
    featured: catalogue.filter(({ featured }) => featured),
    installedSkillIds: await installedOn(table, userId, agentId),
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
  table: Table,
  userId: string | undefined,
  agentId: string | undefined,
): Promise<string[]> {
  if (userId === undefined || agentId === undefined) return []
  const agent = await findAgent(table, agentId, userId)
  if (agent === undefined) return []
  const { installs } = await readInstalls(table, userId)
  return installs.filter((one) => one.agentId === agentId).map(({ skillId }) => skillId)
}
