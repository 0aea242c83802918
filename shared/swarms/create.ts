import { newId } from '../platform/ids.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { listSwarms } from './list.ts'
import type { NewSwarm, Swarm } from './schema.ts'
import { requireMembers, swarmPrefix } from './swarm.ts'

/** Looked at before the swarm is made, so that requests side by side may pass it by a few. */
const swarmLimit = 100

/**
 * Makes a swarm of the user's own agents. With the same seed it is the same swarm.
 * @throws PlatformError 404 for a member that is not theirs, 409 SWARM_LIMIT_REACHED
 */
export async function createSwarm(
  table: Table,
  userId: string,
  input: NewSwarm,
  seed: string,
): Promise<Swarm> {
  await requireMembers(table, userId, input.agents)
  const existing = await listSwarms(table, userId)
  if (existing.length >= swarmLimit)
    throw new PlatformError('conflict', `You have ${swarmLimit} swarms already`, {
      code: 'SWARM_LIMIT_REACHED',
      details: { current: existing.length, limit: swarmLimit },
    })
  const swarm = { id: newId('swarm', seed), ...input, createdAt: new Date().toISOString() }
  await userStore(table, userId).put(swarmPrefix + swarm.id, swarm)
  return swarm
}
