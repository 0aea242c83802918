import { agentMessage } from '#shared/money/agent-message/message.ts'
import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type SendContext, sendMessage } from './send.ts'

/**
 * Accepts an approved message in the transaction that ends its approval. It keeps its signature and its time, which
 * were checked when it was sent.
 * @throws PlatformError as `sendMessage`
 */
export async function carryOutMessage(
  ctx: SendContext,
  { approval, request, ending }: Execution,
): Promise<Outcome> {
  const message = agentMessage.parse(request.json['message'])
  const { messageId } = message
  const body = JSON.stringify({ success: true, messageId })
  const along = {
    parts: ending({ status: 200, body }),
    refused: () => new LeaseLost(approval.id),
  }
  try {
    await sendMessage(ctx, { message, approved: { along } })
  } catch (error) {
    // The message is accepted, and its queue delivers it later.
    if (!(error instanceof PlatformError) || error.code !== 'DELIVERY_FAILED') throw error
  }
  return 'ended'
}
