import { findAgent } from '#shared/agents/record/find.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { idPattern } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { swarmRows } from './rows.ts'
import type { Swarm } from './schema.ts'

/** The form of a swarm's id. */
const swarmId = new RegExp(`^${idPattern(swarmRows.id)}$`)

/**
 * Returns a swarm of the user.
 * @throws PlatformError 404
 */
export async function requireSwarm({ table, owner }: UserContext, id: string): Promise<Swarm> {
  const item = swarmId.test(id)
    ? await userStore(table, owner).get(swarmRows.sk({ swarmId: id }))
    : undefined
  if (item === undefined) throw notFound('Swarm')
  return swarmRows.parse(item)
}

/**
 * Checks that every member is the user's own agent.
 * @throws PlatformError 404 with the unknown ids
 */
export async function requireMembers(
  { table, owner }: UserContext,
  agents: readonly string[],
): Promise<void> {
  const found = await Promise.all(agents.map((id) => findAgent({ table }, { agentId: id, owner })))
  const unknown = agents.filter((_, i) => found[i] === undefined)
  if (unknown.length > 0)
    throw new PlatformError('not-found', `Agent not found: ${unknown.join(', ')}`)
}
