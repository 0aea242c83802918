import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { agentRows } from '../rows.ts'
import { platformsImage } from './platforms.ts'

const now = 'registry.example/agent:1'
const next = 'registry.example/agent:2'
const percents = fc.integer({ min: 0, max: 100 })

const imageAt = (percent: number, id: string, image = next) =>
  platformsImage(
    { AGENT_IMAGE: now, AGENT_IMAGE_NEXT: image, AGENT_IMAGE_NEXT_PERCENT: percent },
    id,
  )

/** Returns a seed that is the same in each run, and as random as an id. */
const seedOf = (i: number) => createHash('sha256').update(String(i)).digest('hex').slice(0, 26)
const agents = Array.from({ length: 10_000 }, (_, i) => newId(agentRows.id, seedOf(i)))
const shareOf = (percent: number, image = next) =>
  agents.filter((id) => imageAt(percent, id, image) === image)

it('an agent’s image is the current one while there is no next image', () => {
  const config = { AGENT_IMAGE: now, AGENT_IMAGE_NEXT: undefined, AGENT_IMAGE_NEXT_PERCENT: 100 }
  expect(agents.filter((id) => platformsImage(config, id) !== now)).toEqual([])
})

it('an agent’s image is the next one for about the configured share of agents, for no agent at 0 and for all at 100', () => {
  expect(shareOf(0)).toHaveLength(0)
  expect(shareOf(100)).toHaveLength(agents.length)
  for (const percent of [1, 10, 50, 90]) {
    const wanted = (agents.length * percent) / 100
    expect(Math.abs(shareOf(percent).length - wanted)).toBeLessThan(300)
  }
})

it('an agent’s image stays the next one when the share grows', () => {
  fc.assert(
    fc.property(fc.constantFrom(...agents), percents, percents, (id, some, others) => {
      const [less, more] = [Math.min(some, others), Math.max(some, others)]
      return imageAt(less, id) === now || imageAt(more, id) === next
    }),
  )
})

it('selects other agents first for the following image', () => {
  const first = new Set(shareOf(10))
  const again = shareOf(10, 'registry.example/agent:3').filter((id) => first.has(id))
  expect(again.length).toBeLessThan(first.size / 2)
})
