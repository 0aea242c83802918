import { notSent } from '#shared/agents/agent-gateway/not-sent.ts'
import type { FilesContext } from '#shared/agents/files/change.ts'
import type { ActivityContext } from '#shared/agents/fleet/activity/context.ts'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { keepFiles } from '../files/keep.ts'
import { promptOf } from '../files/prompt.ts'
import { requestDownload } from '../files/request.ts'
import { channelWaitingRows } from '../rows.ts'
import type { Due } from './due.ts'
import { requestTyping } from './request-typing.ts'

export type TurnContext = ActivityContext &
  FilesContext &
  Sends<'channel-deliveries'> &
  Pick<Context, 'table' | 'log'>

/** The client of agents' turns. */
export interface AsksAgent {
  /**
   * Sends a message to an agent. It resolves after the answer is stored.
   * @returns the answer
   * @throws PlatformError
   */
  ask(turn: {
    owner: string
    agentId: string
    message: string
    topic: string
    seed: string
  }): Promise<string>
  /** Returns the turn with this seed, with its stored answer; undefined if it never began. */
  findAnswer(turn: {
    owner: string
    agentId: string
    seed: string
  }): Promise<
    { state: 'active' | 'finished' | 'failed' | 'cancelled'; text: string | undefined } | undefined
  >
}

/** The delays until the next attempt in seconds: while an agent starts, answers or gets files, and if it cannot run now. */
const startingSeconds = 2
const activeSeconds = 15
const filesSeconds = 10
const stoppedSeconds = 300

/** The time that an event waits for an agent that does not run, in milliseconds. */
const maxWaitMs = 86_400_000

const interrupted = 'The answer to your message was interrupted. Please send the message again.'
const notRunning = 'I was not running for a day, so your message was not carried out.'
const failed = 'Your message could not be carried out. Please try again later.'

/**
 * Runs the turn of an event, once. A turn that an earlier attempt began is not repeated, because the agent may have
 * acted on it. The answer is then the stored answer of that turn, or a text that says that it was interrupted.
 * @returns the answer, or the seconds until the next attempt
 */
export async function answerTo(
  ctx: TurnContext & AsksAgent,
  due: Due,
  now: number,
): Promise<{ text: string } | { wait: number }> {
  const { chat, channel, agent, event } = due
  const { userId: owner, agentId } = chat
  const { seed } = event
  const earlier = await ctx.findAnswer({ owner, agentId, seed })
  if (earlier?.state === 'active') return { wait: activeSeconds }
  if (earlier !== undefined) return { text: earlier.text ?? interrupted }
  await requestDownload(ctx, due, now)
  if (agent.desired !== 'running' || agent.status !== 'running') {
    if (now - event.receivedAt > maxWaitMs) return { text: notRunning }
    const wait = await secondsUntilRunning(ctx, agent)
    if (wait === startingSeconds) await requestTyping(ctx, due, 1)
    return { wait }
  }
  const files = await keepFiles(ctx, due)
  await requestTyping(ctx, due, ...(files === undefined ? [1] : []))
  if (files === undefined) return { wait: filesSeconds }
  const topic = `${channel.kind}:${chat.name}`
  try {
    return { text: await ctx.ask({ owner, agentId, message: promptOf(event, files), topic, seed }) }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn('a turn of a channel failed', { channelId: channel.id, error })
    if (!notSent(error)) return { text: failed }
    await ctx.table.update(channelWaitingRows.key({ ...chat, order: event.order }), {
      set: { seed: newSeed(now) },
      if: 'attribute_exists(pk)',
    })
    return { wait: startingSeconds }
  }
}

/** Wakes the agent if it sleeps. @returns the seconds until the next attempt */
async function secondsUntilRunning(ctx: TurnContext, agent: Agent): Promise<number> {
  if (agent.desired === 'running') return startingSeconds
  if (!agent.asleep) return stoppedSeconds
  try {
    await wakeAgent(ctx, { agent })
    return startingSeconds
  } catch (error) {
    // The plan has ended, too many agents are awake, or an operator has disabled starts.
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn('an event of a channel cannot wake its agent', { agentId: agent.id, error })
    return stoppedSeconds
  }
}
