import * as z from 'zod'
import { bcryptPasswords, type HasPasswords } from '#shared/accounts/users/password.ts'
import { deleteAccount } from '#shared/billing/account-deletion/delete.ts'
import { accountDeletion } from '#shared/billing/account-deletion/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'
import { clearSession } from './accounts/cookie.ts'
import { browserOf } from './accounts/known-browser.ts'

export type Services = Pick<Context, 'table'> &
  Sends<'entitlements'> &
  Can<'encryptionKey' | 'webUrl'> &
  HasPasswords & {
    /** False only for load tests on one machine. */
    lockouts: boolean
  }

const accepted = z.object({ success: z.literal(true) })

export const routes = [
  routesWith<Services>()({
    name: 'account.delete',
    method: 'POST',
    path: '/api/account/delete',
    summary: 'Delete the account',
    description: 'Deletes its agents, keys and sessions.',
    tag: 'accounts',
    guard: 'own-session',
    body: accountDeletion,
    status: 202,
    response: accepted,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'unavailable'],
    codes: ['SESSION_REQUIRED'],
    audits: ['sessions.ended'],
    handle: async (context, { body }) => {
      await deleteAccount({ ...context, browser: browserOf(context) }, body)
      const answer: z.input<typeof accepted> = { success: true }
      return Response.json(answer, {
        status: 202,
        headers: { 'set-cookie': clearSession(context.webUrl) },
      })
    },
  }),
]

export function wire(config: ConfigOf<'web-account'>) {
  const queuesFor = openQueues(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    passwords: bcryptPasswords(),
    queues: queuesFor(origin),
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    webUrl: config.WEB_URL,
    lockouts: config.deployed || config.RATE_LIMITS === 'on',
  }))
}
