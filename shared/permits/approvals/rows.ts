import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of approvals by their expiry or their next attempt. */
export const approvalsDue = dueIndex('approvals', 4)

/** The index of mails to owners. */
export const approvalMailsDue = dueIndex('approval-mails', 2)

/** The index of decided approvals whose agent was not told yet. */
export const approvalTurnsDue = dueIndex('approval-turns', 4)

/** The states of an approval: contract.md 17. */
export const approvalStates = [
  'pending',
  'approved',
  'denied',
  'expired',
  'done',
  'failed',
] as const

/**
 * An effect of an agent that waits for its owner's decision, stored for 30 days. It is in the index until it has ended:
 * at its expiry while it is pending, then at its next attempt.
 */
export const approvalRows = entity({
  name: 'approval',
  id: 'apr',
  pk: 'user#{userId}',
  sk: 'approval#{approvalId}',
  gsi1: { pk: 'approvals#{shard}', sk: '{due}#{approvalId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      action: z.string(),
      /** The fields of the effect that a policy can match. */
      target: z.record(z.string(), z.string()),
      /** The amount of a payment in millionths of a US dollar; absent for other actions. */
      microUsd: z.string().optional(),
      /** The agent's session that asked. */
      session: z.string(),
      summary: z.string(),
      /** Equal for identical requests of an agent. */
      digest: z.string(),
      state: z.enum(approvalStates),
      /** Set just before the effect is sent to another party: from then on, it is never sent again. */
      sending: z.literal(true).optional(),
      /** The number of claims. */
      attempts: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
      /** When it expires, ISO 8601. */
      until: z.string(),
      decidedAt: z.string().optional(),
      /** `user:<id>`. */
      decidedBy: z.string().optional(),
      note: z.string().optional(),
      result: z
        .object({
          status: z.number().optional(),
          body: z.string().nullable().optional(),
          paymentId: z.string().optional(),
          error: z.string().optional(),
        })
        .optional(),
    }),
})

/** The request of an approval, stored as long as the approval. */
export const approvalRequestRows = entity({
  name: 'request of an approval',
  pk: 'user#{userId}',
  sk: 'approval-request#{approvalId}',
  schema: () =>
    z.object({
      /** JSON as text, because the table's maps would not preserve every name and number. */
      text: z.string(),
      /** The body's bytes in base64; absent without a body. */
      body: z.string().optional(),
    }),
})

/** The pending approval of a request, so that an identical one gets the same approval. */
export const waitingRequestRows = entity({
  name: 'waiting request',
  pk: 'user#{userId}',
  sk: 'approval-waiting#{agentId}#{digest}',
  schema: () => z.object({ approvalId: z.string() }),
})

/** The number of an agent's pending approvals. */
export const pendingCountRows = entity({
  name: 'count of pending approvals',
  pk: 'user#{userId}',
  sk: 'approval-count#{agentId}',
  schema: () => z.object({ count: z.number() }),
})

/** The mail to an owner about pending approvals. It is in the index until the mail is sent. */
export const approvalMailRows = entity({
  name: 'mail about approvals',
  pk: 'user#{userId}',
  sk: 'approval-mail',
  gsi1: { pk: 'approval-mails#{shard}', sk: '{due}#{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      attempts: z.number(),
      /** When the current mail was sent, ISO 8601; absent until then. It is set before the approvals are read. */
      sentAt: z.string().optional(),
    }),
})

/** The turn that tells an agent the outcome of an approval. It is deleted after the turn. */
export const approvalTurnRows = entity({
  name: 'turn about an approval',
  pk: 'user#{userId}',
  sk: 'approval-turn#{approvalId}',
  gsi1: { pk: 'approval-turns#{shard}', sk: '{due}#{approvalId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      approvalId: z.string(),
      agentId: z.string(),
      /** The number of claims. */
      attempts: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
      /** The seed of the message to the agent; set before the agent is asked. */
      seed: z.string().optional(),
      /** The number of failed turns that the agent may have received. */
      failed: z.number().optional(),
    }),
})
