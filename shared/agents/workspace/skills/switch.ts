import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeWorkspace } from '../change.ts'
import { skillRows } from '../rows.ts'
import { readSkill } from './installed.ts'

/**
 * Enables or disables an agent's skill. pushNow sends the change to the container.
 * @returns the current agent
 * @throws PlatformError 404 if the skill is not installed
 */
export async function switchSkill(
  ctx: Pick<Context, 'table'>,
  { agent, skillId, enabled }: { agent: Agent; skillId: string; enabled: boolean },
): Promise<Agent> {
  const key = { userId: ownerOf(agent), agentId: agent.id, skillId }
  return changeWorkspace(ctx, {
    agent,
    plan: async ({ revision }) => {
      const row = await readSkill(ctx, { agent, skillId })
      if (row === undefined) throw notFound('Skill')
      const updatedAt = new Date().toISOString()
      return { rows: [{ put: skillRows.put(key, { ...row, enabled, revision, updatedAt }) }] }
    },
  })
}
