import { userRows } from '#shared/accounts/users/rows.ts'
import { isWalletAddress } from '#shared/accounts/users/schema.ts'
import { toUser } from '#shared/accounts/users/user.ts'
import { dayOf } from '#shared/platform/days.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import { byPerson } from '../fleet/lifecycle/by-person.ts'
import { sendStops } from '../fleet/requests/send.ts'
import { stopped } from '../fleet/states/end.ts'
import type { Traffic } from '../fleet/watchdog/probe.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { changeAgent } from '../record/change.ts'
import type { AgentContext } from '../record/context.ts'
import { isWanted } from '../record/paid-access.ts'
import { inGigabytes, sentLimits } from './limits.ts'
import { trafficMail } from './mail.ts'
import { heavyPartition, type TrafficRow, trafficRows } from './rows.ts'

/** Smaller amounts are recorded together with later ones, so that an agent with little traffic causes no writes. */
const least = { sent: 1_000_000, printed: 100_000 }

const retentionDays = 31

/** The `stopReason.code` of an agent that the platform stopped for its traffic. */
export const trafficCode = 'TrafficLimit'

/**
 * Adds the traffic of a container since the last check to its agent's day (UTC). If the agent has sent more than its
 * plan includes, its owner gets a mail, and operators get a log line and an index entry. An agent that has reached its
 * plan's maximum is stopped, unless an operator started it or the platform owns it. A repeated or late check adds
 * nothing.
 */
export async function recordTraffic(
  ctx: Pick<Context, 'log'> & AgentContext & Can<'mailer' | 'webUrl'>,
  { agent, traffic }: { agent: Agent; traffic: Traffic },
  now = Date.now(),
): Promise<void> {
  const { table } = ctx
  const date = dayOf(now)
  const key = trafficRows.key({ userId: ownerOf(agent), agentId: agent.id })
  const limits = sentLimits[agent.plan]
  let row: TrafficRow | undefined
  let isNews = false
  await changeItem({ table, key }, (item) => {
    const before = item && trafficRows.parse(item)
    const next = added(before, agent, traffic, date)
    row = next ?? before
    isNews = false
    if (next === undefined) return undefined
    isNews = sentOn(next, date) >= limits.included && before?.heavyOn !== date
    row = isNews ? { ...next, heavyOn: date } : next
    const place = { gsi1pk: heavyPartition(date), gsi1sk: agent.id }
    return {
      update: {
        set: trafficRows.attributes(row, isNews ? place : {}),
        ...(before === undefined
          ? { if: 'attribute_not_exists(pk)' }
          : { if: '#days = :seen AND #generation = :of', values: seenIn(before) }),
      },
    }
  })
  const sent = row === undefined ? 0 : sentOn(row, date)
  if (isNews)
    ctx.log.warn('an agent sends more than its plan includes', { agentId: agent.id, sent })
  if (row?.heavyOn === date && row.mailedOn !== date) await tell(ctx, agent, date)
  if (sent >= limits.most) await stop(ctx, agent, limits.most, now)
}

function seenIn({ days, generation }: TrafficRow) {
  return { seen: days, of: generation }
}

/**
 * Returns the row with the new traffic. Undefined if it is too little, or the container was replaced. The first total
 * of a container that started on an earlier day is not traffic of this day: only what follows counts.
 */
function added(
  before: TrafficRow | undefined,
  agent: Agent,
  traffic: Traffic,
  date: string,
): TrafficRow | undefined {
  const { id: agentId, userId, generation, startedAt } = agent
  if (before !== undefined && before.generation > generation) return undefined
  const days = before?.days ?? []
  const row = { ...before, agentId, userId, generation, days }
  const isFirst = before?.generation !== generation
  if (isFirst && startedAt !== undefined && dayOf(Date.parse(startedAt)) < date)
    return { ...row, sent: traffic.sent ?? 0, printed: traffic.printed ?? 0 }
  const last = isFirst ? { sent: 0, printed: 0 } : before
  const counted = {
    sent: Math.max(last.sent, traffic.sent ?? 0),
    printed: Math.max(last.printed, traffic.printed ?? 0),
  }
  const more = { sent: counted.sent - last.sent, printed: counted.printed - last.printed }
  if (more.sent < least.sent && more.printed < least.printed) return undefined
  const today = days.find((day) => day.date === date)
  const sum = {
    date,
    sentBytes: plus(today?.sentBytes, traffic.sent, more.sent),
    printedBytes: plus(today?.printedBytes, traffic.printed, more.printed),
  }
  const others = days.filter((day) => day.date !== date)
  return { ...row, ...counted, days: [...others, sum].slice(-retentionDays) }
}

/** Returns the new total of a day. Null until a container reports its traffic. */
function plus(before: number | null = null, reported: number | null, more: number): number | null {
  return before === null && reported === null ? null : (before ?? 0) + more
}

function sentOn({ days }: TrafficRow, date: string): number {
  return days.find((day) => day.date === date)?.sentBytes ?? 0
}

/** If the process dies before this is recorded, the next check repeats it; the mail's id prevents a duplicate. */
async function tell(
  ctx: Pick<Context, 'log'> & AgentContext & Can<'mailer' | 'webUrl'>,
  agent: Agent,
  date: string,
): Promise<void> {
  const { table, mailer, webUrl } = ctx
  const profile =
    agent.userId === null ? undefined : await table.get(userRows.key({ userId: agent.userId }))
  const user = profile && toUser(profile)
  if (user !== undefined && !isWalletAddress(user.email))
    await mailer.send(trafficMail({ user, agent, date, limits: sentLimits[agent.plan], webUrl }))
  const key = trafficRows.key({ userId: ownerOf(agent), agentId: agent.id })
  await tryWrite(table.update(key, { set: { mailedOn: date }, if: 'attribute_exists(pk)' }))
}

/**
 * If the process dies before the stop, the next check stops the agent. An agent that is started again on the same day
 * is stopped, too.
 */
async function stop(
  ctx: Pick<Context, 'log'> & AgentContext & Can<'mailer' | 'webUrl'>,
  agent: Agent,
  most: number,
  now: number,
): Promise<void> {
  const text = `It has sent ${inGigabytes(most)} or more today (UTC), the maximum that its plan allows per day`
  const at = isoOf(now)
  const rest = byPerson('stopped', now)
  let isStopped = false
  const stored = await changeAgent(ctx, {
    agent,
    decide(current) {
      isStopped =
        isWanted(current) &&
        current.generation === agent.generation &&
        !current.startedByOperator &&
        current.userId !== null
      if (!isStopped) return current
      return {
        ...rest(stopped(current)),
        stopReason: { code: trafficCode, exitCode: null, text, at },
      }
    },
    now,
  })
  if (isStopped && stored !== undefined) await sendStops(ctx.queues, stored)
}
