import type * as z from 'zod'
import { type Agent, ownerOf } from '../../agents/agent.ts'
import type { Context } from '../../identity/context.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { rowsOf } from '../pages.ts'
import { type SkillRow, skillRows } from '../rows.ts'
import type { skillAnswers } from './schema.ts'

/** A row that holds a skill, and not the news of its removal. */
export type InstalledSkill = { [Name in keyof SkillRow]-?: NonNullable<SkillRow[Name]> }

/** A skill as it is installed in an agent; undefined where it is not. */
export async function readSkill(
  { table }: Pick<Context, 'table'>,
  { agent, skillId }: { agent: Agent; skillId: string },
): Promise<InstalledSkill | undefined> {
  const store = userStore(table, ownerOf(agent))
  const item = await store.get(skillRows.sk({ agentId: agent.id, skillId }))
  return item && installedSkill(skillRows.parse(item))
}

/** The skills of an agent, by id. */
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

/** The skill of a row; undefined where it is the news of a removal. */
export function installedSkill(row: SkillRow): InstalledSkill | undefined {
  return row.document === undefined ? undefined : (row as InstalledSkill)
}
