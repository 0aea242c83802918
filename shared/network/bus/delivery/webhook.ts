import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { openSecret, type SealContext, sealChange } from '#shared/agents/record/config/seal.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { postWebhook } from '#shared/platform/webhook-post.ts'
import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'

export interface WebhookContext extends SealContext {
  table: Table
  guard: GuardOptions
}

/**
 * Posts a message's JSON to an agent's webhook, signed by Standard Webhooks.
 * @returns the status of the response
 * @throws HttpFailure without a response, and for a forbidden address
 */
export async function postToWebhook(
  ctx: WebhookContext,
  { agent, url, messageId, text }: { agent: Agent; url: string; messageId: string; text: string },
): Promise<number> {
  const secret = await secretOf(ctx, agent)
  const { status } = await postWebhook({ url, secret, id: messageId, text }, ctx.guard)
  return status
}

/** Returns the secret of an agent's webhook. Creates one if the config is from an earlier release. */
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
