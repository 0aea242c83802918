import * as z from 'zod'

/** contract.md 9, Invites: what is no text is no code either, and answered as one that is not valid. */
export const inviteUse = z
  .object({ code: z.string().catch('').describe('The invite code, in lower case') })
  .meta({ id: 'InviteUse' })

export const inviteMade = z
  .object({ code: z.string().describe('12 hex digits in lower case; valid once') })
  .meta({ id: 'Invite' })

export const inviteUsed = z.object({ valid: z.literal(true) })
