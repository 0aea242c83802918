import { accountDeletionHooks, removals } from '#functions/jobs/entitlements.ts'
import * as group from '#functions/web/account.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { startSession } from '#shared/accounts/users/session.ts'
import { executeDeletion } from '#shared/billing/account-deletion/execute.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { callerOf } from '../http/caller.ts'
import { eventContext, lostQueues } from '../platform/context.ts'
import { startDowngrades } from './downgrades.ts'
import { clientOfProvider, startPaymentProvider } from './payment-provider.ts'

/** Deletes accounts over a fleet and a payment provider of their own. */
export async function startDepartures() {
  const on = await startDowngrades()
  const payments = await startPaymentProvider()
  const passwords = bcryptPasswords(4)
  const { table } = on.fleet
  const profile = (id: string) => ({ pk: `user#${id}`, sk: 'profile' })

  return {
    ...on,
    payments,
    table,

    /** Creates a user with a password, a plan and a session. */
    async member(password: string | undefined = 'correct horse') {
      const id = await on.person('collective')
      await table.put({ pk: `email#${id}@b.co`, sk: 'email', userId: id })
      if (password !== undefined)
        await table.update(profile(id), {
          set: { passwordHash: await passwords.hash(password) },
        })
      await on.plan(id, 'collective')
      const session = await startSession({ table }, { userId: id })
      return { id, email: `${id}@b.co`, session }
    },

    /** Returns the route over another view of the table. Its messages are lost. */
    routeOver: (over: Table = table) =>
      callerOf(group, {
        table: over,
        passwords,
        queues: lostQueues,
        encryptionKey: undefined,
        webUrl: 'http://localhost:3000',
        lockouts: true,
      }),

    /** Handles a message as the job does. */
    carryOut: (userId: string, over: Table = table) =>
      executeDeletion(
        {
          ...eventContext(over),
          queues: on.fleet.services.queues,
          log: createLog({ function: 'test' }),
          provider: clientOfProvider(payments.origin),
          belongings: accountDeletionHooks,
          removals,
        },
        { userId },
      ),

    /** Returns whether the schedule finds the user. */
    async isDue(userId: string): Promise<boolean> {
      const row = await table.get({ pk: `user#${userId}`, sk: 'entitlement' })
      return row?.gsi1pk !== undefined
    },

    async close() {
      await Promise.all([on.fleet.close(), payments.close()])
    },
  }
}

export type Departures = Awaited<ReturnType<typeof startDepartures>>
