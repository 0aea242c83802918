import * as z from 'zod'

/** contract.md 6. */
export const creditsAnswer = z.object({
  credits: z.number(),
  referralCode: z.string(),
  referralCount: z.number(),
  plan: z.string(),
})
