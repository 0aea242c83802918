import { markDue } from '#shared/accounts/entitlements/due.ts'
import { cancelUnwanted } from './cancel-unwanted.ts'
import { refundPayments } from './refund-payments.ts'

/**
 * Cancels at the provider the subscriptions that a user no longer has, and refunds their payments.
 * @throws the errors of both steps; the user stays due, even if the message is no longer retried
 */
export async function settleAtProvider(
  ctx: Parameters<typeof refundPayments>[0],
  user: { userId: string },
): Promise<void> {
  try {
    await cancelUnwanted(ctx, user)
    await refundPayments(ctx, user)
  } catch (error) {
    await markDue(ctx.table, user.userId)
    throw error
  }
}
