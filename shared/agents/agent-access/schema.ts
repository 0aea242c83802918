import * as z from 'zod'

export const ticketAnswer = z
  .object({
    url: z.url().describe('Signs a browser in to the agent’s host; valid once, for one minute'),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Ticket' })
