import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { changeWorkspace } from '../change.ts'
import { isUnsent, skillRows } from '../rows.ts'
import { findSkill } from './catalogue.ts'
import { readSkill } from './installed.ts'
import { type Install, installsWrite, readInstalls } from './installs.ts'

/**
 * Removes a skill from an agent. Succeeds if it is not installed. pushNow sends the change to the container.
 * @returns the current agent
 * @throws PlatformError 404 for another user's agent, or a skill that neither the agent nor the catalogue has
 */
export async function uninstallSkill(
  ctx: Pick<UserContext, 'table' | 'owner'>,
  { agentId, skillId }: Install,
): Promise<Agent> {
  const { owner } = ctx
  const { write } = userStore(ctx.table, owner)
  const agent = await requireAgent(ctx, { agentId, owner })
  return changeWorkspace(ctx, {
    agent,
    plan: async ({ revision }, current) => {
      const [row, before] = await Promise.all([
        readSkill(ctx, { agent, skillId }),
        readInstalls(ctx, { userId: owner }),
      ])
      if (row === undefined && findSkill(skillId) === undefined) throw notFound('Skill')
      if (row === undefined) return undefined
      const sk = skillRows.sk({ agentId, skillId })
      const updatedAt = new Date().toISOString()
      const tombstone = skillRows.attributes({ skillId, enabled: false, revision, updatedAt })
      const after = before.installs.filter(
        (one) => one.agentId !== agentId || one.skillId !== skillId,
      )
      return {
        rows: [isUnsent(current, row) ? write.delete(sk) : write.put(sk, tombstone)],
        installs: installsWrite(owner, before, after),
      }
    },
  })
}
