import { startGeneration } from '#shared/agents/fleet/lifecycle/generation.ts'
import { type Agent, liveTasks } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { openSecret, sealChange } from '#shared/agents/record/config/seal.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { containerHasTelegram } from '#shared/agents/record/recipe.ts'
import { channelTokenOf, isChannelDue } from '#shared/agents/record/watch/channel-due.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { telegramChange } from '../adapters/telegram/fields.ts'
import type { ConfigChannelContext } from './context.ts'
import { settle } from './settle.ts'
import { putConfigChannel, removeConfigChannel } from './write.ts'

/**
 * Creates, changes or deletes an agent's Telegram channel, so that it matches the token of the agent's config. A token
 * that cannot be used is reported to the owner by an event of the agent, and is not tried again. If Telegram cannot be
 * reached, or a container still uses the token, the agent stays due, and the next call continues.
 */
export async function syncConfigChannel(
  ctx: ConfigChannelContext,
  ref: { userId: string; agentId: string },
): Promise<void> {
  const found = await readAgent(ctx.table, ref, { consistent: true })
  if (found === undefined || !isChannelDue(found)) return
  if (await isInUse(ctx, found)) return
  const agent = await sealed(ctx, found)
  if (agent === undefined) return
  const wanted = channelTokenOf(agent)
  if (wanted === undefined) await removeConfigChannel(ctx, agent)
  const refusal = wanted === undefined ? undefined : await useToken(ctx, agent)
  if (refusal !== 'later') await settle(ctx, agent, { wanted, refusal })
}

/** @returns why the token cannot be used; undefined if it is used now; `later` if Telegram could not be reached */
async function useToken(ctx: ConfigChannelContext, agent: Agent): Promise<string | undefined> {
  const token = await openSecret(ctx, agent, 'telegramToken')
  if (token === undefined) return 'telegramToken can no longer be decrypted: set it again'
  const { success, error } = telegramChange.safeParse({ token })
  if (!success) return `telegramToken cannot be used: ${error.issues[0]?.message}`
  try {
    await putConfigChannel(ctx, agent, token)
    return undefined
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.kind === 'bad-request' || error.kind === 'conflict')
      return `telegramToken cannot be used: ${error.message}`
    ctx.log.warn('the channel of a token was not set up', { agentId: agent.id, error })
    return 'later'
  }
}

/**
 * Returns whether a container of an earlier release still receives the bot's messages itself; Telegram sends them to
 * one receiver. Such a container is replaced, because it would never end by itself.
 */
async function isInUse(ctx: ConfigChannelContext, agent: Agent): Promise<boolean> {
  if (containerHasTelegram(agent)) {
    await startGeneration(ctx, { agent, reason: 'deploy' })
    return true
  }
  if (agent.channelToken !== undefined) return false
  const isEnding = agent.desired === 'stopped' && liveTasks(agent).length > 0
  return isEnding || agent.previousTaskArn !== undefined
}

/** Encrypts the token of a row of an earlier release. */
async function sealed(ctx: ConfigChannelContext, agent: Agent): Promise<Agent | undefined> {
  if (typeof agent.config.telegramToken !== 'string') return agent
  const upgrade = await sealChange(ctx, agent, {})
  return changeAgent(ctx, { agent, decide: (current) => mergeConfig(current, upgrade) })
}
