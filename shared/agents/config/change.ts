import { notFound, PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { AgentServices } from '../context.ts'
import { byPerson } from '../lifecycle/by-person.ts'
import { nextGeneration } from '../lifecycle/generation.ts'
import { sendStart } from '../provisioning/messages.ts'
import { mergeConfig } from './merge.ts'
import type { ConfigChange } from './schema.ts'
import { sealChange } from './seal.ts'
import { isLocalWebhook } from './values.ts'

/**
 * Merges a change into an agent's config, key by key; null removes one. A container that runs gets what it is told by
 * being started anew, in the same write; with `apply` false, and while KILL_SWITCH, that waits for its next start.
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
  const forgiven = byPerson(ctx, 'started-by-person')
  let restarts = false
  const stored = await changeAgent(ctx.table, agent, (current) => {
    restarts = false
    if (current.deleting) return current
    const next = mergeConfig(current, sealed)
    restarts = apply && !ctx.config.KILL_SWITCH && next.desired === 'running'
    restarts &&= told(next) !== told(current)
    return restarts ? forgiven(nextGeneration(next)) : next
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (restarts) await sendStart(ctx.queues, stored, { reason: 'config' })
  return stored
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
  return JSON.stringify([plan, model, systemPrompt, telegramToken, discordBotToken, whatsappToken])
}
