import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { withinMailQuota } from './mail-quota.ts'
import { addressChangeAskedMail } from './mails/address.ts'
import { newAddressMail } from './mails/verification.ts'
import { notify } from './notify.ts'
import { toProfile } from './profile.ts'
import { type ProvesPassword, proveUser } from './prove-user.ts'
import type { AccountChange, Profile } from './settings-schema.ts'
import { updateUser } from './update-user.ts'
import { emailKey, findUser, type User } from './user.ts'
import { newAddressChange, verificationLink } from './verification.ts'

/**
 * Changes a user's name immediately, and their address once a link that is mailed to the new address is opened. Only
 * the latest requested address can be confirmed; requesting the current address withdraws the others. A reader of
 * the address's mail can reset the password, so a change of it requires a session and the password.
 * @throws PlatformError 409 for an address that has a user, 429 after too many such mails, and the errors of
 * proveUser and updateUser
 */
export async function changeAccount(
  context: Pick<UserContext, 'actor' | 'table' | 'log'> & Can<'mailer' | 'webUrl'> & ProvesPassword,
  { name, email, currentPassword }: AccountChange,
): Promise<Profile> {
  const user = await findUser(context.table, context.actor.user.id)
  if (user === undefined) throw notFound('User')
  const moving = email !== undefined && email !== user.email
  if (moving) await requireMovable(context, user, email, currentPassword)
  const changed = await updateUser(context, {
    set: { ...(name !== undefined && { name }), ...(moving && { pendingEmail: email }) },
    remove: email === user.email ? ['pendingEmail'] : [],
  })
  if (moving) await askForProof(context, changed, email)
  return toProfile(changed)
}

async function requireMovable(
  context: Pick<UserContext, 'actor' | 'table'> & ProvesPassword,
  user: User,
  email: string,
  currentPassword: string | undefined,
): Promise<void> {
  const { table } = context
  await proveUser(context, user, currentPassword)
  if (!(await withinMailQuota(table, user.id, 'address')))
    throw new PlatformError('too-many-requests', 'Too many changes of the email; try again later', {
      headers: { 'Retry-After': '3600' },
    })
  // Checked after the password, so that strangers cannot find out which addresses have an account. Each attempt counts.
  if ((await table.get(emailKey(email))) !== undefined)
    throw new PlatformError('conflict', 'A user with this email already exists')
}

async function askForProof(
  context: Pick<UserContext, 'table' | 'log'> & Can<'mailer' | 'webUrl'>,
  user: User,
  email: string,
): Promise<void> {
  const { table, mailer, webUrl } = context
  const { token, item } = await newAddressChange(user, email)
  await table.put(item)
  // Without this mail the change cannot complete, so the caller must know if it was not sent.
  await mailer.send(newAddressMail(email, user.name, verificationLink(webUrl, token)))
  const notice = addressChangeAskedMail(user.email, user.name, email, webUrl)
  await notify(context, user.id, notice)
}
