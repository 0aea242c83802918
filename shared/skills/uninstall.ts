import type { Agent } from '../agents/agent.ts'
import { requireAgent } from '../agents/find.ts'
import { changeWorkspace } from '../agents/workspace/change.ts'
import { isUntold, skillKey, type SkillRow } from '../agents/workspace/rows.ts'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { findSkill } from './catalogue.ts'
import { readSkill } from './installed.ts'
import { type Install, installsWrite, readInstalls } from './installs.ts'

/**
 * Takes a skill out of an agent; one that is not in it is as good as taken out. pushWorkspace tells the container.
 * @returns the agent as it is then
 * @throws PlatformError 404 for an agent that is not theirs, or a skill that nobody knows
 */
export async function uninstallSkill(
  table: Table,
  userId: string,
  { agentId, skillId }: Install,
): Promise<Agent> {
  const store = userStore(table, userId)
  const agent = await requireAgent(table, agentId, userId)
  return changeWorkspace(table, agent, async ({ revision }, current) => {
    const [row, before] = await Promise.all([
      readSkill(table, agent, skillId),
      readInstalls(table, userId),
    ])
    if (row === undefined && findSkill(skillId) === undefined) throw notFound('Skill')
    if (row === undefined) return undefined
    const sk = skillKey(agentId, skillId)
    const removed: SkillRow = {
      skillId,
      enabled: false,
      revision,
      updatedAt: new Date().toISOString(),
    }
    const after = before.installs.filter(
      (one) => one.agentId !== agentId || one.skillId !== skillId,
    )
    return {
      writes: [
        isUntold(current, row) ? store.write.delete(sk) : store.write.put(sk, { ...removed }),
        installsWrite(table, userId, before, after),
      ],
    }
  })
}
