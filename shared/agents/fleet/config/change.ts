import type { Agent } from '#shared/agents/record/agent.ts'
import { hasOwnBot } from '#shared/agents/record/config/channels.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import type { ConfigChange } from '#shared/agents/record/config/schema.ts'
import { sealChange } from '#shared/agents/record/config/seal.ts'
import { requireReachable } from '#shared/agents/record/config/webhook.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import type { Starter } from '#shared/agents/record/permit.ts'
import { raisesCap, readCap, spendCaps } from '#shared/money/amounts/cap.ts'
import { scopeRequired } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'

export interface ConfigChangeInput {
  agent: Agent
  change: ConfigChange
  /** True to restart a running container so that it uses the change. */
  apply: boolean
  by?: Starter
  /** True if the caller can raise or clear the agent's spend caps. Default: false. */
  mayRaiseCap?: boolean
}

/**
 * Merges a change into an agent's config, key by key; null removes a key. A running container is restarted if the
 * change affects it; with `apply` false, and while KILL_SWITCH is on, the change takes effect at the next start. A
 * sleeping agent is started if the change gives it the first token of a bot in its container.
 * @throws PlatformError 400, 403 SCOPE_REQUIRED for higher spend caps than the agent has at the write, 404 if it is
 * deleted in the meantime, 503 without a key to encrypt secrets, and 402 as permitStart if it must start
 */
export async function changeConfig(
  ctx: AgentContext & Reads<AgentSetting>,
  { agent, change, apply, by = 'owner', mayRaiseCap = false }: ConfigChangeInput,
): Promise<Agent> {
  requireReachable(ctx, change)
  const sealed = await sealChange(ctx, agent, change)
  const mayRestart = apply && !ctx.config.KILL_SWITCH
  const decide = (current: Agent) => {
    const next = mergeConfig(current, sealed)
    if (!mayRaiseCap && raisesCaps(current, next)) throw scopeRequired('money')
    const differs = next.desired === 'running' && startValues(next) !== startValues(current)
    // A sleeping agent would not receive messages of the chat service.
    const mustWake = current.asleep && hasOwnBot(next) && !hasOwnBot(current)
    return { agent: next, restarts: mayRestart && (differs || mustWake === true) }
  }
  return changeByPerson(ctx, { agent, reason: 'config', by, decide })
}

function raisesCaps({ config: before }: Agent, { config: after }: Agent): boolean {
  return spendCaps.some((name) => raisesCap(readCap(before[name]), readCap(after[name])))
}

/**
 * Returns the values that a container receives at its start. The other values of a config are read from the row when
 * needed.
 */
function startValues({ plan, config: { model, systemPrompt }, secrets }: Agent): string {
  const { discordBotToken, whatsappToken } = secrets ?? {}
  return JSON.stringify([plan, model, systemPrompt, discordBotToken, whatsappToken])
}
