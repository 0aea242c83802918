import { userCounter } from '#shared/accounts/users/counter.ts'
import { limitReached } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { swarmRows } from './rows.ts'
import type { NewSwarm, Swarm } from './schema.ts'
import { requireMembers } from './swarm.ts'

/** The maximum number of swarms of a user: more than a person can supervise. */
const swarmLimit = 100

/**
 * Creates a swarm of the user's agents. The same seed creates the same swarm.
 * @throws PlatformError 404 for another user's agent, 409 SWARM_LIMIT_REACHED
 */
export async function createSwarm(ctx: UserContext, input: NewSwarm): Promise<Swarm> {
  const { owner } = ctx
  await requireMembers(ctx, input.agents)
  const id = newId(swarmRows.id, ctx.seed)
  const swarm = { id, ...input, createdAt: new Date().toISOString() }
  const existing = await insertCounted(userStore(ctx.table, owner), {
    put: swarmRows.put({ userId: owner, swarmId: id }, swarm),
    count: userCounter(owner, swarmRows, swarmLimit),
    limitReached: swarmLimitReached,
  })
  return existing === undefined ? swarm : swarmRows.parse(existing)
}

const swarmLimitReached = () =>
  limitReached('SWARM_LIMIT_REACHED', `You have ${swarmLimit} swarms already`, {
    limit: swarmLimit,
  })
