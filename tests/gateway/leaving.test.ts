import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { delta, says, sendStream, usage } from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'

const model = 'openai/gpt-4o'
const messages = [{ role: 'user' as const, content: 'hello' }]

// Longer than any test: no call here ends by a timeout.
const on = useAiFunction({ AI_MODEL_TIMEOUT_MS: '120000' }, 'solo')

/** Returns the only event of a call that its caller left, with exactly its tokens. */
const recorded = () =>
  eventually(async () => {
    const [event, ...more] = await on.caller.events()
    expect(more).toEqual([])
    expect(event).toMatchObject({ model, success: false, estimated: true })
    const used = Number(event?.inputTokens) + Number(event?.outputTokens)
    expect(await on.caller.quota()).toMatchObject({ used, committed: used })
    return event
  })

const asked = () => eventually(() => expect(on.upstream.asked).toHaveLength(1))

describe('a client that disconnects', () => {
  it('a client that disconnects while it waits: the model is read to its end, and its cost is settled', async () => {
    const answer = Promise.withResolvers<void>()
    on.upstream.serve(model, async (response, entry) => {
      await answer.promise
      return says('all of it', usage(900, 700))(response, entry)
    })
    const gone = new AbortController()
    const call = on.caller.openai.chat.completions.create(
      { model, messages },
      { signal: gone.signal },
    )
    const failure = call.catch((thrown: unknown) => thrown)
    await asked()
    gone.abort()
    expect(await failure).toBeInstanceOf(OpenAI.APIUserAbortError)
    // A request after the disconnect is answered after the gateway has seen the disconnect.
    await on.caller.openai.models.list()
    answer.resolve()
    await eventually(async () => {
      expect(await on.caller.events()).toMatchObject([
        { model, inputTokens: 900, outputTokens: 700, estimated: false },
      ])
      expect(await on.caller.quota()).toMatchObject({ used: 1600, committed: 1600 })
    })
    expect(on.upstream.asked).toHaveLength(1)
  })

  it('a client that disconnects in the middle of a stream: the same, for the tokens so far', async () => {
    on.upstream.serve(model, (response) =>
      sendStream(response, [delta({ content: 'some of the answer' })], { end: false }),
    )
    const stream = await on.caller.openai.chat.completions.create({ model, messages, stream: true })
    for await (const { choices } of stream) {
      expect(choices[0]?.delta.content).toBe('some of the answer')
      break
    }
    await on.upstream.asked[0]?.abandoned
    expect(Number((await recorded())?.outputTokens)).toBeGreaterThan(2)
  })

  it('is not an error: no log line reports a failure', async () => {
    expect(on.gateway.lines().filter((line) => /"level":"error"|failed:/.test(line))).toEqual([])
  })
})

describe('many calls', () => {
  const call = () => on.caller.openai.chat.completions.create({ model, messages })
  const times = async (count: number, run: () => Promise<unknown>) => {
    for (let i = 0; i < count; i++) await run()
  }

  it('one after the other use one connection', async () => {
    on.upstream.serve(model, says('ok', usage(1, 1)))
    const before = on.upstream.connections.ever
    await times(20, call)
    expect(on.upstream.connections.ever - before).toBeLessThanOrEqual(1)
  })

  it('many calls with any kind of error leave no connection and no listener behind', async () => {
    const leave = async () => {
      const stream = await on.caller.openai.chat.completions.create({
        model,
        messages,
        stream: true,
      })
      for await (const _ of stream) break
    }
    on.upstream.serve('openai/gpt-4o-mini', says('instead', usage(1, 1)))
    on.upstream.serve(model, (response) => void response.socket?.resetAndDestroy())
    await times(15, call)
    on.upstream.serve(model, (response) => sendStream(response, [delta({})], { end: false }))
    await times(15, leave)
    await eventually(() => expect(on.upstream.connections.open).toBeLessThanOrEqual(1))
    expect(on.gateway.lines().filter((line) => line.includes('MaxListeners'))).toEqual([])
  })
})
