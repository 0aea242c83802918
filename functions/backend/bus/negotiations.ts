import { negotiateAmplification } from '#shared/network/amplifications/amplify.ts'
import { negotiateBooking } from '#shared/network/bookings/negotiate.ts'
import type { Negotiations } from '#shared/network/bus/negotiation.ts'

/** Maps the prefix of an action to the verb that handles it. */
export const negotiations: Negotiations = {
  BOOKING_: negotiateBooking,
  AMPLIFY_: negotiateAmplification,
}
