import type { Agent } from '../agents/agent.ts'
import { ownerOf } from '../agents/agent.ts'
import { changeWorkspace } from '../agents/workspace/change.ts'
import { skillKey } from '../agents/workspace/rows.ts'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { readSkill } from './installed.ts'

/**
 * Switches a skill of an agent on or off. pushWorkspace tells the container.
 * @returns the agent as it is then
 * @throws PlatformError 404 where the skill is not installed
 */
export async function switchSkill(
  table: Table,
  agent: Agent,
  { skillId, enabled }: { skillId: string; enabled: boolean },
): Promise<Agent> {
  const store = userStore(table, ownerOf(agent))
  return changeWorkspace(table, agent, async ({ revision }) => {
    const row = await readSkill(table, agent, skillId)
    if (row === undefined) throw notFound('Skill')
    const updatedAt = new Date().toISOString()
    const switched = { ...row, enabled, revision, updatedAt }
    return { writes: [store.write.put(skillKey(agent.id, skillId), switched)] }
  })
}
