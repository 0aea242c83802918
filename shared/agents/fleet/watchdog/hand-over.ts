import { setTimeout as delay } from 'node:timers/promises'
import type { Agent, AgentRef } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { Effect } from '#shared/agents/watchdog/event.ts'
import type { Address } from '#shared/platform/containers/port.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { sendStops } from '../requests/send.ts'
import { healthy } from '../states/task-state.ts'
import { warmIdOf } from '../warm-pool/observe.ts'
import type { HandOver } from '../warm-pool/topic.ts'
import { applyEffects } from './apply-effects.ts'
import type { WatchdogContext } from './context.ts'
import { probe } from './probe.ts'
import { settleWatchdog } from './settle.ts'

/**
 * An agent that does not answer by then is left to its watchdog. Of the job's thirty seconds, the last notification and
 * probe can take seven more, and the workspace ten.
 */
const giveUpMs = 12_000
const firstPauseMs = 50
const longestPauseMs = 500

/**
 * Notifies a warm container that it has an agent, waits until the agent answers, and records it; the requester of the
 * agent waits for this. The container fetches everything else from the platform. Repeating it is harmless.
 */
export async function handOver(
  ctx: WatchdogContext,
  { generation, ...ref }: HandOver,
): Promise<void> {
  const agent = await settleComing(ctx, ref, generation)
  if (agent === undefined) return
  const answering = await whoAnswers(ctx, agent)
  // The table was restored to a time when the container had no agent yet.
  if (answering === 'another agent') return sendStops(ctx.queues, agent)
  if (answering !== 'itself') return
  await ctx.syncWorkspace?.(agent)
  await settleComing(ctx, ref, generation, healthy)
}

/**
 * Returns the agent with its missed events and its new state. Undefined if the agent is no longer starting with this
 * container.
 */
async function settleComing(
  ctx: WatchdogContext,
  ref: AgentRef,
  generation: number,
  become: (agent: Agent) => Agent = (agent) => agent,
): Promise<Agent | undefined> {
  const isComing = (one: Agent) =>
    one.generation === generation && one.status === 'provisioning' && wantsItsTask(one)
  const agent = await readAgent(ctx.table, ref)
  if (agent === undefined || !isComing(agent)) return undefined
  const now = Date.now()
  let effects: Effect[] = []
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      effects = []
      if (!isComing(current)) return current
      const settled = settleWatchdog(become(current), ctx.settings, now)
      effects = settled.effects
      return settled.agent
    },
    now,
  })
  if (stored !== undefined) await applyEffects(ctx, { agent: stored, effects }, now)
  return stored
}

function wantsItsTask({ desired, deleting, taskStatus }: Agent): boolean {
  return desired === 'running' && !deleting && taskStatus === 'RUNNING'
}

async function whoAnswers(
  { probe: ask = probe }: Pick<WatchdogContext, 'probe'>,
  { address, id }: Agent,
): Promise<'itself' | 'another agent' | 'no answer'> {
  const deadline = performance.now() + giveUpMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    // The container is notified again each time, because its request after a notification can fail.
    const found = (await notify(address)) ? await ask(address, id) : undefined
    if (found?.healthy === true) return 'itself'
    // A container that has not become the agent yet responds with its own id.
    const another = found?.another
    if (another !== undefined && warmIdOf({ startedBy: another }) === undefined)
      return 'another agent'
    if (performance.now() > deadline) return 'no answer'
    await delay(pauseMs)
  }
}

/** @returns whether the container responded; the probe reads the content */
async function notify(address: Address | undefined): Promise<boolean> {
  if (address === undefined) return false
  try {
    const target = { ...address, path: '/start' }
    const { close } = await sendRequest({ target, method: 'POST', timeouts: { totalMs: 2000 } })
    close()
    return true
  } catch (error) {
    if (error instanceof HttpFailure) return false
    throw error
  }
}
