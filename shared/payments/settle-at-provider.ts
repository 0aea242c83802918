import { askAgain } from '../entitlements/due.ts'
import { cancelUnwanted } from './cancel-unwanted.ts'
import { payBack } from './pay-back.ts'

/**
 * Ends at the provider what a user does not have, and pays back what was paid for it.
 * @throws as both do; the user is then due still, also where their message is given up
 */
export async function settleAtProvider(
  ctx: Parameters<typeof payBack>[0],
  user: { userId: string },
): Promise<void> {
  try {
    await cancelUnwanted(ctx, user)
    await payBack(ctx, user)
  } catch (error) {
    await askAgain(ctx.table, user.userId)
    throw error
  }
}
