import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { missedEvent } from '#shared/agents/record/watch/missed-event.ts'
import { settings } from '#tests/support/agents/watchdog.ts'
import { settleWatchdog } from './settle.ts'
import { agentWith, anyAgent, epoch as now } from './testing/agents.ts'

describe('settling missed events', () => {
  it('moves a start without any event to running at once', () => {
    const observed = agentWith({ status: 'running', taskArn: 'arn', taskStatus: 'RUNNING' })
    const { agent } = settleWatchdog(observed, settings, now)
    expect(agent.watchdog).toMatchObject({ state: 'running', generation: 1, incidents: [] })
  })

  it('leaves no missed event', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        expect(missedEvent(settleWatchdog(agent, settings, now).agent)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('twice has the same result as once', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const once = settleWatchdog(agent, settings, now).agent
        const twice = settleWatchdog(once, settings, now)
        expect(twice.agent).toBe(once)
        expect(twice.effects).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('starts no agent that should not run', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const settled = settleWatchdog({ ...agent, desired: 'stopped' }, settings, now)
        expect(settled.agent.generation).toBe(agent.generation)
        expect(settled.effects.map(({ type }) => type)).not.toContain('start-task')
      }),
      { numRuns: 1000 },
    )
  })

  it('applies no event of a container to the next one', () => {
    const silence = { type: 'check-failed', cause: 'it did not answer' } as const
    let anew = 0
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const settled = settleWatchdog(agent, settings, now)
        if (settled.agent.generation === agent.generation) return
        anew++
        expect(settleWatchdog(agent, settings, now, silence)).toEqual(settled)
      }),
      { numRuns: 2000 },
    )
    expect(anew).toBeGreaterThan(10)
  })

  it('does not modify its input row', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const before = structuredClone(agent)
        settleWatchdog(agent, settings, now, { type: 'crashed', cause: 'exit' })
        expect(agent).toEqual(before)
      }),
    )
  })
})
