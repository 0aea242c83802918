import { expect, test } from 'vitest'
import { RevisionFence } from './revision-fence.ts'

test('applies one change after the other, regardless of duration', async () => {
  const fence = new RevisionFence()
  const done: string[] = []
  const slow = Promise.withResolvers<void>()
  const first = fence.change('a', 1, async () => {
    await slow.promise
    done.push('first')
  })
  const second = fence.change('a', 2, async () => void done.push('second'))
  const third = fence.changeAll(3, async () => void done.push('third'))
  slow.resolve()
  await Promise.all([first, second, third])
  expect(done).toEqual(['first', 'second', 'third'])
})

test('continues after a failed change, which may be retried', async () => {
  const fence = new RevisionFence()
  const fail = async (): Promise<string> => {
    throw new Error('the disk is full')
  }
  await expect(fence.change('a', 1, fail)).rejects.toThrow('the disk is full')
  await expect(fence.changeAll(2, fail)).rejects.toThrow('the disk is full')
  expect(await fence.change('a', 1, async () => 'done')).toBe('done')
  expect(await fence.changeAll(2, async () => 'done')).toBe('done')
  expect(await fence.changeAll(2, async () => 'again')).toBeUndefined()
})
