import { buy } from '../payments/buy.ts'
import type { BillingContext } from './context.ts'
import { addOwnKey, removeOwnKeys } from './own-keys.ts'
import type { ActionAnswer, BillingAction } from './schema.ts'
import { monthlyUsage } from './usage.ts'

/**
 * Carries out a billing action.
 * @throws PlatformError as `buy` and the functions for own keys
 */
export async function actOnBilling(
  ctx: BillingContext,
  request: BillingAction,
): Promise<ActionAnswer> {
  switch (request.action) {
    case 'create-checkout':
      return { url: await buy(ctx, { kind: 'plan', plan: request.plan }) }
    case 'buy-credits':
      return { url: await buy(ctx, { kind: 'credits', credits: request.pack }) }
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
