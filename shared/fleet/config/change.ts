import { requireReachable } from '../../agents/config/webhook.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentServices } from '../../agents/context.ts'
import { isOnChannels } from '../../agents/config/channels.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import type { Starter } from '../../agents/permit.ts'
import { mergeConfig } from '../../agents/config/merge.ts'
import type { ConfigChange } from '../../agents/config/schema.ts'
import { sealChange } from '../../agents/config/seal.ts'
import { type Cap, raisesCap, readCap } from '../../money/cap.ts'
import { scopeRequired } from '../../platform/errors.ts'

export interface ConfigChangeInput {
  agent: Agent
  change: ConfigChange
  /** Whether a container that runs is started anew for it. */
  apply: boolean
  by?: Starter
  /** If the caller may raise or clear the agent's spend cap. Default: false. */
  mayRaiseCap?: boolean
}

/**
 * Merges a change into an agent's config, key by key; null removes one. A container that runs gets its part of it by
 * being started anew; with `apply` false, and while KILL_SWITCH, that waits for its next start. An agent that sleeps is
 * started where the change gives it its first token of a chat service.
 * @throws PlatformError 400, 403 SCOPE_REQUIRED for a higher spend cap than the agent has at the write, 404 where it is deleted meanwhile, 503 without a key to seal secrets, and where it takes a
 * start, 402 as permitStart
 */
export async function changeConfig(
  ctx: AgentServices,
  { agent, change, apply, by = 'owner', mayRaiseCap = false }: ConfigChangeInput,
): Promise<Agent> {
  requireReachable(ctx, change)
  const sealed = await sealChange(ctx, agent, change)
  const mayRestart = apply && !ctx.config.KILL_SWITCH
  const decide = (current: Agent) => {
    const next = mergeConfig(current, sealed)
    if (!mayRaiseCap && raisesCap(capOf(current), capOf(next))) throw scopeRequired('money')
    const differs = next.desired === 'running' && startValues(next) !== startValues(current)
    // While it slept, no message of the chat service would reach it.
    const mustWake = current.asleep && isOnChannels(next) && !isOnChannels(current)
    return { agent: next, restarts: mayRestart && (differs || mustWake === true) }
  }
  return changeByPerson(ctx, { agent, reason: 'config', by, decide })
}

function capOf({ config }: Agent): Cap {
  return readCap(config.spendCapUsd)
}

/** What of a config the container gets at its start: the rest is read from the row when it is needed. */
function startValues({ plan, config: { model, systemPrompt }, secrets }: Agent): string {
  const { telegramToken, discordBotToken, whatsappToken } = secrets ?? {}
  const tokens = [telegramToken, discordBotToken, whatsappToken]
  return JSON.stringify([plan, model, systemPrompt, ...tokens])
}
