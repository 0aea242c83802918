import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planNames } from '#shared/money/plans/plans.ts'
import { subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'
import { agentLimit, channelAgentLimit } from '#shared/money/plans/tiers.ts'
import { paidAccessOf, entitledChanges } from './paid-access.ts'

type Subject = Parameters<typeof entitledChanges>[1][number]

const running = (id: number, more: Partial<Subject> = {}): Subject => ({
  id: `agt_${String(id).padStart(4, '0')}`,
  desired: 'running',
  ...more,
})

const payer = (plan: string, status: string, isAdmin = false) => ({
  plan,
  subscription: { status },
  isAdmin,
})

const ids = (agents: readonly Subject[]) => agents.map(({ id }) => Number(id.slice(4)))

describe('paid access', () => {
  it.each([
    ['solo', 'active', 'open'],
    ['solo', 'trialing', 'open'],
    ['solo', 'past_due', 'late'],
    ['solo', 'canceled', 'over'],
    ['solo', 'inactive', 'over'],
    ['free', 'inactive', 'none'],
    ['free', 'active', 'open'],
  ])('paid access of %s, %s, is %s', (plan, status, access) => {
    expect(paidAccessOf(payer(plan, status))).toBe(access)
  })

  it.each(subscriptionStatuses)('paid access of an admin is granted: %s', (status) => {
    expect(paidAccessOf(payer('free', status, true))).toBe('open')
  })
})

describe('among the agents of a user', () => {
  const five = [5, 3, 1, 4, 2].map((id) => running(id))

  it('the newest ones above the plan’s limit stop', () => {
    expect(ids(entitledChanges(payer('solo', 'active'), five).stop).sort()).toEqual([4, 5])
    expect(ids(entitledChanges(payer('solo', 'past_due'), five).stop).sort()).toEqual([4, 5])
    expect(entitledChanges(payer('collective', 'active'), five).stop).toEqual([])
  })

  it('all stop once the plan is no longer paid, and keep running if there never was a plan', () => {
    expect(entitledChanges(payer('network', 'canceled'), five).stop).toHaveLength(5)
    expect(entitledChanges(payer('free', 'inactive'), five)).toEqual({ stop: [], start: [] })
  })

  it('agents with chat services are limited separately', () => {
    const onChannels = five.map((agent) => ({ ...agent, secrets: { telegramToken: 'sealed' } }))
    expect(entitledChanges(payer('label', 'active'), onChannels).stop).toEqual([])
    expect(entitledChanges(payer('label', 'active'), five).stop).toHaveLength(4)
  })

  it('agents that are stopped, deleted or started by an operator are unchanged, unlike sleeping ones', () => {
    const agents = [
      running(1, { desired: 'stopped' }),
      running(2, { deleting: true }),
      running(3, { startedByOperator: true }),
      running(4, { desired: 'stopped', asleep: true }),
    ]
    expect(ids(entitledChanges(payer('solo', 'canceled'), agents).stop)).toEqual([4])
  })

  it('lapsed agents start again up to the limit, once the plan is paid', () => {
    const lapsed = five.map(({ id }) => ({
      id,
      desired: 'stopped' as const,
      lapsedAt: '2026-01-01T00:00:00.000Z',
    }))
    const changes = (status: string) => entitledChanges(payer('solo', status), lapsed)
    expect(ids(changes('trialing').start).sort()).toEqual([1, 2, 3])
    for (const status of ['past_due', 'canceled', 'inactive'])
      expect(changes(status)).toEqual({ stop: [], start: [] })
  })

  const anyUser = fc
    .tuple(
      fc.constantFrom('free', ...planNames),
      fc.constantFrom(...subscriptionStatuses),
      fc.boolean(),
    )
    .map(([plan, status, isAdmin]) => payer(plan, status, isAdmin))

  const anyAgents = fc
    .array(
      fc.record(
        {
          desired: fc.constantFrom('running' as const, 'stopped' as const),
          lapsedAt: fc.constant('2026-01-01T00:00:00.000Z'),
          deleting: fc.constant(true as const),
          secrets: fc.constant({ telegramToken: 'sealed' }),
        },
        { requiredKeys: ['desired'] },
      ),
      { maxLength: 15 },
    )
    .map((agents) =>
      agents.map(({ lapsedAt, ...agent }, i) =>
        running(i, { ...agent, ...(agent.desired === 'stopped' && { lapsedAt }) }),
      ),
    )

  it('among the agents of a user, at most the plan’s limit run, no older one stops for a newer, and a second evaluation changes nothing', () => {
    fc.assert(
      fc.property(anyUser, anyAgents, (user, agents) => {
        const { stop, start } = entitledChanges(user, agents)
        const after = agents.map((agent) => {
          if (stop.includes(agent))
            return { ...agent, desired: 'stopped' as const, lapsedAt: '2026-02-01T00:00:00.000Z' }
          if (start.includes(agent))
            return { ...agent, desired: 'running' as const, lapsedAt: undefined }
          return agent
        })
        expect(entitledChanges(user, after)).toEqual({ stop: [], start: [] })
        if (paidAccessOf(user) === 'none') return
        const run = after.filter(({ desired, deleting }) => desired === 'running' && !deleting)
        const limit = Math.max(agentLimit(user), channelAgentLimit(user))
        expect(run.length).toBeLessThanOrEqual(paidAccessOf(user) === 'over' ? 0 : limit)
        const alike = (one: Subject, other: Subject) =>
          Boolean(one.secrets) === Boolean(other.secrets)
        for (const older of stop)
          for (const newer of run) if (alike(older, newer)) expect(newer.id < older.id).toBe(true)
      }),
    )
  })
})
