import type * as z from 'zod'
import { type Agent, ownerOf } from '../agents/agent.ts'
import { rowsOf } from '../agents/workspace/pages.ts'
import { skillKey, type SkillRow, toSkill } from '../agents/workspace/rows.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { skillAnswers } from './schema.ts'

/** A row that holds a skill, and not the news of its removal. */
export type InstalledSkill = Required<SkillRow> & { document: string }

/** A skill as it is installed in an agent; undefined where it is not. */
export async function readSkill(
  table: Table,
  agent: Agent,
  skillId: string,
): Promise<InstalledSkill | undefined> {
  const item = await userStore(table, ownerOf(agent)).get(skillKey(agent.id, skillId))
  return item && installed(toSkill(item))
}

/** The skills of an agent, by id. */
export async function listInstalled(
  table: Table,
  agent: Agent,
): Promise<z.input<typeof skillAnswers.installed>[]> {
  const skills: z.input<typeof skillAnswers.installed>[] = []
  const store = userStore(table, ownerOf(agent))
  for await (const row of rowsOf(store, skillKey(agent.id), toSkill)) {
    const skill = installed(row)
    if (skill !== undefined) skills.push({ ...skill, id: skill.skillId })
  }
  return skills
}

function installed(row: SkillRow): InstalledSkill | undefined {
  return row.document === undefined ? undefined : (row as InstalledSkill)
}
