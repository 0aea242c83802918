import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'

/** A lease lasts this much longer than required, so that concurrent requests together write the row once in this time. */
const marginMs = 60_000

/** A lease is renewed when less than this time is left. */
const renewBelowMs = 60_000

/** Running work checks its lease at this interval. */
export const renewEveryMs = 30_000

/**
 * Running work renews its lease before less than this time is left. A lease with less time left belongs to finished
 * work.
 */
export const leaseTailMs = renewBelowMs - renewEveryMs

/**
 * Records that a request works with an agent, so that the agent stays awake for at least half a minute. A lease is
 * never shortened, so a lease that is long enough in an earlier read is still long enough. An agent that is asleep
 * stays asleep.
 * @param input.forMs the required remaining time of the lease; more than a minute for work that cannot renew it
 * @returns the current agent
 * @throws PlatformError 404 if the agent is deleted in the meantime
 */
export async function holdLease(
  { table }: { table: Table },
  { agent, forMs = renewBelowMs }: { agent: Agent; forMs?: number | undefined },
  now = Date.now(),
): Promise<Agent> {
  const stored = await changeAgent(
    { table },
    {
      agent,
      decide: (current) =>
        current.asleep || current.deleting || (current.busyUntil ?? 0) - now > forMs
          ? current
          : {
              ...current,
              busyUntil: now + forMs + marginMs,
              lastActiveAt: isoOf(now),
            },
      now,
    },
  )
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  return stored
}
