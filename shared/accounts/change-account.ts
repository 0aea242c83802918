import type { UserIdentity } from '../http/actor.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { addressChangeAskedMail } from './mails/address.ts'
import { newAddressMail } from './mails/verification.ts'
import { withinMailQuota } from './mail-quota.ts'
import { notify, type NotifyContext } from './notify.ts'
import { toProfile } from './profile.ts'
import type { AccountChange, Profile } from './settings-schema.ts'
import { emailKey, findUser, type User } from './user.ts'
import { updateUser } from './update-user.ts'
import { newAddressChange, verificationLink } from './verification.ts'

export interface ChangeAccountContext extends NotifyContext {
  table: Table
  webUrl: string
  caller: UserIdentity
}

/**
 * Changes a user's name at once, and their address as soon as a link that is mailed to the new one is opened. Only the
 * address asked for last can be confirmed; asking for the present one takes the others back.
 * @throws PlatformError 409 for an address that has a user, 429 after too many such mails, and as updateUser does
 */
export async function changeAccount(
  context: ChangeAccountContext,
  { name, email }: AccountChange,
): Promise<Profile> {
  const { table, caller } = context
  const user = await findUser(table, caller.id)
  if (user === undefined) throw notFound('User')
  const moving = email !== undefined && email !== user.email
  if (moving) await mayMoveTo(table, user, email)
  const changed = await updateUser(table, caller, {
    set: { ...(name !== undefined && { name }), ...(moving && { pendingEmail: email }) },
    remove: email === user.email ? ['pendingEmail'] : [],
  })
  if (moving) await askForProof(context, changed, email)
  return toProfile(changed)
}

async function mayMoveTo(table: Table, user: User, email: string): Promise<void> {
  if ((await table.get(emailKey(email))) !== undefined)
    throw new PlatformError('conflict', 'A user with this email already exists')
  if (!(await withinMailQuota(table, user.id, 'address')))
    throw new PlatformError('too-many-requests', 'Too many changes of the email; try again later', {
      headers: { 'Retry-After': '3600' },
    })
}

async function askForProof(
  context: ChangeAccountContext,
  user: User,
  email: string,
): Promise<void> {
  const { table, mailer, webUrl } = context
  const { token, item } = await newAddressChange(user, email)
  await table.put(item)
  // Without this mail nothing can come of the change, so whoever asked must know that it was not sent.
  await mailer.send(newAddressMail(email, user.name, verificationLink(webUrl, token)))
  const notice = addressChangeAskedMail(user.email, user.name, email, webUrl)
  await notify(context, user.id, notice)
}
