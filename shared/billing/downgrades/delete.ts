import type { SentNotifications } from '#shared/accounts/entitlements/rows.ts'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { lapsedRetentionMs } from '#shared/agents/fleet/lifecycle/lapse.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { DowngradeContext } from './context.ts'
import type { EvaluatedUser } from './settle.ts'

/** The time between the notice and the deletion, in milliseconds. */
const noticeMs = 7 * 86_400_000

/** The tolerance for a notice that is sent after the deletion was planned. */
const slackMs = 3_600_000

type Lapsed = Agent & { lapsedAt: string }

interface Deletions {
  judged: EvaluatedUser
  /** The earlier notices to the owner. */
  told: SentNotifications | undefined
}

export const isLapsed = (agent: Agent): agent is Lapsed => agent.lapsedAt !== undefined

/**
 * Plans the deletion of a user's long-lapsed agents a week ahead, and deletes the agents whose owner was notified a
 * week ago.
 * @throws `judged.moved` if the plan has changed in the meantime
 */
export async function deleteLapsed(
  ctx: DowngradeContext,
  { judged, told = {} }: Deletions,
  now: number,
): Promise<void> {
  const { user, unchanged, moved } = judged
  const lapsed = (await listAgents(ctx, { userId: user.id, consistent: true })).filter(isLapsed)
  const isTold = ({ deletionAt }: Agent): boolean =>
    deletionAt !== undefined && told.deletion !== undefined && deletionAt <= told.deletion
  const isOver = (agent: Agent): boolean =>
    isTold(agent) && isLapsed(agent) && Date.parse(agent.deletionAt ?? '') <= now
  for (const { id: agentId } of lapsed.filter(isOver))
    await deleteAgent(ctx, {
      agentId,
      owner: user.id,
      only: { decide: isOver, owner: unchanged, refused: () => moved },
    })
  const mustPlan = (agent: Agent): agent is Lapsed =>
    isLapsed(agent) && !isTold(agent) && noticeOf(agent) <= now && !isInTime(agent, now)
  const planned = lapsed.filter(mustPlan)
  // All deletions are planned for one day, so that one mail is enough.
  const day = Math.max(now + noticeMs, ...planned.map((agent) => noticeOf(agent) + noticeMs))
  for (const agent of planned)
    await changeAgent(ctx, {
      agent,
      decide: (current) => (mustPlan(current) ? { ...current, deletionAt: isoOf(day) } : current),
      now,
    })
}

/** Returns the time when the owner must be notified of the deletion, in epoch milliseconds. */
function noticeOf({ lapsedAt }: Lapsed): number {
  return Date.parse(lapsedAt) + lapsedRetentionMs - noticeMs
}

function isInTime({ deletionAt }: Agent, now: number): boolean {
  return deletionAt !== undefined && Date.parse(deletionAt) >= now + noticeMs - slackMs
}

/** Returns the time when the next step of a lapse is due, in epoch milliseconds, or null. */
export function nextStep(lapsed: readonly Lapsed[]): number | null {
  const times = lapsed.map((agent) =>
    agent.deletionAt === undefined ? noticeOf(agent) : Date.parse(agent.deletionAt),
  )
  return times.length === 0 ? null : Math.min(...times)
}
