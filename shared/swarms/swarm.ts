import { notFound, PlatformError } from '../platform/errors.ts'
import { findAgent } from '../agents/find.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Swarm, swarmView } from './schema.ts'

export const swarmPrefix = 'swarm#'

/** Whatever else is asked for is nobody's swarm. */
const swarmId = /^swm_[0-9a-z]{26}$/

/** @throws PlatformError 404 */
export async function requireSwarm(table: Table, userId: string, id: string): Promise<Swarm> {
  const item = swarmId.test(id) ? await userStore(table, userId).get(swarmPrefix + id) : undefined
  if (item === undefined) throw notFound('Swarm')
  return swarmView.parse(item)
}

/** Every member must be the user's own. @throws PlatformError 404 that names those that are not */
export async function requireMembers(
  table: Table,
  userId: string,
  agents: readonly string[],
): Promise<void> {
  const found = await Promise.all(agents.map((id) => findAgent(table, id, userId)))
  const unknown = agents.filter((_, i) => found[i] === undefined)
  if (unknown.length > 0)
    throw new PlatformError('not-found', `Agent not found: ${unknown.join(', ')}`)
}
