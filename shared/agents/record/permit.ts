import { findUser, isAdmin, profileKey } from '#shared/accounts/users/user.ts'
import { isPaying, paying, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { agentLimit, awakeLimit } from '#shared/money/plans/tiers.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { InternalActor, UserActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { quotaOf } from '../storage/quota.ts'
import { storageRows } from '../storage/rows.ts'
import { blocksStarts, storageFull } from '../storage/use.ts'
import type { Agent } from './agent.ts'
import type { AlongWrite } from './change.ts'
import { listAgents } from './list.ts'
import { agentLimitReached } from './owner.ts'
import { placesOf } from './paid-access.ts'

/**
 * The role that starts an agent: contract.md 4. An operator needs no plan, and can start agents that an operator has
 * stopped. A stranger has paid for a clone, which can use only a part of the owner's awake places.
 */
export type Starter = 'owner' | 'operator' | 'stranger'

/** Returns operator for a trusted caller that acts for no user, and for an admin. */
export function starterOf(actor: UserActor | InternalActor): Starter {
  const operates = actor.type === 'user' ? actor.user.isAdmin : actor.userId === undefined
  return operates ? 'operator' : 'owner'
}

/**
 * Permission to start an agent. The write that starts the agent checks all its parts again, so that changes in between
 * are respected.
 */
export interface StartPermit {
  /** @throws PlatformError 409 STOPPED_BY_OPERATOR, for the current agent */
  check(current: Agent): void
  /** Requires that the owner's plan is paid. Absent if that is not required. */
  paid?: AlongWrite | undefined
  /** The maximum number of the owner's awake agents. Absent if there is no limit. */
  awakeLimit?: number | undefined
  /** The start can use only the places for strangers' clones: see `awakeRoom`. */
  forStranger?: true | undefined
  /** An operator starts the agent although its owner's plan does not allow it. */
  overrides?: true | undefined
}

/**
 * Checks whether an agent can start.
 * @throws PlatformError 409 STOPPED_BY_OPERATOR, 402 SUBSCRIPTION_REQUIRED, 402 AGENT_LIMIT_REACHED if the plan now
 * allows fewer agents and older ones use its places, 402 STORAGE_LIMIT_REACHED if the storage is far exceeded
 */
export async function permitStart(
  ctx: Pick<Context, 'table'> & Reads<'ADMIN_EMAILS' | 'deployed'>,
  agent: Agent,
  by: Starter,
): Promise<StartPermit> {
  if (by === 'operator') {
    const { refusal } = await askPlan(ctx, agent)
    return { check: () => {}, ...(refusal && { overrides: true }) }
  }
  checkStop(agent)
  const { refusal, ...leave } = await askPlan(ctx, agent)
  if (refusal !== undefined) throw refusal
  return { check: checkStop, ...leave, ...(by === 'stranger' && { forStranger: true }) }
}

/** Checks the plan of an agent's owner. */
async function askPlan(
  { table, config }: Pick<Context, 'table'> & Reads<'ADMIN_EMAILS' | 'deployed'>,
  { id, userId }: Agent,
): Promise<{ refusal?: PlatformError } & Pick<StartPermit, 'paid' | 'awakeLimit'>> {
  if (userId === null) return {}
  const user = await findUser(table, userId)
  if (user !== undefined && isAdmin(user, config.ADMIN_EMAILS)) return {}
  if (user === undefined || !isPaying(user.subscription.status))
    return { refusal: subscriptionRequired() }
  const payer = { ...user, isAdmin: false }
  const limit = agentLimit(payer)
  // Below the limit every agent has a place, so the agents are not read.
  if (user.agentCount > limit) {
    const agents = await listAgents({ table }, { userId, consistent: true })
    if (!placesOf(payer, agents).has(id))
      return { refusal: agentLimitReached(user.agentCount, limit) }
  }
  const use = await storageRows.find(table, { userId })
  const quota = quotaOf(user, config.ADMIN_EMAILS)
  if (blocksStarts(use, quota)) return { refusal: storageFull(use, quota) }
  const write = userStore(table, userId).write.check(profileKey, paying)
  return { paid: { write, refused: subscriptionRequired }, awakeLimit: awakeLimit(payer, config) }
}

function checkStop(agent: Agent): void {
  if (agent.stoppedByOperator) throw stoppedByOperator(agent)
}

/** 409 STOPPED_BY_OPERATOR: contract.md 4. */
export function stoppedByOperator({ status }: Pick<Agent, 'status'>): PlatformError {
  return new PlatformError('conflict', 'The agent was stopped by an operator', {
    code: 'STOPPED_BY_OPERATOR',
    details: { status },
  })
}
