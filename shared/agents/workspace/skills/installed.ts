import type * as z from 'zod'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { rowsOf } from '../pages.ts'
import { type SkillRow, skillRows } from '../rows.ts'
import type { skillAnswers } from './schema.ts'

/** A row of an installed skill, not a tombstone. */
export type InstalledSkill = { [Name in keyof SkillRow]-?: NonNullable<SkillRow[Name]> }

/** Returns an agent's installed skill, or undefined if it is not installed. */
export async function readSkill(
  { table }: Pick<Context, 'table'>,
  { agent, skillId }: { agent: Agent; skillId: string },
): Promise<InstalledSkill | undefined> {
  const store = userStore(table, ownerOf(agent))
  const item = await store.get(skillRows.sk({ agentId: agent.id, skillId }))
  return item && installedSkill(skillRows.parse(item))
}

/** Lists an agent's skills, by id. */
export async function listInstalled(
  { table }: Pick<Context, 'table'>,
  { agent }: { agent: Agent },
): Promise<z.input<typeof skillAnswers.installed>[]> {
  const skills: z.input<typeof skillAnswers.installed>[] = []
  const store = userStore(table, ownerOf(agent))
  for await (const row of rowsOf(store, skillRows.prefix({ agentId: agent.id }), skillRows.parse)) {
    const skill = installedSkill(row)
    if (skill !== undefined) skills.push({ ...skill, id: skill.skillId })
  }
  return skills
}

/** Returns the skill of a row, or undefined for a tombstone. */
export function installedSkill(row: SkillRow): InstalledSkill | undefined {
  return row.document === undefined ? undefined : (row as InstalledSkill)
}
