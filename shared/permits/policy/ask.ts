import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { dayOf } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { ConditionFailed, type Table, type Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Decision, type Effect, targetFields } from './effect.ts'
import { permit } from './permit.ts'
import { defaultPolicy, type Rule } from './policy.ts'
import { policyRows, ruleCountRows } from './rows.ts'

interface Asked {
  /** The agent's row, which the caller has read. */
  agent: Pick<Agent, 'id' | 'userId' | 'hasPolicy'>
  effect: Effect
  /** True if the mandate requires an approval for this amount. A remembered approval is enough. */
  asksAmount?: boolean
  /** Epoch milliseconds. */
  now?: number
}

/** A decision before the effect. */
export interface Permission extends Decision {
  /** The write that takes back the use of a rule with `perDay` that this decision counted. */
  uncount?: Write
}

/**
 * Decides an effect by the agent's policy, before anything is sent, and counts it for a rule with `perDay`. Takes no
 * request to the table with the default policy. Another policy takes one, and one more for each matching rule with
 * `perDay`.
 */
export async function permitted(
  { table }: { table: Table },
  { agent, effect, asksAmount, now = Date.now() }: Asked,
): Promise<Permission> {
  if (agent.hasPolicy !== true) return permit(defaultPolicy, effect, { now, asksAmount })
  const row = await policyRows.find(table, { userId: ownerOf(agent), agentId: agent.id })
  const policy = row ?? defaultPolicy
  const usedUp = new Set<number>()
  for (;;) {
    const decision = permit(policy, effect, {
      now,
      usedUp,
      asksAmount,
      remembered: row?.remembered,
    })
    const { counted } = decision
    const rule = counted === undefined ? undefined : policy.rules[counted - 1]
    if (counted === undefined || rule === undefined) return decision
    const uncount = await countUse(table, agent, rule, now)
    if (uncount !== undefined) return { ...decision, uncount }
    usedUp.add(counted)
  }
}

/** Returns the error 403 POLICY_DENIED: contract.md 17. */
export function policyDenied({ action }: Effect, { rule }: Decision): PlatformError {
  const by =
    typeof rule === 'number' ? `Rule ${rule} of the agent’s policy` : `The agent’s policy (${rule})`
  return new PlatformError('forbidden', `${by} denies ${action}`, {
    code: 'POLICY_DENIED',
    details: { action, rule },
  })
}

/** @returns the write that takes it back; undefined if the rule has no use left today */
async function countUse(
  table: Table,
  agent: Asked['agent'],
  rule: Rule,
  now: number,
): Promise<Write | undefined> {
  const { action, match, when, then } = rule
  // The table does not keep the order of fields.
  const fields = targetFields[action].map((field) => match?.[field])
  const { from, to, timezone } = when?.hours ?? {}
  const content = [action, fields, when?.maxUsd, when?.perDay, from, to, timezone, then]
  const hash = await sha256Hex(JSON.stringify(content))
  const date = dayOf(now)
  const sk = ruleCountRows.sk({ agentId: agent.id, date, rule: hash.slice(0, 32) })
  const store = userStore(table, ownerOf(agent))
  try {
    await store.update(sk, {
      add: { count: 1 },
      set: { expiresAt: epochSeconds(Date.parse(date)) + 2 * 86_400 },
      if: 'attribute_not_exists(#count) OR #count < :limit',
      values: { limit: rule.when?.perDay ?? 0 },
    })
    return store.write.update(sk, { add: { count: -1 }, if: 'attribute_exists(pk)' })
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined
    throw error
  }
}
