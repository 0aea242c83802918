import { randomUUID } from 'node:crypto'
import { linkIn, password, sessionOf } from '../accounts/accounts.ts'
import type { Billing } from './billing.ts'

/** Registers and verifies a user with a new user's referral code. */
export async function referredUser(billing: Billing) {
  const { id: by } = await billing.newUser()
  const email = `referred-${randomUUID()}@b.co`
  const { referralCode } = await billing.record(by)
  const body = { email, password, referralCode }
  const { id } = (await (await billing.account('POST', '/api/register', { body })).json()) as {
    id: string
  }
  const login = await billing.account('POST', '/api/auth/login', { body: { email, password } })
  const session = sessionOf(login)
  const link = linkIn(await billing.mailTo(email, /./))
  await billing.account('GET', link.pathname + link.search, { session })
  return { id, by, session }
}
