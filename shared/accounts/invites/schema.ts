import * as z from 'zod'

/** contract.md 9, Invites: a value that is not a string gets the response for an invalid code. */
export const inviteUse = z
  .object({ code: z.string().catch('').describe('The invite code, in lower case') })
  .meta({ id: 'InviteUse' })

export const inviteMade = z
  .object({ code: z.string().describe('12 hex digits in lower case; valid once') })
  .meta({ id: 'Invite' })

export const inviteUsed = z.object({ valid: z.literal(true) })
