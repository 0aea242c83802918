import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { sealChange } from '#shared/agents/record/config/seal.ts'
import type { ChangeAuthor } from '#shared/agents/record/context.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/**
 * Stores the token of an agent's channel in the agent's config; null removes it. The agent's channel is due until
 * `settle`, so that the watchdog continues if this process dies.
 * @throws PlatformError 404, 503 without an encryption key
 */
export async function storeToken(
  ctx: Pick<Context, 'table' | 'log'> & ChangeAuthor & Can<'encryptionKey'>,
  agent: Agent,
  token: string | null,
): Promise<Agent> {
  const reads = { config: { WALLET_ENCRYPTION_KEY: ctx.encryptionKey } }
  const change = await sealChange(reads, agent, { telegramToken: token })
  const changed = await changeAgent(ctx, {
    agent,
    decide: (current) => mergeConfig(current, change),
  })
  if (changed === undefined) throw notFound('Agent')
  return changed
}
