import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

it('passes each permit to the work that has waited longest', async () => {
  const semaphore = new Semaphore(2)
  const [first, second] = [await semaphore.acquire(0), await semaphore.acquire(0)]
  const order: string[] = []
  const third = semaphore.acquire(10_000).then((permit) => (order.push('third'), permit))
  const fourth = semaphore.acquire(10_000).then((permit) => (order.push('fourth'), permit))
  first?.[Symbol.dispose]()
  ;(await third)?.[Symbol.dispose]()
  ;(await fourth)?.[Symbol.dispose]()
  second?.[Symbol.dispose]()
  expect(order).toEqual(['third', 'fourth'])
  expect([await semaphore.acquire(0), await semaphore.acquire(0)]).not.toContain(undefined)
})

it('rejects work that waits too long, and loses no permit', async () => {
  const semaphore = new Semaphore(1)
  const reservation = await semaphore.acquire(0)
  expect(await semaphore.acquire(1)).toBeUndefined()
  reservation?.[Symbol.dispose]()
  expect(await semaphore.acquire(0)).toBeDefined()
})
