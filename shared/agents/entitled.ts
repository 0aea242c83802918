import { findPlan } from '../plans/plans.ts'
import { isPaying } from '../plans/subscriptions.ts'
import { agentLimit, channelAgentLimit, type Payer } from '../plans/tiers.ts'
import type { Agent } from './agent.ts'
import { isOnChannels } from './config/channels.ts'

/**
 * What paid access a user has. `open`: what is paid for may be used. `late`: a payment failed and the provider tries
 * again; what runs goes on, and nothing starts. `over`: there was a plan, and it is paid for no more. `none`: there never
 * was one, so none of it can end; what runs then was started by an operator.
 */
export type Access = 'open' | 'late' | 'over' | 'none'

/** What a user's own row says of their paid access: contract.md 4. */
export function accessOf({ plan, subscription: { status }, isAdmin }: Payer): Access {
  if (isAdmin || isPaying(status)) return 'open'
  if (findPlan(plan) === undefined) return 'none'
  return status === 'past_due' ? 'late' : 'over'
}

/** What of an agent the rule goes by. */
type Placed = Pick<
  Agent,
  'id' | 'secrets' | 'desired' | 'asleep' | 'deleting' | 'lapsedAt' | 'startedByOperator'
>

/**
 * The agents that a user's plan has places for: of more than it allows, the oldest. An agent on a chat service counts
 * against the plan's limit of those, as when it was made.
 */
export function placesOf(user: Payer, agents: readonly Placed[]): Set<string> {
  const most = agentLimit(user)
  const mostOnChannels = Math.max(most, channelAgentLimit(user))
  // Ids grow with time.
  const oldestFirst = agents
    .filter(({ deleting }) => !deleting)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const placed = oldestFirst.filter((agent, i) => i < (isOnChannels(agent) ? mostOnChannels : most))
  return new Set(placed.map(({ id }) => id))
}

/**
 * What a user's plan makes of their agents: the whole rule, docs/billing.md. It goes by the rows alone, so that it comes
 * to the same however often, late or out of order it is asked.
 * @param agents all of the user's
 * @returns those that must stop, and those that it has stopped and that may start again
 */
export function entitledChanges<A extends Placed>(
  user: Payer,
  agents: readonly A[],
): { stop: A[]; start: A[] } {
  const access = accessOf(user)
  if (access === 'none') return { stop: [], start: [] }
  const places = access === 'over' ? new Set<string>() : placesOf(user, agents)
  return {
    stop: agents.filter(
      (agent) => isWanted(agent) && !agent.startedByOperator && !places.has(agent.id),
    ),
    start:
      access === 'open'
        ? agents.filter(({ id, lapsedAt }) => lapsedAt !== undefined && places.has(id))
        : [],
  }
}

/** Whether an agent runs, is on its way, or would wake with the next request. */
export function isWanted({ desired, asleep, deleting }: Placed): boolean {
  return !deleting && (desired === 'running' || asleep === true)
}
