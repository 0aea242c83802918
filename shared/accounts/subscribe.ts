import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { type Plan, planNames, plans } from '../plans/plans.ts'
import { type SubscriptionStatus, subscriptionStatuses } from '../plans/subscriptions.ts'
import { findPlanByTier } from '../plans/tiers.ts'
import { audit, type AuditContext } from '../identity/audit.ts'
import { entitlementsDue } from '../entitlements/due.ts'
import { entitlements } from '../entitlements/topic.ts'
import { notFound } from '../platform/errors.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { emailRows, subscriptionOwnerRows, userRows } from './rows.ts'
import { knownEmail, userIdText } from './schema.ts'
import { emailKey, profileKey, type User } from './user.ts'

const billingId = (field: string) =>
  z
    .string({ error: `${field} required` })
    .min(1, `${field} required`)
    .max(255)

/** contract.md 4. A user is named by id or email, a plan by its name or by a tier's. */
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
 * Gives a user a plan. Repeating it changes nothing.
 * @throws PlatformError 404 for an unknown user
 */
export async function subscribe(
  ctx: AuditContext & { queues: Queues<'entitlements'> },
  { userId, email, plan, tier, subscriptionId, customerId, status }: Subscription,
): Promise<{ userId: string; plan: Plan; subscriptionId: string; status: SubscriptionStatus }> {
  const chosen = plan === undefined ? findPlanByTier(tier ?? '') : plans[plan]
  const id = userId ?? (await ownerOf(ctx.table, email ?? ''))
  if (id === undefined || chosen === undefined) throw notFound('User')
  const profile = { ...userStore(ctx.table, id).row(profileKey), table: ctx.table }
  await changeItem(profile, async (row) => {
    if (row === undefined) throw notFound('User')
    const before = holdingOf(userRows.parse(row))
    const { subscription: held } = before
    const given = { id: subscriptionId, status, customerId: customerId ?? held.customerId }
    const { id: heldId, status: heldStatus, customerId: heldCustomer } = held
    const same = { id: heldId, status: heldStatus, customerId: heldCustomer }
    if (before.plan === chosen.name && isDeepStrictEqual(same, given)) return undefined
    const after = {
      plan: chosen.name,
      subscription: { ...given, since: Math.floor(Date.now() / 1000) },
    }
    return {
      update: {
        set: after,
        if: '#plan = :plan AND #subscription = :subscription',
        values: before,
      },
      also: {
        due: entitlementsDue(id),
        owner: {
          put: subscriptionOwnerRows.put({ id: subscriptionId, userId: id }, { userId: id }),
        },
        audit: await audit(ctx, 'subscription.changed', {
          userId: id,
          target: subscriptionId,
          before,
          after,
        }),
      },
    }
  })
  // Also where it changed nothing: the message of the first try may be lost.
  await ctx.queues.send(entitlements, { userId: id })
  return { userId: id, plan: chosen, subscriptionId, status }
}

function holdingOf({ plan, subscription }: User): Pick<User, 'plan' | 'subscription'> {
  return { plan, subscription }
}

async function ownerOf(table: Table, email: string): Promise<string | undefined> {
  const row = await table.get(emailKey(email))
  return row && emailRows.parse(row).userId
}
