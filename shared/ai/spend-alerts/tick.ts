import { alertPartitions, spendAlertRows, userRows } from '#shared/accounts/users/rows.ts'
import { isWalletAddress } from '#shared/accounts/users/schema.ts'
import { toUser, type User } from '#shared/accounts/users/user.ts'
import type { PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { dayOf } from '#shared/platform/days.ts'
import type { Can, Optional, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { monthOf } from '../usage/month.ts'
import { quotaKey, toQuota } from '../usage/quota/row.ts'
import { dailyLimit } from '../usage/quota/spend-limit.ts'
import { spendingOf } from '../usage/quota/spending.ts'
import { type Alert, alertsFor, isCurrent } from './alerts.ts'
import { alertMail } from './mail.ts'

type AlertContext = Pick<Context, 'table' | 'log'> &
  Can<'mailer' | 'adminEmails' | 'webUrl'> &
  Optional<Sends<'webhook-deliveries'>> & { planCaps: PlanCaps }

/**
 * Notifies users of reached thresholds of their caps and quota, once per threshold, kind and period. One transaction
 * stores the notification and its events. The threshold is not checked by the call that reaches it.
 * @param now epoch milliseconds
 * @returns the number of users
 */
export async function tickSpendAlerts(
  ctx: AlertContext,
  now = Date.now(),
): Promise<{ users: number }> {
  const counts = await Promise.all(
    alertPartitions.map(async (pk) => {
      const rows = everyItem((from) => ctx.table.query({ index: 'gsi1', pk, ...from }))
      let count = 0
      for await (const row of rows) {
        await check(ctx, row, now)
        count++
      }
      return count
    }),
  )
  return { users: counts.reduce((sum, count) => sum + count, 0) }
}

/** Notifies one user. A faulty row does not prevent notifications of other users. */
async function check(ctx: AlertContext, item: Item, now: number): Promise<void> {
  try {
    await tell(ctx, spendAlertRows.parse(item).userId, now)
  } catch (error) {
    ctx.log.error('a user cannot be notified of their spending', { row: item.pk, error })
  }
}

async function tell(ctx: AlertContext, userId: string, now: number): Promise<void> {
  const { table, adminEmails, planCaps } = ctx
  const month = monthOf(now)
  const key = spendAlertRows.key({ userId })
  const [row, profile, quota] = await table.getMany([
    key,
    userRows.key({ userId }),
    quotaKey(userId, month),
  ])
  if (row === undefined) return
  if (profile === undefined) {
    // The account was deleted.
    await tryWrite(table.update(key, { remove: ['gsi1pk', 'gsi1sk'], if: 'attribute_exists(pk)' }))
    return
  }
  const { percents, told = [], unsent = [] } = spendAlertRows.parse(row)
  const user = toUser(profile)
  const day = dayOf(now)
  const today = { day, spending: await spentToday(table, user, now) }
  const spent = { user, percents, quota: toQuota(quota), month, today }
  const reached = alertsFor({ ...spent, adminEmails, planCaps })
  const news = reached.filter(({ id }) => !told.includes(id))
  const same = { if: asRead(row), values: { ...(row.told !== undefined && { told }) } }
  let waiting = unsent
  if (news.length > 0) {
    const ids = news.map(({ id }) => id)
    const current = told.filter((id) => isCurrent(id, { month, day }))
    waiting = [...unsent, ...news]
    const events = news.map(({ type, data }) => ({ type, data }))
    const refusals = await tryCommit(table, {
      row: { update: key, set: { told: [...current, ...ids], unsent: waiting }, ...same },
      ...(await webhookParts(ctx, userId, events, now)),
    })
    // Another tick has notified the user.
    if (refusals !== undefined) return
  }
  if (waiting.length === 0) return
  await send(ctx, { user, alerts: waiting })
  await tryWrite(
    table.update(key, { remove: ['unsent'], if: '#unsent = :sent', values: { sent: waiting } }),
  )
}

function spentToday(table: Table, { id, spendCapUsdPerDay }: User, now: number) {
  const spendLimits = dailyLimit('user', id, spendCapUsdPerDay)
  const request = { userId: id, agentId: null, cap: null, agentCap: null, spendLimits }
  return spendLimits.length === 0 ? [] : spendingOf(table, request, now)
}

function asRead({ told }: Item): string {
  return told === undefined ? 'attribute_not_exists(#told)' : '#told = :told'
}

/** Sends the mails. Repeated mails are dropped, because the mail's id depends on the alert. */
async function send(
  { mailer, webUrl }: AlertContext,
  { user, alerts }: { user: User; alerts: readonly Alert[] },
): Promise<void> {
  if (isWalletAddress(user.email)) return
  for (const alert of alerts) await mailer.send(alertMail(user, alert, webUrl))
}
