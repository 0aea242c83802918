import * as z from 'zod'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Plan, planNames, plans } from '../plans/plans.ts'
import { type SubscriptionStatus, subscriptionStatuses } from '../plans/subscriptions.ts'
import { findPlanByTier } from '../plans/tiers.ts'
import { notFound } from '../platform/errors.ts'
import { ConditionFailed, type Table, type Update } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { knownEmail, userIdText } from './schema.ts'
import { emailKey, profileKey } from './user.ts'

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
  table: Table,
  { userId, email, plan, tier, subscriptionId, customerId, status }: Subscription,
): Promise<{ userId: string; plan: Plan; subscriptionId: string; status: SubscriptionStatus }> {
  const chosen = plan === undefined ? findPlanByTier(tier ?? '') : plans[plan]
  const id = userId ?? (await ownerOf(table, email ?? ''))
  if (id === undefined || chosen === undefined) throw notFound('User')
  const update: Update = {
    set: { plan: chosen.name },
    expression: [
      '#subscription.#id = :id, #subscription.#status = :status',
      ...(customerId === undefined ? [] : ['#subscription.#customerId = :customerId']),
    ].join(', '),
    if: 'attribute_exists(pk)',
    values: { id: subscriptionId, status, ...(customerId !== undefined && { customerId }) },
  }
  try {
    await withoutConflicts(() => userStore(table, id).update(profileKey, update))
    return { userId: id, plan: chosen, subscriptionId, status }
  } catch (error) {
    if (error instanceof ConditionFailed) throw notFound('User')
    throw error
  }
}

async function ownerOf(table: Table, email: string): Promise<string | undefined> {
  const row = await table.get(emailKey(email))
  return row && String(row.userId)
}
