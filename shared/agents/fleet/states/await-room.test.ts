import { describe, expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { capacityDelay } from './await-room.ts'

describe('agents that a full cluster has rejected together', () => {
  const agents = Array.from({ length: 1000 }, () => newId('agt'))

  it.each([
    [1, 10],
    [3, 40],
    [6, 180],
    [50, 180],
  ])('wait between half and all of the maximum: attempt %i, %i s', (attempts, longest) => {
    const waits = agents.map((id) => capacityDelay(id, attempts))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(longest / 2)
    expect(Math.max(...waits)).toBeLessThanOrEqual(longest)
  })

  it('retry spread over that time, not all at once', () => {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (const id of agents) tenths[Math.min(9, Math.floor((capacityDelay(id, 9) - 90) / 9))]!++
    expect(Math.max(...tenths)).toBeLessThan(agents.length / 4)
  })
})
