import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { openSecret, sealChange } from '#shared/agents/record/config/seal.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'

/**
 * Returns the secret of an agent's webhook. Creates one if the config is from an earlier release.
 * @returns undefined if the agent was deleted in the meantime
 */
export async function openWebhookSecret(
  ctx: Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY'> & Can<'guard'>,
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
