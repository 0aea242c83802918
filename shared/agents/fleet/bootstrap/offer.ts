import type { Agent } from '#shared/agents/record/agent.ts'
import type { Offer } from '#shared/agents/record/record.ts'

/** The time for a task to pull its image and start. Fargate takes a minute or two. */
const offerMs = 15 * 60_000

/** A container can retry for this long after a lost response. agent/gateway/bootstrap.ts gives up before that. */
const repeatMs = 3 * 60_000

/**
 * Returns the offer of an agent's current generation. A late RunTask renews it; an offer that was taken does not
 * change.
 */
export function offerOf({ bootstrap, generation }: Agent, now: number): Offer {
  const mine = bootstrap?.generation === generation ? bootstrap : undefined
  if (mine !== undefined && (mine.by !== undefined || mine.until > now + offerMs / 2)) return mine
  return { generation, until: now + offerMs }
}

/**
 * Returns the agent after a container has taken the offer.
 * @param by SHA-256 of the container's nonce
 * @returns undefined if it cannot take the offer: another container did, it has expired, or this start is obsolete
 */
export function acceptOffer(
  agent: Agent,
  { generation, by }: { generation: number; by: string },
  now: number,
): Agent | undefined {
  const { bootstrap: offer } = agent
  const isWanted =
    agent.generation === generation &&
    agent.desired === 'running' &&
    !agent.deleting &&
    agent.taskStatus !== 'STOPPED'
  if (!isWanted || offer?.generation !== generation || offer.until <= now) return undefined
  if (offer.by === by) return agent
  if (offer.by !== undefined) return undefined
  return { ...agent, bootstrap: { generation, until: now + repeatMs, by } }
}
