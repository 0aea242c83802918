import * as z from 'zod'

export const splitStatuses = ['queued', 'processing', 'completed', 'failed'] as const
export const recipientStatuses = ['pending', 'submitted', 'confirmed', 'failed'] as const

const recipient = () =>
  z.object({
    /** With its checksum. */
    address: z.string(),
    share: z.number(),
    /** Micro-USDC, as a decimal integer. */
    amount: z.string(),
    status: z.enum(recipientStatuses),
    /** Of the wallet's transaction that pays it: signed bytes for it are stored. */
    nonce: z.number().optional(),
    /** The transaction that a block holds, else the one that was signed last. */
    txHash: z.string().optional(),
    /** Where that nonce was last seen used, by what, and since when (epoch milliseconds) there; `hash` absent: by none of ours. */
    seen: z.object({ hash: z.string().optional(), block: z.string(), at: z.number() }).optional(),
    /** What failed or is waited for, in words for people. */
    reason: z.string().optional(),
  })

export const splitRecord = () =>
  z.object({
    splitId: z.number(),
    userId: z.string(),
    agentId: z.string(),
    /** The chain that it was made for: it is never signed for another. */
    chainId: z.number(),
    /** The USDC contract that it was made for, with its checksum; likewise. */
    token: z.string(),
    /** With its checksum. */
    fromAddress: z.string(),
    name: z.string(),
    /** As it was given. */
    totalAmount: z.string(),
    status: z.enum(splitStatuses),
    /** What failed or is waited for, in words for people. */
    reason: z.string().optional(),
    createdAt: z.string(),
    completedAt: z.string().optional(),
    /** In the order that they were given in. */
    recipients: z.array(recipient()),
    /** Every write raises it. */
    revision: z.number(),
  })

export type Split = z.output<ReturnType<typeof splitRecord>>
export type Recipient = Split['recipients'][number]
