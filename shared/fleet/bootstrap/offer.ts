import type { Agent } from '../../agents/agent.ts'
import type { Offer } from '../../agents/record.ts'

/** How long a task may take to pull its image and start; Fargate takes a minute or two. */
const offerMs = 15 * 60_000

/** How long a container whose answer was lost may ask again: agent/gateway/bootstrap.ts gives up before. */
const repeatMs = 3 * 60_000

/** The offer of an agent's present generation: made anew for a RunTask that comes late, kept where it was taken. */
export function offerOf({ bootstrap, generation }: Agent, now: number): Offer {
  const mine = bootstrap?.generation === generation ? bootstrap : undefined
  if (mine !== undefined && (mine.by !== undefined || mine.until > now + offerMs / 2)) return mine
  return { generation, until: now + offerMs }
}

/**
 * The agent once a container has taken the offer.
 * @param by SHA-256 of what that container made up
 * @returns undefined where it may not: another did, the time is over, or this start is not wanted any more
 */
export function taken(
  agent: Agent,
  { generation, by }: { generation: number; by: string },
  now: number,
): Agent | undefined {
  const { bootstrap: offer } = agent
  const wanted =
    agent.generation === generation &&
    agent.desired === 'running' &&
    !agent.deleting &&
    agent.taskStatus !== 'STOPPED'
  if (!wanted || offer?.generation !== generation || offer.until <= now) return undefined
  if (offer.by === by) return agent
  if (offer.by !== undefined) return undefined
  return { ...agent, bootstrap: { generation, until: now + repeatMs, by } }
}
