import * as z from 'zod'

/** Says that an agent's next step is due. One whose `dueAt` is no longer the row's is a repeat, or too late. */
export const Check = z.object({
  userId: z.string().nullable(),
  agentId: z.string(),
  dueAt: z.number().nullable(),
})

/** What the checks queue carries. */
export const CheckMessage = z.object({ agents: z.array(Check).min(1).max(100) })

export type Check = z.output<typeof Check>
