import { findUser, isAdmin, profileKey } from '../accounts/user.ts'
import type { InternalActor, UserActor } from '../identity/actor.ts'
import { isPaying, paying, subscriptionRequired } from '../plans/subscriptions.ts'
import type { Settings } from '../platform/config/settings.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { Agent } from './agent.ts'
import type { Alongside } from './change.ts'

/** Who wants an agent to run: contract.md 4. An operator needs no plan, and starts what an operator has stopped. */
export type Starter = 'owner' | 'operator'

/** A trusted caller that acts for no user operates the platform, and so does an admin. */
export function starterOf(actor: UserActor | InternalActor): Starter {
  const operates = actor.type === 'user' ? actor.user.isAdmin : actor.userId === undefined
  return operates ? 'operator' : 'owner'
}

/** Leave to start an agent. Both of its parts hold in the write that starts the agent, so nothing that happens until then gets past them. */
export interface StartPermit {
  /** @throws PlatformError 409 STOPPED_BY_OPERATOR, for the agent as it is then */
  check(current: Agent): void
  /** That the owner's plan is paid for; absent where that is not asked. */
  paid?: Alongside | undefined
}

/**
 * Asks whether an agent may start.
 * @throws PlatformError 409 STOPPED_BY_OPERATOR, 402 SUBSCRIPTION_REQUIRED
 */
export async function permitStart(
  { table, config }: { table: Table; config: Pick<Settings, 'ADMIN_EMAILS'> },
  agent: Agent,
  by: Starter,
): Promise<StartPermit> {
  if (by === 'operator') return { check: () => {} }
  checkStop(agent)
  const { userId } = agent
  if (userId === null) return { check: checkStop }
  const user = await findUser(table, userId)
  if (user !== undefined && isAdmin(user, config.ADMIN_EMAILS)) return { check: checkStop }
  if (user === undefined || !isPaying(user.subscription.status)) throw subscriptionRequired()
  const write = userStore(table, userId).write.check(profileKey, paying)
  return { check: checkStop, paid: { write, refused: subscriptionRequired } }
}

function checkStop(agent: Agent): void {
  if (agent.stoppedByOperator) throw stoppedByOperator(agent)
}

/** 409 STOPPED_BY_OPERATOR: contract.md 4. */
export function stoppedByOperator({ status }: Pick<Agent, 'status'>): PlatformError {
  return new PlatformError('conflict', 'The agent was stopped by an operator', {
    code: 'STOPPED_BY_OPERATOR',
    details: { status },
  })
}
