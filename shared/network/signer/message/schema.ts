import * as z from 'zod'
import { isObject } from '#shared/money/agent-message/form.ts'

/** The fields of an unsigned AgentMessage (contract.md 9) that the signer reads; other fields are preserved. */
export const agentMessage = () =>
  z.looseObject({
    messageId: z.string(),
    timestamp: z.string(),
    from: z.looseObject({ agentId: z.string(), walletAddress: z.string().optional() }),
    to: z.looseObject({ agentId: z.string() }),
    action: z.string(),
    // Not copied by the parser, because a copy would lose a field named `__proto__`, which is signed too.
    payload: z.custom<Record<string, unknown>>(isObject, 'payload must be an object'),
  })

export type AgentMessage = z.output<ReturnType<typeof agentMessage>>
