import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { missedEvent } from '#shared/agents/record/watch/missed.ts'
import { settings } from '#tests/support/watchdog.ts'
import { settle } from './settle.ts'
import { agentWith, anyAgent, epoch as now } from './testing/agents.ts'

describe('settling', () => {
  it('a start of which nothing was heard ends in running, all at once', () => {
    const seen = agentWith({ status: 'running', taskArn: 'arn', taskStatus: 'RUNNING' })
    const { agent } = settle(seen, settings, now)
    expect(agent.watchdog).toMatchObject({ state: 'running', generation: 1, incidents: [] })
  })

  it('leaves nothing that is missed', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        expect(missedEvent(settle(agent, settings, now).agent)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('twice is the same as once', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const once = settle(agent, settings, now).agent
        const twice = settle(once, settings, now)
        expect(twice.agent).toBe(once)
        expect(twice.effects).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('starts nothing that is not to run', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const settled = settle({ ...agent, desired: 'stopped' }, settings, now)
        expect(settled.agent.generation).toBe(agent.generation)
        expect(settled.effects.map(({ type }) => type)).not.toContain('start-task')
      }),
      { numRuns: 1000 },
    )
  })

  it('takes nothing that was seen of a container for the next one’s', () => {
    const silence = { type: 'check-failed', cause: 'it did not answer' } as const
    let anew = 0
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const settled = settle(agent, settings, now)
        if (settled.agent.generation === agent.generation) return
        anew++
        expect(settle(agent, settings, now, silence)).toEqual(settled)
      }),
      { numRuns: 2000 },
    )
    expect(anew).toBeGreaterThan(10)
  })

  it('changes nothing of the row that it was given', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const before = structuredClone(agent)
        settle(agent, settings, now, { type: 'crashed', cause: 'exit' })
        expect(agent).toEqual(before)
      }),
    )
  })
})
