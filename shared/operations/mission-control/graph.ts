import type * as z from 'zod'
import { listAgents } from '#shared/agents/record/list.ts'
import { listPairs } from '#shared/network/bus/pairs.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { graphAnswer } from './schema.ts'

/**
 * Returns the user's agents, and the pairs that exchanged messages in the last 30 days. Agents and pairs are read
 * concurrently, one page of each for users with at most a few hundred.
 * @param now epoch milliseconds
 */
export async function fleetGraph(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  now = Date.now(),
): Promise<z.input<typeof graphAnswer>> {
  const [agents, pairs] = await Promise.all([
    listAgents({ table }, { userId: owner }),
    listPairs({ table }, { userId: owner }),
  ])
  const living = new Set(agents.map(({ id }) => id))
  return {
    nodes: agents.map(({ id, name, status, model, plan, createdAt }) => ({
      id,
      name,
      type: 'agent' as const,
      status,
      metadata: { model, plan, createdAt },
    })),
    edges: pairs
      .filter(({ from, to }) => living.has(from) && living.has(to))
      .map(({ from, to, action }) => ({
        id: [from, to].sort().join('-'),
        source: from,
        target: to,
        label: action,
      })),
    timestamp: isoOf(now),
  }
}
