import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { dayOf } from '#shared/platform/days.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { describePolicy } from './describe.ts'
import type { Action, DecidingRule, Effect, Outcome } from './effect.ts'
import { getPolicy } from './get.ts'
import { permit } from './permit.ts'
import type { Policy } from './policy.ts'
import { unknownPath } from './readings.ts'

/** An effect in the records of an agent. */
export interface PastEffect {
  /** Epoch milliseconds. */
  at: number
  effect: Effect
}

/**
 * Lists at most `limit` of the latest effects in an agent's records of one kind. Each noun that records effects
 * implements it.
 * @param since epoch milliseconds
 */
export type ListPastEffects = (
  ctx: { table: Table },
  query: { agent: Agent; since: number; limit: number },
) => Promise<PastEffect[]>

/** The maximum number of records of each kind, so that a response has at most 6 MB. */
const maxRecords = 1000

interface PolicyTest {
  agentId: string
  days: number
  preset?: Policy['preset'] | undefined
  rules?: Policy['rules'] | undefined
  records: readonly ListPastEffects[]
}

interface Replayed {
  at: string
  action: Action
  target: Record<string, string>
  then: Outcome
  rule: DecidingRule
}

interface PolicyTestResult {
  days: number
  counts: Record<Outcome, number>
  /** Newest first. */
  records: Replayed[]
  sentences: string[]
}

/**
 * Decides the recorded effects of an agent's last days by its policy, or by another one that is not stored. Rules with
 * `perDay` count the records.
 * @throws PlatformError 404
 */
export async function testPolicy(
  ctx: UserContext,
  { agentId, days, records: kinds, ...changed }: PolicyTest,
): Promise<PolicyTestResult> {
  const agent = await requireAgent(ctx, { agentId, owner: ctx.owner })
  const current = await getPolicy(ctx, agent)
  const policy = { preset: changed.preset ?? current.preset, rules: changed.rules ?? current.rules }
  const query = { agent, since: Date.now() - days * 86_400_000, limit: maxRecords }
  const past = await Promise.all(kinds.map((listPast) => listPast(ctx, query)))
  const records = replay(policy, past.flat())
  const counts = { allow: 0, ask: 0, deny: 0 }
  for (const { then } of records) counts[then] += 1
  return { days, counts, records: records.toReversed(), sentences: describePolicy(policy) }
}

function replay(policy: Policy, past: readonly PastEffect[]): Replayed[] {
  const uses = new Map<string, number>()
  const usesOf = (position: number, day: string) => uses.get(`${position} ${day}`) ?? 0
  return past
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, effect }) => {
      const day = dayOf(at)
      const usedUp = new Set(
        policy.rules.flatMap(({ when }, i) =>
          when?.perDay !== undefined && usesOf(i + 1, day) >= when.perDay ? [i + 1] : [],
        ),
      )
      const { then, rule, counted } = permit(policy, effect, { now: at, usedUp })
      if (counted !== undefined) uses.set(`${counted} ${day}`, usesOf(counted, day) + 1)
      const { action, target } = effect
      return { at: isoOf(at), action, target: knownPart(target), then, rule }
    })
}

function knownPart(target: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(target).filter(([, text]) => text !== unknownPath))
}
