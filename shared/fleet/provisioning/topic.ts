import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

const ref = () => ({
  userId: z.string().nullable(),
  agentId: z.string(),
  /** How often it was put off because the cluster took no request. */
  attempts: z.number().int().optional(),
})

/**
 * What the provisioning queue carries. What to start is the row's to say when the message is read; a task to stop is
 * named, since one that is unwanted once stays so.
 */
export const provisioning = topic('provisioning', () =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('start'),
      ...ref(),
      generation: z.number().int(),
      /** Why it starts, shown as the stop reason of the task that this one replaces. */
      reason: z.string().default('start'),
      /** How often it has found the task before this one still ending. */
      polls: z.number().int().optional(),
    }),
    z.object({
      kind: z.literal('stop'),
      ...ref(),
      generation: z.number().int(),
      taskArn: z.string(),
    }),
    // The last release still sends these; this one sends them to the queue `task-states`.
    z.object({
      kind: z.literal('observe'),
      ...ref(),
      generation: z.number().int(),
      taskArn: z.string(),
      /** Which question of the watchdog's it is. */
      askedAt: z.number().optional(),
    }),
    z.object({ kind: z.literal('delete'), ...ref() }),
    z.object({ kind: z.literal('sweep'), ...ref() }),
  ]),
)

export type ProvisioningMessage = MessageOf<typeof provisioning>
export type StartMessage = Extract<ProvisioningMessage, { kind: 'start' }>
export type StopMessage = Extract<ProvisioningMessage, { kind: 'stop' }>
export type DeleteMessage = Extract<ProvisioningMessage, { kind: 'delete' }>
export type SweepMessage = Extract<ProvisioningMessage, { kind: 'sweep' }>
