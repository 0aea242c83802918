import { expect, it } from 'vitest'
import { withoutConflicts } from './conflict.ts'
import { TransactionFailed } from './port.ts'

const cancelled = (code: string) =>
  new TransactionFailed([undefined, { code, item: undefined }], undefined)

/** A write that fails `times` times before it succeeds. */
function failing(times: number, error: Error) {
  let calls = 0
  return {
    calls: () => calls,
    write: async () => {
      if (++calls <= times) throw error
      return 'written'
    },
  }
}

it('retries after conflicts with other transactions', async () => {
  const two = failing(2, cancelled('TransactionConflict'))
  expect(await withoutConflicts(two.write)).toBe('written')
  const single = Object.assign(new Error('conflict'), { name: 'TransactionConflictException' })
  expect(await withoutConflicts(failing(1, single).write)).toBe('written')
})

it('gives up in the end, with a retryable error', async () => {
  const conflict = cancelled('TransactionConflict')
  const always = failing(Infinity, conflict)
  await expect(withoutConflicts(always.write)).rejects.toMatchObject({
    kind: 'unavailable',
    headers: { 'Retry-After': '1' },
    cause: conflict,
  })
  expect(always.calls()).toBe(8)
})

it('passes every other failure to its caller', async () => {
  const refused = failing(1, cancelled('ConditionalCheckFailed'))
  await expect(withoutConflicts(refused.write)).rejects.toThrow('ConditionalCheckFailed')
  expect(refused.calls()).toBe(1)
})
