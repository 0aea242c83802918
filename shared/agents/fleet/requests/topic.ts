import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

const ref = () => ({
  userId: z.string().nullable(),
  agentId: z.string(),
  /** The number of delays because of missing capacity. */
  attempts: z.number().int().optional(),
})

/**
 * The messages of the provisioning queue. A start reads its values from the agent's row. A stop contains its task,
 * because a task that is no longer needed is never needed again.
 */
export const provisioning = topic('provisioning', () =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('start'),
      ...ref(),
      generation: z.number().int(),
      /** The reason of the start, which becomes the stop reason of the replaced task. */
      reason: z.string().default('start'),
      /** The number of checks that found the previous task still running. */
      polls: z.number().int().optional(),
    }),
    z.object({
      kind: z.literal('stop'),
      ...ref(),
      generation: z.number().int(),
      taskArn: z.string(),
    }),
    // Only the last release sends these. This release sends them to the queue `task-states`.
    z.object({
      kind: z.literal('observe'),
      ...ref(),
      generation: z.number().int(),
      taskArn: z.string(),
      /** The time of the watchdog's request. */
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
