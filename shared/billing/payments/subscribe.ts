import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { entitlementsDue } from '#shared/accounts/entitlements/due.ts'
import { entitlements } from '#shared/accounts/entitlements/topic.ts'
import { emailRows, subscriptionOwnerRows, userRows } from '#shared/accounts/users/rows.ts'
import { knownEmail, userIdText } from '#shared/accounts/users/schema.ts'
import { emailKey, profileKey, type User } from '#shared/accounts/users/user.ts'
import { type Plan, planNames, plans } from '#shared/money/plans/plans.ts'
import { type SubscriptionStatus, subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'
import { findPlanByTier } from '#shared/money/plans/tiers.ts'
import { notFound } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Item, Table, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type WebhookEventContext, webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { statusNow } from './events/disputes.ts'
import { findSubscription } from './events/find-subscription.ts'
import { providerSubscriptionRows } from './rows.ts'
import { scheduleCancellation } from './schedule-cancellation.ts'
import { subscriptionEvents } from './subscription-events.ts'

const billingId = (field: string) =>
  z
    .string({ error: `${field} required` })
    .min(1, `${field} required`)
    .max(255)

/** The user is named by id or email, the plan by its name or by a tier: contract.md 4. */
export const subscription = z
  .object({
    userId: userIdText.optional(),
    email: knownEmail.optional(),
    plan: z.enum(planNames, { error: `plan must be one of ${planNames.join(', ')}` }).optional(),
    tier: z
      .string()
      .refine((tier) => findPlanByTier(tier) !== undefined, 'tier is not known')
      .optional(),
    subscriptionId: billingId('subscriptionId'),
    customerId: billingId('customerId').optional(),
    status: z.enum(subscriptionStatuses).default('active'),
  })
  .refine(({ userId, email }) => userId !== undefined || email !== undefined, {
    error: 'userId or email required',
  })
  .refine(({ plan, tier }) => plan !== undefined || tier !== undefined, {
    error: 'plan or tier required',
  })

export type Subscription = z.output<typeof subscription>

/**
 * Gives a user a plan. A retry changes nothing. The previous subscription is cancelled if the provider bills it. A
 * subscription that the provider has cancelled grants nothing.
 * @returns the current `status`: canceled after the provider has reported it, past due while a payment is disputed
 * @throws PlatformError 404 for an unknown user
 */
export async function subscribe(
  ctx: AuditContext &
    WebhookEventContext & { queues: Queues<'entitlements' | 'webhook-deliveries'> },
  { userId, email, plan, tier, subscriptionId, customerId, status: requested }: Subscription,
): Promise<{ userId: string; plan: Plan; subscriptionId: string; status: SubscriptionStatus }> {
  const { table } = ctx
  const chosen = plan === undefined ? findPlanByTier(tier ?? '') : plans[plan]
  const id = userId ?? (await ownerOf(table, email ?? ''))
  if (id === undefined || chosen === undefined) throw notFound('User')
  let status = requested
  const decide = async (row: Item | undefined) => {
    if (row === undefined) throw notFound('User')
    const before = holdingOf(userRows.parse(row))
    const { subscription: current } = before
    const state = await findSubscription(table, subscriptionId)
    status = state?.seen?.status === 'canceled' ? 'canceled' : statusNow(requested, state?.disputes)
    const next = { id: subscriptionId, status, customerId: customerId ?? current.customerId }
    const { id: currentId, status: currentStatus, customerId: currentCustomer, orderId } = current
    const same = { id: currentId, status: currentStatus, customerId: currentCustomer }
    if (before.plan === chosen.name && isDeepStrictEqual(same, next)) return undefined
    const after = {
      plan: chosen.name,
      subscription: {
        ...next,
        since: epochSeconds(),
        ...(currentId === subscriptionId && orderId !== undefined && { orderId }),
      },
    }
    const owner = subscriptionOwnerRows.key({ id: subscriptionId, userId: id })
    return {
      update: {
        set: after,
        if: '#plan = :plan AND #subscription = :subscription',
        values: before,
      },
      also: {
        due: entitlementsDue(id),
        owner: { update: owner, set: { userId: id } },
        // Makes a concurrent event of the subscription retry, so that it finds the owner.
        subscription: {
          update: providerSubscriptionRows.key({ id: subscriptionId }),
          set: { id: subscriptionId },
          add: { named: 1 },
          ...ifUnchanged({ seen: state?.seen, disputes: state?.disputes }),
        },
        unwanted: currentId === subscriptionId ? undefined : await unwantedOf(table, id, current),
        audit: await audit(ctx, 'subscription.changed', {
          userId: id,
          target: subscriptionId,
          before,
          after,
        }),
        ...(await webhookParts(ctx, id, subscriptionEvents(after))),
      },
    }
  }
  const profile = { ...userStore(table, id).row(profileKey), table }
  await changeItem(profile, decide, { again: ['subscription'] })
  // Sent even if nothing changed, because the message of the first attempt may be lost.
  await ctx.queues.send(entitlements, { userId: id })
  return { userId: id, plan: chosen, subscriptionId, status }
}

/**
 * Schedules the cancellation of the user's current subscription if the provider bills it. A granted subscription may
 * belong to another billing system.
 */
async function unwantedOf(
  table: Table,
  userId: string,
  { id, status, orderId }: User['subscription'],
): Promise<Write | undefined> {
  if (id === null) return undefined
  const isProviders = orderId !== undefined || (await findSubscription(table, id))?.seen
  return isProviders ? scheduleCancellation(userId, id, status) : undefined
}

function holdingOf({ plan, subscription }: User): Pick<User, 'plan' | 'subscription'> {
  return { plan, subscription }
}

async function ownerOf(table: Table, email: string): Promise<string | undefined> {
  const row = await table.get(emailKey(email))
  return row && emailRows.parse(row).userId
}
