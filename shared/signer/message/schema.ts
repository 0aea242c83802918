import * as z from 'zod'
import { isObject } from '../../agent-message/form.ts'

/** The form of an AgentMessage that is to be signed (contract.md 9), as far as a signer must know it; the rest goes along. */
export const agentMessage = () =>
  z.looseObject({
    messageId: z.string(),
    timestamp: z.string(),
    from: z.looseObject({ agentId: z.string(), walletAddress: z.string().optional() }),
    to: z.looseObject({ agentId: z.string() }),
    action: z.string(),
    // By reference: a copy would lose a field named `__proto__`, which is signed with all others.
    payload: z.custom<Record<string, unknown>>(isObject, 'payload must be an object'),
  })

export type AgentMessage = z.output<ReturnType<typeof agentMessage>>
