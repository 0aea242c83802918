import { notConfigured } from '../platform/errors.ts'
import type { BillingContext } from './context.ts'
import { addOwnKey, removeOwnKeys } from './own-keys.ts'
import type { ActionAnswer, BillingAction } from './schema.ts'
import { monthlyUsage } from './usage.ts'

/**
 * Does what a user asks of billing.
 * @throws PlatformError 503 for what has to be paid, since no payment provider is connected; and as the keys' verbs do
 */
export async function actOnBilling(
  ctx: BillingContext,
  request: BillingAction,
): Promise<ActionAnswer> {
  switch (request.action) {
    case 'create-checkout':
    case 'buy-credits':
      throw notConfigured('Payments', ['PAYMENTS_API_URL', 'PAYMENTS_SECRET_KEY'])
    case 'enable-byok':
      return { success: true, byokEnabled: await addOwnKey(ctx, request) }
    case 'disable-byok': {
      const byokEnabled = await removeOwnKeys(ctx, request)
      return { success: true, byokEnabled }
    }
    case 'get-usage':
      return { usage: await monthlyUsage(ctx) }
  }
}
