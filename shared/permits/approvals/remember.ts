import { isDeepStrictEqual } from 'node:util'
import { findAgent } from '#shared/agents/record/find.ts'
import { agentMark } from '#shared/agents/record/mark.ts'
import { amountOf, format } from '#shared/money/amounts/amount.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { type Effect, targetFields } from '../policy/effect.ts'
import { permit } from '../policy/permit.ts'
import { defaultPolicy, type Remembered } from '../policy/policy.ts'
import { presetOutcome } from '../policy/preset.ts'
import { readingsOf } from '../policy/readings.ts'
import { policyRows } from '../policy/rows.ts'
import { policyChange } from '../policy/schema.ts'
import type { Approval } from './approval.ts'
import type { ApprovalDecision } from './schema.ts'

type PolicyRow = ReturnType<typeof policyRows.parse>

const hourMs = 3_600_000

interface Remembering extends Pick<ApprovalDecision, 'decision'> {
  approval: Approval
  remember: 'hour' | 'always'
  /** Epoch milliseconds. */
  now: number
}

/**
 * Returns the parts that apply a decision to later effects with the same action and target: for an hour, or always by a
 * rule of the policy. A payment is remembered up to its amount. The parts are refused if the policy has changed.
 * @throws PlatformError 400 if the decision cannot be remembered
 */
export async function rememberParts(
  ctx: AuditContext,
  { approval, decision, remember, now }: Remembering,
): Promise<Parts> {
  const { userId, agentId } = approval
  const ids = { userId, agentId }
  const [agent, row] = await Promise.all([
    findAgent(ctx, { agentId, owner: userId }),
    policyRows.find(ctx.table, ids),
  ])
  if (agent === undefined) return {}
  const policy = row ?? { preset: defaultPolicy.preset, rules: [], revision: 0 }
  const remembered = (row?.remembered ?? []).filter(({ until }) => until > now)
  if (remember === 'hour' && decision === 'deny')
    throw new PlatformError('bad-request', 'remember: a denial can only be remembered always')
  const rules =
    remember === 'always'
      ? withRule(policy, approval, decision === 'approve' ? 'allow' : 'deny')
      : policy.rules
  const { error } = policyChange().safeParse({ preset: policy.preset, rules })
  if (error !== undefined)
    throw new PlatformError('bad-request', `remember: ${error.issues[0]?.message}`)
  if (remember === 'hour') remembered.push(forAnHour(approval, now))
  const seen = row?.revision
  return {
    policy: {
      put: policyRows.put(ids, {
        preset: policy.preset,
        rules,
        ...(remembered.length > 0 && { remembered }),
        revision: policy.revision + 1,
      }),
      ...(seen === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#revision = :seen', values: { seen } }),
    },
    ...(agent.hasPolicy !== true && { agent: agentMark(ctx.table, agent, 'hasPolicy', true) }),
    ...(remember === 'always' && {
      policyAudit: await audit(ctx, 'policy.changed', {
        userId,
        target: agentId,
        before: { preset: policy.preset, rules: policy.rules },
        after: { preset: policy.preset, rules },
      }),
    }),
  }
}

function forAnHour({ action, target, microUsd }: Approval, now: number): Remembered {
  return {
    action: effectOf({ action, target, microUsd }).action,
    target,
    ...(microUsd !== undefined && { maxMicroUsd: microUsd }),
    until: now + hourMs,
  }
}

/** Returns the effect of an approval. Attributes outside its target are not stored, so they are missing. */
function effectOf({
  action,
  target,
  microUsd = '0',
}: Pick<Approval, 'action' | 'target' | 'microUsd'>) {
  return { action, target, microUsd: BigInt(microUsd) } as unknown as Effect
}

/**
 * Inserts a rule for exactly this target before the first rule that asks or allows.
 * @throws PlatformError 400
 */
function withRule(
  { preset, rules }: Pick<PolicyRow, 'preset' | 'rules'>,
  approval: Approval,
  then: 'allow' | 'deny',
) {
  const effect = effectOf(approval)
  const rule: PolicyRow['rules'][number] = {
    action: effect.action,
    match: Object.fromEntries(
      targetFields[effect.action].map((field) => [field, exactPattern(effect, field)]),
    ),
    ...(approval.microUsd !== undefined &&
      then === 'allow' && {
        when: { maxUsd: format(amountOf('USD', BigInt(approval.microUsd))) },
      }),
    then,
  }
  const asking = rules.findIndex((one) => one.then !== 'deny' && matches(one, effect))
  const at = asking === -1 ? rules.length : asking
  if (then === 'allow' && mayBeDenied({ preset, rules }, effect, rules[at]))
    throw new PlatformError(
      'bad-request',
      'remember: the policy denies this request now or under other conditions; change the policy instead',
    )
  if (rules.some((one) => isDeepStrictEqual(one, rule))) return [...rules]
  return [...rules.slice(0, at), rule, ...rules.slice(at)]
}

/**
 * Returns whether the policy denies the effect at some time.
 * @param asking the first rule that does not deny and matches at some time
 */
function mayBeDenied(
  { preset, rules }: Pick<PolicyRow, 'preset' | 'rules'>,
  effect: Effect,
  asking: PolicyRow['rules'][number] | undefined,
): boolean {
  const { perDay, hours } = asking?.when ?? {}
  const isPresetReached = asking === undefined || (perDay ?? hours) !== undefined
  return (
    rules.some((one) => one.then === 'deny' && matches(one, effect)) ||
    (isPresetReached && presetOutcome(preset, effect) === 'deny')
  )
}

/** Returns whether a rule matches the effect at some time. */
function matches(rule: PolicyRow['rules'][number], effect: Effect): boolean {
  const { when: _, ...always } = rule
  return permit({ preset: 'open', rules: [always] }, effect, { now: 0 }).rule === 1
}

/** @throws PlatformError 400 if no pattern matches only this text */
function exactPattern(effect: Effect, field: string): string[] {
  const { exact } = readingsOf(effect, field)
  if (exact.length === 0 || exact.some((text) => text.includes('*')))
    throw new PlatformError('bad-request', `remember: no rule can name this ${field} exactly`)
  return [...exact]
}
