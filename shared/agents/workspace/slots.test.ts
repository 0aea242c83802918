import { expect, it } from 'vitest'
import { Slots } from './slots.ts'

it('hands each place on to whoever waits longest', async () => {
  const slots = new Slots(2)
  const [first, second] = [await slots.take(0), await slots.take(0)]
  const order: string[] = []
  const third = slots.take(10_000).then((slot) => (order.push('third'), slot))
  const fourth = slots.take(10_000).then((slot) => (order.push('fourth'), slot))
  first?.[Symbol.dispose]()
  ;(await third)?.[Symbol.dispose]()
  ;(await fourth)?.[Symbol.dispose]()
  second?.[Symbol.dispose]()
  expect(order).toEqual(['third', 'fourth'])
  expect([await slots.take(0), await slots.take(0)]).not.toContain(undefined)
})

it('leaves without one whoever waits too long, and loses no place by it', async () => {
  const slots = new Slots(1)
  const held = await slots.take(0)
  expect(await slots.take(1)).toBeUndefined()
  held?.[Symbol.dispose]()
  expect(await slots.take(0)).toBeDefined()
})
