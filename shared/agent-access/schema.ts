import * as z from 'zod'

export const ticketAnswer = z
  .object({
    url: z.url().describe('Lets a browser in to the agent, once and within a minute'),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Ticket' })
