import { negotiateAmplification } from '../../../shared/amplifications/amplify.ts'
import { negotiateBooking } from '../../../shared/bookings/negotiate.ts'
import type { Negotiations } from '../../../shared/bus/negotiation.ts'

/** Maps the prefix of an action to the verb that handles it. */
export const negotiations: Negotiations = {
  BOOKING_: negotiateBooking,
  AMPLIFY_: negotiateAmplification,
}
