import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { changeWorkspace } from '../change.ts'
import { skillRows } from '../rows.ts'
import { findSkill } from './catalogue.ts'
import { type Install, installsWrite, readInstalls } from './installs.ts'
import { skillLimit, skillLimitReached } from './limit.ts'

/** The user whose skill limit counts. */
export interface Installer {
  id: string
  plan: string
  isAdmin: boolean
}

/**
 * Installs a skill of the catalogue into an agent. An installed skill is updated and enabled. This writes to the table;
 * pushNow sends it to the container.
 * @returns the current agent
 * @throws PlatformError 404 for an unknown skill, or an agent that does not exist or belongs to another user; 402
 * SKILL_LIMIT_REACHED
 */
export async function installSkill(
  ctx: Pick<UserContext, 'table' | 'actor' | 'owner'>,
  install: Install,
): Promise<Agent> {
  const { plan, isAdmin } = ctx.actor.user
  return installSkillFor(ctx, { ...install, installer: { id: ctx.owner, plan, isAdmin } })
}

/**
 * Installs a skill for a user who is not the caller, such as the owner of a clone.
 * @throws as installSkill
 */
export async function installSkillFor(
  ctx: Pick<Context, 'table'>,
  { agentId, skillId, installer }: Install & { installer: Installer },
): Promise<Agent> {
  const { table } = ctx
  const skill = findSkill(skillId)
  if (skill === undefined) throw notFound('Skill')
  const { name, description, version, document } = skill
  const { id: userId } = installer
  const agent = await requireAgent({ table }, { agentId, owner: userId })
  return changeWorkspace(ctx, {
    agent,
    plan: async ({ revision }) => {
      const before = await readInstalls(ctx, { userId })
      const after = await withInstall(table, installer, before.installs, { agentId, skillId })
      const at = new Date().toISOString()
      const row = skillRows.put(
        { userId, agentId, skillId },
        {
          skillId,
          name,
          description,
          version,
          document,
          enabled: true,
          revision,
          installedAt: at,
          updatedAt: at,
        },
      )
      return { rows: [{ put: row }], installs: installsWrite(userId, before, after) }
    },
  })
}

/** @throws PlatformError 402 if the limit is reached, without counting deleted agents */
async function withInstall(
  table: Table,
  user: Installer,
  installs: readonly Install[],
  added: Install,
): Promise<readonly Install[]> {
  const others = installs.filter((one) => !isSame(one, added))
  const limit = skillLimit(user)
  if (others.length < installs.length || others.length < limit) return [...others, added]
  const agents = new Set((await listAgents({ table }, { userId: user.id })).map(({ id }) => id))
  const living = others.filter(({ agentId }) => agents.has(agentId))
  if (living.length >= limit) throw skillLimitReached(living.length, limit)
  return [...living, added]
}

function isSame(one: Install, other: Install): boolean {
  return one.agentId === other.agentId && one.skillId === other.skillId
}
