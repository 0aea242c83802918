import * as z from 'zod'

export const splitStatuses = ['queued', 'processing', 'completed', 'failed'] as const
export const recipientStatuses = ['pending', 'submitted', 'confirmed', 'failed'] as const

const recipient = () =>
  z.object({
    /** With EIP-55 checksum. */
    address: z.string(),
    share: z.number(),
    /** Micro-USDC, as a decimal integer. */
    amount: z.string(),
    status: z.enum(recipientStatuses),
    /** The nonce of the transaction that pays the recipient; its signed bytes are stored. */
    nonce: z.number().optional(),
    /** The transaction in a block, otherwise the last signed transaction. */
    txHash: z.string().optional(),
    /**
     * The block that contains the transaction with this nonce, and the time when it was first seen there (epoch
     * milliseconds). `hash` is absent if the transaction is not the platform's.
     */
    seen: z.object({ hash: z.string().optional(), block: z.string(), at: z.number() }).optional(),
    /** The reason of the failure or the wait, as text for people. */
    reason: z.string().optional(),
  })

export const splitRecord = () =>
  z.object({
    splitId: z.number(),
    userId: z.string(),
    agentId: z.string(),
    /** The split is never signed for another chain. */
    chainId: z.number(),
    /** The USDC contract with EIP-55 checksum. The split is never signed for another token. */
    token: z.string(),
    /** With EIP-55 checksum. */
    fromAddress: z.string(),
    name: z.string(),
    /** The text from the request. */
    totalAmount: z.string(),
    status: z.enum(splitStatuses),
    /** The reason of the failure or the wait, as text for people. */
    reason: z.string().optional(),
    createdAt: z.string(),
    completedAt: z.string().optional(),
    /** In the order of the request. */
    recipients: z.array(recipient()),
    /** Increases with every write. */
    revision: z.number(),
  })

export type Split = z.output<ReturnType<typeof splitRecord>>
export type Recipient = Split['recipients'][number]
