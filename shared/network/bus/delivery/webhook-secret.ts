import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { openSecret, type SealContext, sealChange } from '#shared/agents/record/config/seal.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'

export interface WebhookContext extends SealContext {
  table: Table
  guard: GuardOptions
}

/**
 * Returns the secret of an agent's webhook. Creates one if the config is from an earlier release.
 * @returns undefined if the agent was deleted in the meantime
 */
export async function openWebhookSecret(
  ctx: WebhookContext,
  agent: Agent,
): Promise<string | undefined> {
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
  return stored && openSecret(ctx, stored, 'webhookSecret')
}
