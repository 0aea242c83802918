import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { policyMark } from '#shared/agents/record/has-policy.ts'
import { amountOf, format } from '#shared/money/amounts/amount.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Part } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Decision, type Effect, targetFields } from './effect.ts'
import { permit } from './permit.ts'
import { defaultPolicy, type Policy, type Remembered, type Rule, type When } from './policy.ts'
import { readingsOf } from './readings.ts'
import { policyRows } from './rows.ts'
import { policyChange } from './schema.ts'

const hourMs = 3_600_000

/** The largest number of approvals that an agent's policy remembers for an hour. The oldest ones end first. */
const maxRemembered = 100

interface Remembering {
  agent: Pick<Agent, 'id' | 'userId'>
  /** An effect that a person approved. */
  effect: Effect
  how: 'hour' | 'always'
  /** Epoch milliseconds. */
  now: number
}

/**
 * Returns the writes that make an approval hold for the same effect later, for the transaction of the decision: for an
 * hour, or as a rule before the one that asked. If `policy` is refused, the policy has changed: the caller calls this
 * again.
 * @returns undefined if the policy does not ask for the effect any more: a denial is never replaced
 * @throws PlatformError 409 REMEMBER_REFUSED if a rule cannot say the same as the approval
 */
export async function rememberParts(
  ctx: AuditContext,
  { agent, effect, how, now }: Remembering,
): Promise<Record<'policy' | 'policyMark' | 'policyAudit', Part | undefined> | undefined> {
  const { table } = ctx
  const userId = ownerOf(agent)
  const row = await policyRows.find(table, { userId, agentId: agent.id })
  const before: Policy = row ?? defaultPolicy
  const decision = permit(before, effect, { now })
  if (decision.then !== 'ask') return undefined
  const remembered = (row?.remembered ?? []).filter(({ until }) => until > now)
  const rules = how === 'always' ? withRule(before, effect, decision) : before.rules
  const after = { preset: before.preset, rules }
  const write = userStore(table, userId).write.put(
    policyRows.sk({ agentId: agent.id }),
    policyRows.attributes({
      ...after,
      remembered:
        how === 'always'
          ? remembered
          : [...remembered, forAnHour(effect, now)].slice(-maxRemembered),
      revision: (row?.revision ?? 0) + 1,
    }),
    row === undefined
      ? absent()
      : { if: '#revision = :revision', values: { revision: row.revision } },
  )
  return {
    policy: write,
    policyMark: policyMark(table, agent, true),
    policyAudit:
      how === 'always'
        ? await audit(ctx, 'policy.changed', {
            userId,
            target: agent.id,
            before: { preset: before.preset, rules: before.rules },
            after,
          })
        : undefined,
  }
}

function forAnHour(effect: Effect, now: number): Remembered {
  return {
    action: effect.action,
    target: { ...effect.target },
    ...(effect.action === 'payment.send' && { maxMicroUsd: String(effect.microUsd) }),
    until: now + hourMs,
  }
}

/** Returns the rules with one that allows the effect where the rule that asks is, under the same conditions. */
function withRule({ preset, rules }: Policy, effect: Effect, { rule: decider }: Decision): Rule[] {
  const at = typeof decider === 'number' ? decider - 1 : rules.length
  const { perDay, hours } = rules[at]?.when ?? {}
  if (perDay !== undefined)
    throw refused('the rule that asked counts its uses, so an approval cannot replace it')
  const changed = [...rules.slice(0, at), ruleFor(effect, hours), ...rules.slice(at)]
  const parsed = policyChange().safeParse({ preset, rules: changed })
  if (!parsed.success) throw refused('the policy is full, or a rule cannot name the target')
  return parsed.data.rules
}

function ruleFor(effect: Effect, hours: When['hours']): Rule {
  const { action } = effect
  const fields = targetFields[action].map((field) => [field, readingsOf(effect, field).exact])
  const match = Object.fromEntries(
    (fields as [string, string[]][]).map(([field, [text = '', ...others]]) => {
      if (text === '' || text.includes('*') || others.length > 0)
        throw refused(`a rule cannot name its ${field} exactly`)
      return [field, text]
    }),
  )
  const when = {
    ...(effect.action === 'payment.send' && { maxUsd: format(amountOf('USD', effect.microUsd)) }),
    ...(hours !== undefined && { hours }),
  }
  return { action, match, ...(Object.keys(when).length > 0 && { when }), then: 'allow' }
}

function refused(reason: string): PlatformError {
  return new PlatformError('conflict', `The approval cannot become a rule: ${reason}`, {
    code: 'REMEMBER_REFUSED',
  })
}
