import { profileKey } from '../accounts/user.ts'
import { newId } from '../platform/ids.ts'
import { PlatformError } from '../platform/errors.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { NewSwarm, Swarm } from './schema.ts'
import { requireMembers, requireSwarm, swarmPrefix } from './swarm.ts'

/** More than a person keeps an eye on. */
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
  const swarm = { id: newId('swarm', seed), ...input, createdAt: new Date().toISOString() }
  const { write, transact } = userStore(table, userId)
  const writes = [
    write.put(swarmPrefix + swarm.id, swarm, { if: 'attribute_not_exists(pk)' }),
    write.update(profileKey, {
      add: { swarmCount: 1 },
      if: 'attribute_exists(pk) AND (attribute_not_exists(#swarmCount) OR #swarmCount < :limit)',
      values: { limit: swarmLimit },
    }),
  ]
  try {
    await withoutConflicts(() => transact(writes))
    return swarm
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    // A retry of the request that made it.
    if (error.refused(0)) return requireSwarm(table, userId, swarm.id)
    if (error.refused(1)) throw limitReached()
    throw error
  }
}

function limitReached(): PlatformError {
  return new PlatformError('conflict', `You have ${swarmLimit} swarms already`, {
    code: 'SWARM_LIMIT_REACHED',
    details: { current: swarmLimit, limit: swarmLimit },
  })
}
