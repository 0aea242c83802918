import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { signInMethodLinkedMail } from '../users/mails/sign-in-method.ts'
import { notify } from '../users/notify.ts'
import { type Device, startSession } from '../users/session.ts'
import { findUser } from '../users/user.ts'
import { canSignIn } from './linking/access.ts'
import type { LinkContext } from './linking/arrival.ts'
import { userOf } from './linking/user-of.ts'
import { isAnswerTo } from './pending.ts'
import { type PendingSignIn, type SignInProvider, SignInFailed } from './provider.ts'

/** A browser's return from a provider. */
export interface Callback {
  provider: SignInProvider
  /** The callback's query. */
  answer: URLSearchParams
  /** The state in the browser's cookie; undefined without a valid cookie. */
  pending: PendingSignIn | undefined
}

/**
 * Signs in the person who returns from a provider.
 * @returns the value of the session cookie, and the user
 * @throws SignInFailed
 */
export async function finishSignIn(
  ctx: Pick<Context, 'log'> & LinkContext & Can<'mailer' | 'webUrl'> & { device?: Device },
  { provider, answer, pending }: Callback,
): Promise<{ userId: string; session: string }> {
  const { table, webUrl, device } = ctx
  if (pending === undefined || !(await isAnswerTo(answer, pending)))
    throw new SignInFailed('AuthFailed')
  const profile = await provider.finish(answer, pending)
  const found = await userOf(ctx, { provider: provider.name, profile })
  const user = await findUser(table, found.userId)
  if (user === undefined) throw new Error('a provider is linked to a user that does not exist')
  if (found.outcome === 'linked')
    await notify(
      ctx,
      user.id,
      signInMethodLinkedMail(user.email, user.name, provider.label, webUrl),
    )
  // Checked after the user was read: an event that disables sign-in later also ends the access epoch of this session.
  if (!(await canSignIn({ table }, { userId: user.id, provider: provider.name })))
    throw new SignInFailed('Disabled')
  const { id: userId, accessEpoch } = user
  const newSession = { userId, accessEpoch, ...(device && { device }) }
  return { userId, session: await startSession({ table }, newSession) }
}
