import type { Entitlement, SentNotifications } from '#shared/accounts/entitlements/rows.ts'
import { isWalletAddress } from '#shared/accounts/users/schema.ts'
import type { User } from '#shared/accounts/users/user.ts'
import { lapsedRetentionMs } from '#shared/agents/fleet/lifecycle/lapse.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { DowngradeContext } from './context.ts'
import { isLapsed } from './delete.ts'
import { deletionMail, paymentFailedMail, planEndedMail, startedAgainMail } from './mails.ts'

/**
 * Notifies a user of changes of their paid access and agents since the last mails. A mail that was sent but not
 * recorded is not sent again, because its id depends on the change.
 * @returns the notifications that the user has received
 */
export async function notifyUser(
  ctx: DowngradeContext,
  { user, entitlement, agents }: { user: User; entitlement: Entitlement; agents: readonly Agent[] },
): Promise<SentNotifications> {
  const { seen, told: before = {} } = entitlement
  const notifications: SentNotifications = {
    ...before,
    ...(seen !== undefined && { access: seen.since }),
  }
  const mailer = isWalletAddress(user.email) ? undefined : ctx.mailer
  const isNews = seen !== undefined && before.access !== seen.since
  if (isNews && seen.access === 'late')
    await mailer?.send(paymentFailedMail(user, seen.since, ctx.webUrl))

  const isOver = seen?.access === 'over'
  const lapsed = agents.filter(isLapsed).filter(({ lapsedAt }) => isAfter(lapsedAt, before.lapsed))
  const [first = seen?.since, last = first] = ends(lapsed.map(({ lapsedAt }) => lapsedAt))
  if (first !== undefined && last !== undefined && (lapsed.length > 0 || (isNews && isOver))) {
    const keptUntil = isoOf(Date.parse(first) + lapsedRetentionMs)
    const ended = { at: last, isOver, agents: lapsed, keptUntil }
    await mailer?.send(planEndedMail(user, ended, ctx.webUrl))
    if (lapsed.length > 0) notifications.lapsed = last
  }

  const resumed = agents.filter(({ resumedAt }) => isAfter(resumedAt, before.resumed))
  const [, resumedAt] = ends(resumed.map((agent) => agent.resumedAt ?? ''))
  if (resumedAt !== undefined) {
    await mailer?.send(startedAgainMail(user, { at: resumedAt, agents: resumed }, ctx.webUrl))
    notifications.resumed = resumedAt
  }

  const ending = agents.filter(({ deletionAt }) => isAfter(deletionAt, before.deletion))
  for (const at of new Set(ending.map(({ deletionAt }) => deletionAt ?? '').toSorted())) {
    const those = ending.filter(({ deletionAt }) => deletionAt === at)
    await mailer?.send(deletionMail(user, { at, agents: those }, ctx.webUrl))
    notifications.deletion = at
  }
  return notifications
}

function isAfter(at: string | undefined, told: string | undefined): boolean {
  return at !== undefined && at > (told ?? '')
}

/** Returns the first and the last time. */
function ends(times: readonly string[]): [first?: string, last?: string] {
  const [first, ...more] = times.toSorted()
  return first === undefined ? [] : [first, more.at(-1) ?? first]
}
