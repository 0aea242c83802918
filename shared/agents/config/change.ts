import { PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { mergeConfig } from './merge.ts'
import type { ConfigChange } from './schema.ts'
import { sealChange } from './seal.ts'
import { isLocalWebhook } from './values.ts'

/**
 * Merges a change into an agent's config, key by key; null removes one. A container that runs gets what it is told by
 * being started anew; with `apply` false, and while KILL_SWITCH, that waits for its next start.
 * @throws PlatformError 400, 404 where it is deleted meanwhile, 503 without a key to seal secrets
 */
export async function changeConfig(
  ctx: AgentServices,
  agent: Agent,
  change: ConfigChange,
  apply: boolean,
): Promise<Agent> {
  requireReachable(ctx, change)
  const sealed = await sealChange(ctx, agent, change)
  const mayRestart = apply && !ctx.config.KILL_SWITCH
  return changeByPerson(ctx, agent, 'config', (current) => {
    const next = mergeConfig(current, sealed)
    const differs = next.desired === 'running' && told(next) !== told(current)
    return { agent: next, restarts: mayRestart && differs }
  })
}

/** @throws PlatformError 400 for a webhook on this machine where the platform is deployed */
export function requireReachable(
  { config }: Pick<AgentServices, 'config'>,
  { webhookUrl }: ConfigChange,
): void {
  if (config.deployed && typeof webhookUrl === 'string' && isLocalWebhook(webhookUrl))
    throw new PlatformError('bad-request', 'config.webhookUrl must be https')
}

/** What of a config the container is told at its start: the rest is read from the row whenever it is needed. */
function told({ plan, config: { model, systemPrompt }, secrets }: Agent): string {
  const { telegramToken, discordBotToken, whatsappToken } = secrets ?? {}
  const tokens = [telegramToken, discordBotToken, whatsappToken]
  return JSON.stringify([plan, model, systemPrompt, ...tokens])
}
