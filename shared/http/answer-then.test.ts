import { describe, expect, it } from 'vitest'
import { answerThen } from './answer-then.ts'

/** An answer with what follows it in the test's hand. */
function started() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let times = 0
  const answer = answerThen({ a: 'ä' }, () => {
    times++
    return promise
  })
  return { answer, resolve, times: () => times }
}

describe('an answer with something to follow', () => {
  it('is a JSON answer of its length', () => {
    const { answer } = started()
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'application/json',
      'content-length': '10',
    })
    expect(Buffer.from(answer.whole).toString()).toBe('{"a":"ä"}')
    expect(answer.bodyUsed).toBe(false)
  })

  it('gives its bytes before what follows is done, and ends after that', async () => {
    const { answer, resolve, times } = started()
    const reader = answer.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(value).toEqual(answer.whole)
    expect(times()).toBe(1)
    let ended = false
    const end = reader?.read().then(({ done }) => (ended = done))
    await Promise.resolve()
    expect(ended).toBe(false)
    resolve()
    await end
    expect(ended).toBe(true)
  })

  it('waits for what follows where its reader leaves', async () => {
    const { answer, resolve, times } = started()
    const left = answer.body?.cancel()
    resolve()
    await left
    expect(times()).toBe(1)
  })

  it('follows once, however often it is read', async () => {
    const { answer, resolve, times } = started()
    resolve()
    const copy = answer.clone()
    expect(await answer.json()).toEqual({ a: 'ä' })
    expect(await copy.text()).toBe('{"a":"ä"}')
    await answer.follow()
    expect(times()).toBe(1)
  })
})
