import { notFound } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'

/** How long work counts as going on after it was last heard of. */
const leaseMs = 120_000

/** With less than this left a lease is renewed: a row is written at most once a minute, whoever works with it. */
const renewBelowMs = 60_000

/** How often work that goes on looks at its lease. */
export const renewEveryMs = 30_000

/** A lease is renewed by work that goes on until this long before its end, so by then the work was over. */
export const leaseTailMs = renewBelowMs - renewEveryMs

/**
 * Notes that somebody works with an agent, so that it does not fall asleep for the next half minute at least. A lease
 * only grows, so one that is long enough in a row read before still is. An agent that is asleep is left so.
 * @returns the agent as it is then
 * @throws PlatformError 404 where it is deleted meanwhile
 */
export async function holdLease(table: Table, agent: Agent, now = Date.now()): Promise<Agent> {
  const stored = await changeAgent(
    table,
    agent,
    (current) =>
      current.asleep || current.deleting || (current.busyUntil ?? 0) - now > renewBelowMs
        ? current
        : { ...current, busyUntil: now + leaseMs, lastActiveAt: new Date(now).toISOString() },
    now,
  )
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  return stored
}
