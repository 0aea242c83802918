import { describe, expect, it } from 'vitest'
import { respondThen } from './respond-then.ts'

/** Creates a response with a follow-up that the test controls. */
function started() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let times = 0
  const answer = respondThen({ a: 'ä' }, () => {
    times++
    return promise
  })
  return { answer, resolve, times: () => times }
}

describe('a response with work after it', () => {
  it('is a JSON response of its length', async () => {
    const { answer, resolve } = started()
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'application/json',
      'content-length': '10',
    })
    expect(answer.bodyUsed).toBe(false)
    resolve()
    expect(await answer.text()).toBe('{"a":"ä"}')
  })

  it('sends its bytes before the work starts, and ends after it', async () => {
    const { answer, resolve, times } = started()
    const reader = answer.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toBe('{"a":"ä"}')
    expect(times()).toBe(0)
    let ended = false
    const end = reader?.read().then(({ done }) => (ended = done))
    expect(times()).toBe(1)
    await Promise.resolve()
    expect(ended).toBe(false)
    resolve()
    await end
    expect(ended).toBe(true)
  })

  it.each([0, 1])('waits for the work if its reader disconnects after %i reads', async (reads) => {
    const { answer, resolve, times } = started()
    const reader = answer.body?.getReader()
    for (let read = 0; read < reads; read++) await reader?.read()
    let isOver = false
    const pending = reader?.cancel().then(() => (isOver = true))
    await Promise.resolve()
    expect([times(), isOver]).toEqual([1, false])
    resolve()
    await pending
    expect(times()).toBe(1)
  })

  it('does the work once, for any number of reads', async () => {
    const { answer, resolve, times } = started()
    resolve()
    const copy = answer.clone()
    expect(await answer.json()).toEqual({ a: 'ä' })
    expect(await copy.text()).toBe('{"a":"ä"}')
    expect(times()).toBe(1)
  })
})
