import { findPlan } from '#shared/money/plans/plans.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'
import { agentLimit, channelAgentLimit, type Payer } from '#shared/money/plans/tiers.ts'
import type { Agent } from './agent.ts'
import { isOnChannels } from './config/channels.ts'

/**
 * The state of a user's paid access. `open`: paid features are available. `late`: a payment failed and the provider
 * retries; running agents continue, and none starts. `over`: the plan has ended. `none`: there never was a plan, so
 * nothing can end; running agents were started by an operator.
 */
export type PaidAccess = 'open' | 'late' | 'over' | 'none'

/** Returns the state of a user's paid access from their row: contract.md 4. */
export function paidAccessOf({ plan, subscription: { status }, isAdmin }: Payer): PaidAccess {
  if (isAdmin || isPaying(status)) return 'open'
  if (findPlan(plan) === undefined) return 'none'
  return status === 'past_due' ? 'late' : 'over'
}

/** The fields of an agent that determine whether the plan includes it. */
type Placed = Pick<
  Agent,
  'id' | 'secrets' | 'desired' | 'asleep' | 'deleting' | 'lapsedAt' | 'startedByOperator'
>

/**
 * Returns the agents within the limits of a user's plan. If there are too many, the oldest are within the limits. An
 * agent on a chat service also counts toward the plan's limit of such agents, as at its creation.
 */
export function placesOf(user: Payer, agents: readonly Placed[]): Set<string> {
  const maxAgents = agentLimit(user)
  const maxOnChannels = Math.max(maxAgents, channelAgentLimit(user))
  // Ids are ordered by creation time.
  const oldestFirst = agents
    .filter(({ deleting }) => !deleting)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const placed = oldestFirst.filter(
    (agent, i) => i < (isOnChannels(agent) ? maxOnChannels : maxAgents),
  )
  return new Set(placed.map(({ id }) => id))
}

/**
 * Returns the changes of agents that their user's plan requires, by the rule of docs/use/billing.md. The result depends
 * only on the rows, so repeated, late and reordered calls return the same result.
 * @param agents all of the user's
 * @returns the agents that must stop, and the stopped ones that can start again
 */
export function entitledChanges<A extends Placed>(
  user: Payer,
  agents: readonly A[],
): { stop: A[]; start: A[] } {
  const access = paidAccessOf(user)
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

/** Returns whether an agent runs, is starting, or would wake up with the next request. */
export function isWanted({ desired, asleep, deleting }: Placed): boolean {
  return !deleting && (desired === 'running' || asleep === true)
}
