import * as z from 'zod'

/** Says that an agent's next step is due. One whose `dueAt` is no longer the row's is a repeat, or too late. */
export const Wake = z.object({
  userId: z.string().nullable(),
  agentId: z.string(),
  dueAt: z.number().nullable(),
})

/** What the checks queue carries. */
export const WakeMessage = z.object({ agents: z.array(Wake).min(1).max(100) })

export type Wake = z.output<typeof Wake>
