import { notFound } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'

/** A lease is made this much longer than it has to be, so that all requests together write the row once in this time. */
const marginMs = 60_000

/** With less than this left a lease is renewed. */
const renewBelowMs = 60_000

/** How often work that goes on looks at its lease. */
export const renewEveryMs = 30_000

/** A lease is renewed by work that goes on until this long before its end, so by then the work was over. */
export const leaseTailMs = renewBelowMs - renewEveryMs

/**
 * Notes that a request works with an agent, so that it does not fall asleep for the next half minute at least. A lease
 * only grows, so one that is long enough in a row read before still is. An agent that is asleep is left so.
 * @param input.forMs how much a lease has to have left; more than a minute for work that cannot renew it
 * @returns the agent as it is then
 * @throws PlatformError 404 where it is deleted meanwhile
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
              lastActiveAt: new Date(now).toISOString(),
            },
      now,
    },
  )
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  return stored
}
