import * as z from 'zod'

/** An email channel has no fields: the platform makes its address. */
export const newEmailChannel = z
  .object({ kind: z.literal('email') })
  .meta({ id: 'NewEmailChannel' })

export const emailChange = z.object({}).meta({ id: 'EmailChannelChange' })
