import {
  findEntitlement,
  storeAccess,
  recordProcessed,
} from '#shared/accounts/entitlements/record.ts'
import { accessRows, userLinkRows } from '#shared/accounts/providers/linking/rows.ts'
import { grantRows } from '#shared/accounts/users/grants/rows.ts'
import { settleReferral } from '#shared/accounts/users/referral.ts'
import { keyRows, sessionRows } from '#shared/accounts/users/rows.ts'
import { findUser, isDeleted, profileKey } from '#shared/accounts/users/user.ts'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { settleAtProvider } from '../payments/settle-at-provider.ts'
import { cancelBilling, isBilled } from './cancel-billing.ts'
import { personsOf } from './persons.ts'

/** Half of the job's time limit. */
const removalMs = 30_000

type Settling = Parameters<typeof settleAtProvider>[0]

type Departures = Omit<AgentContext, 'log'> &
  Omit<Settling, 'table' | 'queues'> & {
    /** The sort key prefixes of additional rows that are deleted with an account. */
    belongings: readonly string[]
    /** Remove what is stored outside of rows. Repeatable. */
    removals: readonly ((
      ctx: Pick<AgentContext, 'table'>,
      account: { userId: string },
    ) => Promise<void>)[]
  }

/**
 * Carries out an account's deletion: deletes its agents, cancels its subscriptions, and deletes its rows except for
 * bookkeeping. The work is derived from the rows, so a message may be repeated, and the next one continues after a
 * crash.
 * @returns false for an account that was not deleted; nothing is done
 * @throws as settleAtProvider; the account then stays due
 */
export async function executeDeletion(
  ctx: Departures,
  { userId }: { userId: string },
  now = Date.now(),
): Promise<boolean> {
  const user = await findUser(ctx.table, userId)
  if (user === undefined || !isDeleted(user)) return false
  const before = await findEntitlement(ctx.table, userId)
  // A checkout that was open during the deletion may have been paid in the meantime.
  if (isBilled(user) && !(await endPayments(ctx, user))) return executeDeletion(ctx, { userId })
  for (const agent of await listAgents(ctx, { userId, consistent: true }))
    await deleteAgent(ctx, { agentId: agent.id, owner: userId })
  for (const remove of ctx.removals) await remove(ctx, { userId })
  await forget(ctx, userId)
  // A payment can be refunded after the deletion: the owner of the code then loses the credits for it.
  await settleReferral(ctx, { userId }, now)
  await settleAtProvider(ctx, { userId })
  const noted = await storeAccess(ctx.table, { userId, access: 'none' }, now)
  const seen = { ...noted, asked: before?.asked ?? 0 }
  await recordProcessed(ctx.table, { seen, told: {}, at: null }, now)
  return true
}

/** @returns false if the user has changed in the meantime */
async function endPayments(
  { table }: Departures,
  user: NonNullable<Awaited<ReturnType<typeof findUser>>>,
): Promise<boolean> {
  const { set, also } = cancelBilling(user)
  const { write } = userStore(table, user.id)
  const refusals = await tryCommit(table, {
    user: write.update(profileKey, {
      set,
      if: '#subscription = :subscription',
      values: { subscription: user.subscription },
    }),
    ...also,
  })
  return refusals === undefined
}

/**
 * Deletes the account's remaining rows. The link of a sign-in provider's person is deleted before the row that names
 * it.
 */
async function forget({ table, belongings }: Departures, userId: string): Promise<void> {
  for (const person of await personsOf(table, userId))
    await table
      .delete(person, { if: '#userId = :userId', values: { userId } })
      .catch((error: unknown) => {
        // The person is already linked to another user, or the link was deleted before.
        if (!(error instanceof ConditionFailed)) throw error
      })
  const own = [grantRows, keyRows, sessionRows, userLinkRows, accessRows].map((rows) =>
    rows.prefix(),
  )
  const deadline = Date.now() + removalMs
  for (const prefix of [...own, ...belongings])
    await removeRows(userStore(table, userId), prefix, deadline)
}
