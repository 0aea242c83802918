import * as z from 'zod'

const ref = { userId: z.string().nullable(), agentId: z.string() }

/**
 * What the provisioning queue carries. What to start is the row's to say when the message is read; a task to stop is
 * named, since one that is unwanted once stays so.
 */
export const provisioningMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    ...ref,
    generation: z.number().int(),
    /** For whoever looks at the task that this one replaces. */
    reason: z.string().default('start'),
  }),
  z.object({
    kind: z.literal('stop'),
    ...ref,
    generation: z.number().int(),
    taskArn: z.string(),
  }),
  z.object({
    kind: z.literal('observe'),
    ...ref,
    generation: z.number().int(),
    taskArn: z.string(),
  }),
  z.object({ kind: z.literal('delete'), ...ref }),
  z.object({ kind: z.literal('sweep'), ...ref }),
])

export type ProvisioningMessage = z.output<typeof provisioningMessage>
export type StartMessage = Extract<ProvisioningMessage, { kind: 'start' }>
export type StopMessage = Extract<ProvisioningMessage, { kind: 'stop' }>
export type ObserveMessage = Extract<ProvisioningMessage, { kind: 'observe' }>
export type DeleteMessage = Extract<ProvisioningMessage, { kind: 'delete' }>
export type SweepMessage = Extract<ProvisioningMessage, { kind: 'sweep' }>
