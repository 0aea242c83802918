import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { Effect } from '#shared/agents/watchdog/event.ts'
import type { DueNotice } from '#shared/agents/watchdog/schema.ts'
import { composeNotice } from '#shared/signals/notices/compose.ts'
import { notices } from '#shared/signals/notices/topic.ts'
import { sendStart, sendStops } from '../requests/send.ts'
import { askForTask } from '../task-states/ask.ts'
import type { WatchdogContext } from './context.ts'
import { type Check, checks } from './topic.ts'

/**
 * Sends the messages of a stored transition. The next tick finds lost ones: an agent without its task, or with an
 * overdue step.
 */
export async function applyEffects(
  ctx: Pick<WatchdogContext, 'table' | 'queues' | 'checkLater' | 'askTogether'>,
  { agent, effects }: { agent: Agent; effects: readonly Effect[] },
  now: number,
): Promise<void> {
  const { queues } = ctx
  const { id: agentId, userId, watchdog } = agent
  for (const effect of effects) {
    switch (effect.type) {
      case 'check': {
        await checkLater(ctx, { userId, agentId, dueAt: watchdog.dueAt }, effect.after)
        break
      }
      case 'observe':
        await askForTask(ctx, agent, watchdog.askedAt)
        break
      case 'stop-task':
        await sendStops(queues, agent)
        break
      case 'start-task':
        await sendStart(queues, agent, { reason: 'watchdog' })
        break
      case 'give-up':
        break
    }
  }
  await sendNotices(ctx, agent, now)
}

/**
 * Sends another check of an agent.
 * @param after seconds
 */
export async function checkLater(
  { queues, checkLater: together }: Pick<WatchdogContext, 'queues' | 'checkLater'>,
  check: Check,
  after: number,
): Promise<void> {
  if (together !== undefined) await together(check, after)
  else await queues.send(checks, { agents: [check] }, { delaySeconds: after })
}

/** Removes notices from the row only after they are in the queue. The id identifies a duplicate. */
async function sendNotices(
  { table, queues }: Pick<WatchdogContext, 'table' | 'queues'>,
  agent: Agent,
  now: number,
) {
  const due = agent.watchdog.unsent
  if (due.length === 0) return
  const { id: agentId, name: agentName } = agent
  const messages = due.map((notice) => composeNotice({ ...notice, agentId, agentName }, now))
  await queues.sendAll(notices, messages)
  const sent = new Set(due.map(identify))
  await changeAgent(
    { table },
    {
      agent,
      decide: (current) => {
        const unsent = current.watchdog.unsent.filter((notice) => !sent.has(identify(notice)))
        return { ...current, watchdog: { ...current.watchdog, unsent } }
      },
    },
  )
}

function identify({ kind, incidentAt }: DueNotice): string {
  return `${incidentAt} ${kind}`
}
