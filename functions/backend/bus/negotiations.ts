import { negotiateAmplification } from '../../../shared/amplifications/amplify.ts'
import { negotiateBooking } from '../../../shared/bookings/negotiate.ts'
import type { Negotiations } from '../../../shared/bus/negotiation.ts'

/** Which verb of which noun an action's beginning belongs to. */
export const negotiations: Negotiations = {
  BOOKING_: negotiateBooking,
  AMPLIFY_: negotiateAmplification,
}
