import { vi } from 'vitest'
import { checkAgent } from '#shared/agents/fleet/watchdog/check.ts'
import { observeTask } from '#shared/agents/fleet/watchdog/observe-task.ts'
import { checks } from '#shared/agents/fleet/watchdog/topic.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import { type Notice, notices as noticesTopic } from '#shared/signals/notices/topic.ts'
import { type Fleet, type Sent, silentImage } from './fleet.ts'

/**
 * A fleet with its watchdog, which delivers all messages as the platform does, on a clock of its own, so that no test
 * waits for a delay. A check of a starting container waits until the container is ready, unless it never will be.
 */
export function watched(fleet: Fleet, settings: Partial<WatchdogSettings> = {}) {
  const notices: Notice[] = []
  const ctx = {
    ...fleet.services,
    queues: fleet.queues,
    settings: { ...fleet.settings, ...settings },
  }
  let ahead = 0
  let waiting: Sent[] = []

  async function check({ body, delaySeconds }: Sent): Promise<void> {
    ahead += delaySeconds * 1000
    for (const one of checks.schema().parse(body).agents)
      await checkAgent(ctx, one, Date.now() + ahead)
  }

  async function isComingUp({ body }: Sent): Promise<boolean> {
    const [one] = checks.schema().parse(body).agents
    if (one === undefined) return false
    const row = await readAgent(fleet.table, one)
    if (row?.status !== 'provisioning' || row.image === silentImage) return false
    return row.watchdog.state === 'starting' || row.watchdog.repair === 'starting'
  }

  async function deliver(): Promise<void> {
    for (const message of fleet.sent.splice(0)) {
      if (message.queue === 'provisioning') await fleet.consume(message.body)
      else if (message.queue === 'hand-overs') await fleet.handOver(message.body)
      else if (message.queue === 'task-states') await fleet.observe(message.body)
      else if (message.queue === 'checks') waiting.push(message)
      else notices.push(noticesTopic.schema().parse(message.body).notice)
    }
    for (const event of fleet.events.splice(0)) await observeTask(ctx, event, Date.now() + ahead)
    const due = waiting
    waiting = []
    for (const message of due)
      if (await isComingUp(message)) waiting.push(message)
      else await check(message)
  }

  return {
    /** Every notice so far. */
    notices,

    /** Delivers all waiting messages once. */
    deliver,

    /** Runs the tick for one agent, at a later time. */
    async look({ id, userId }: Agent, inSeconds = 0): Promise<void> {
      ahead += inSeconds * 1000
      await checkAgent(ctx, { userId, agentId: id, dueAt: null }, Date.now() + ahead)
    },

    /** Delivers messages until the row passes a check. */
    until: (agent: Agent, good: (row: Agent) => boolean): Promise<Agent> =>
      vi.waitUntil(
        async () => {
          await deliver()
          const row = await fleet.row(agent)
          return good(row) ? row : false
        },
        { timeout: 30_000, interval: 10 },
      ),
  }
}
