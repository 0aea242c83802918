import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import { mergeConfig } from '../../agents/config/merge.ts'
import { openSecret, type SealContext, sealChange } from '../../agents/config/seal.ts'
import { notFound } from '../../platform/errors.ts'
import { sendRequest } from '../../platform/http-client/client.ts'
import { guardedTarget, type GuardOptions } from '../../platform/http-client/guarded.ts'
import type { Table } from '../../platform/table/port.ts'
import { newWebhookSecret, webhookHeaders } from '../../platform/webhook-signature.ts'

/** contract.md 9. */
const timeouts = { totalMs: 5000 }

/** An answer that is longer is not read; what it says does not matter, but read whole it leaves the connection usable. */
const longestAnswer = 4096

export interface WebhookContext extends SealContext {
  table: Table
  guard: GuardOptions
}

/**
 * Posts a message's JSON to an agent's webhook, signed as Standard Webhooks says.
 * @returns the answer's status
 * @throws HttpFailure where there is no answer, and for an address that may not be spoken to
 */
export async function postToWebhook(
  ctx: WebhookContext,
  { agent, url, messageId, text }: { agent: Agent; url: string; messageId: string; text: string },
): Promise<number> {
  const secret = await secretOf(ctx, agent)
  const answer = await sendRequest({
    target: guardedTarget(url, ctx.guard),
    headers: {
      'content-type': 'application/json',
      ...webhookHeaders(secret, { id: messageId, body: text, now: Date.now() }),
    },
    body: Buffer.from(text),
    timeouts,
    pooled: true,
  })
  if (Number(answer.headers['content-length']) <= longestAnswer)
    // The status has told; a body that breaks off changes nothing.
    await answer.whole().catch(() => undefined)
  else answer.close()
  return answer.status
}

/** The secret of an agent's webhook: made where its config is older than that. */
async function secretOf(ctx: WebhookContext, agent: Agent): Promise<string> {
  const known = await openSecret(ctx, agent, 'webhookSecret')
  if (known !== undefined) return known
  const sealed = await sealChange(ctx, agent, { webhookSecret: newWebhookSecret() })
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.secrets?.webhookSecret === agent.secrets?.webhookSecret
        ? mergeConfig(current, sealed)
        : current,
  })
  const secret = stored && (await openSecret(ctx, stored, 'webhookSecret'))
  if (secret === undefined) throw notFound('Agent')
  return secret
}
