import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Item } from '#shared/platform/table/port.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, quotaOf, hello } from '#tests/support/ai/gateway.ts'
import { model, readStream, stepMs, useStreams } from '#tests/support/ai/streams.ts'
import { type Behaviour, delta, says, sendStream, usage } from '#tests/support/ai/upstream.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { passTime } from '#tests/support/clock/time.ts'

const { on, caller, stream } = useStreams()

afterEach(() => void vi.restoreAllMocks())

describe('a streamed completion', () => {
  describe.each(['by its connection', 'by its body'])('whose reader disconnects %s', (way) => {
    const max = 500

    /** Reads the first chunk and disconnects. The model continues. Returns the recorded event. */
    async function leave(events: object[], goOn: Behaviour) {
      const disconnected = Promise.withResolvers<void>()
      on.upstream.serve(model, async (response, asked) => {
        await sendStream(response, events, { end: false })
        await disconnected.promise
        await goOn(response, asked)
      })
      const gone = new AbortController()
      const body = { ...hello, model, stream: true, max_tokens: max }
      const headers = { 'x-user-id': caller.user }
      const response = await on.gateway.chat(body, { headers, signal: gone.signal })
      const reader = response.body?.getReader()
      // The last chunk is held until the call is recorded.
      await reader?.read()
      const cancelled = way === 'by its body' ? reader?.cancel() : gone.abort()
      disconnected.resolve()
      let event: Item | undefined
      await passTime(
        () => event === undefined,
        10,
        () => void eventsOf(on.table, caller.user).then(([found]) => (event = found)),
      )
      await cancelled
      const used = Number(event?.inputTokens) + Number(event?.outputTokens)
      expect(await quotaOf(on.table, caller.user)).toMatchObject({ used, committed: used })
      return event
    }

    const first = delta({ content: 'one two three' })
    const write = (...events: object[]): Behaviour => {
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
      return (response) => void response.end(`${text}data: [DONE]\n\n`)
    }

    it('a stream that is left in the middle is read to its end, and settled with the provider’s count', async () => {
      const rest = write(delta({}, 'stop'), { choices: [], usage: usage(90, 450) })
      expect(await leave([first], rest)).toMatchObject({
        inputTokens: 90,
        outputTokens: 450,
        estimated: false,
        success: true,
      })
    })

    it('a stream that is left after its last word is read until the count arrives', async () => {
      const rest = write({ choices: [], usage: usage(90, 450) })
      const event = await leave([first, delta({}, 'stop')], rest)
      expect(event).toMatchObject({ inputTokens: 90, outputTokens: 450, estimated: false })
    })

    it('is cancelled after ten seconds if it does not end, and settled with the tokens seen so far', async () => {
      let words = 0
      const event = await leave([first], (response) =>
        passTime(
          () => !response.destroyed,
          50 * stepMs,
          () => {
            words++
            response.write(`data: ${JSON.stringify({ ...first, usage: usage(9, words) })}\n\n`)
          },
        ),
      )
      expect(event).toMatchObject({ estimated: true, success: false })
      expect(words - Number(event?.outputTokens)).toBeLessThanOrEqual(1)
      await on.upstream.asked[0]?.abandoned
    })

    it('is settled with the tokens seen so far if the model breaks off', async () => {
      const event = await leave([first], (response) => void response.destroy())
      expect(event).toMatchObject({ success: false, estimated: true })
      expect(event?.outputTokens).toBeGreaterThan(2)
      expect(event?.outputTokens).toBeLessThan(max)
    })
  })

  it.each([
    ['an agent that stops its answer', true],
    ['an agent that stops before the first word', false],
  ])(
    'a streamed completion of %s ends at once, and costs the prompt and the tokens so far',
    async (_, began) => {
      const agent = await agentCaller(on.table, solo)
      on.upstream.serve(model, (response) =>
        sendStream(response, began ? [delta({ content: 'one two three' })] : [], { end: false }),
      )
      const gone = new AbortController()
      const body = { ...hello, model, stream: true, max_tokens: 100_000 }
      const pending = on.gateway.chat(body, { headers: agent.headers, signal: gone.signal })
      if (began) await (await pending).body?.getReader().read()
      else await eventually(() => expect(on.upstream.asked).toHaveLength(1))
      gone.abort()
      await pending
      await on.upstream.asked[0]?.abandoned
      const event = await eventually(async () => {
        const [found] = await eventsOf(on.table, agent.userId ?? '')
        expect(found).toBeDefined()
        return found
      })
      expect(event).toMatchObject({ estimated: true, success: false })
      expect(Number(event?.inputTokens)).toBeGreaterThan(0)
      expect(event?.outputTokens).toBe(began ? 5 : 0)
      const used = Number(event?.inputTokens) + Number(event?.outputTokens)
      expect(await quotaOf(on.table, agent.userId ?? '')).toMatchObject({ used, committed: used })
    },
  )

  it.each([
    ['/v1', 'chat', { error: { type: 'authentication_error', code: null } }],
    ['/api/ai/chat', 'aiChat', { error: 'Unauthorized' }],
  ] as const)(
    'a streamed completion through %s ends with an error once its user’s key is deleted, and costs the tokens so far',
    async (_, path, refused) => {
      const holder = await keyHolder(on.table, solo)
      const goOn = Promise.withResolvers<void>()
      on.upstream.serve(model, async (response) => {
        await sendStream(response, [delta({ content: 'one two three' })], { end: false })
        await goOn.promise
        const rest = [
          delta({ content: ' four' }),
          delta({ content: ' five' }, 'stop'),
          { choices: [], usage: usage(90, 450) },
        ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
        response.end(`${rest.join('')}data: [DONE]\n\n`)
      })
      const body = { ...hello, model, stream: true, max_tokens: 500 }
      const headers = { ...holder.headers, 'x-user-id': undefined }
      const response = await on.gateway[path](body, { headers })
      expect(response.status).toBe(200)
      const reader = response.body!.getReader()
      await reader.read()
      reader.releaseLock()
      await holder.remove()
      const later = Date.now() + 21_000
      vi.spyOn(Date, 'now').mockImplementation(() => later)
      goOn.resolve()
      const { events } = await readStream(response)
      expect(events).toHaveLength(1)
      expect(events[0]?.event).toBe('error')
      expect(JSON.parse(events[0]?.data ?? '')).toMatchObject(refused)
      const [event] = await eventsOf(on.table, holder.userId)
      expect(event).toMatchObject({ inputTokens: 90, outputTokens: 450, estimated: false })
      expect(await quotaOf(on.table, holder.userId)).toMatchObject({ used: 540, committed: 540 })
    },
  )

  it('a streamed completion or a whole answer is awaited without a caller for at most ten seconds', async () => {
    on.upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      return passTime(
        () => !response.destroyed,
        50 * stepMs,
        () => response.write(' '),
      )
    })
    const gone = new AbortController()
    const headers = { 'x-user-id': caller.user }
    const pending = on.gateway.chat(
      { ...hello, model, max_tokens: 500 },
      { headers, signal: gone.signal },
    )
    await eventually(() => expect(on.upstream.asked).toHaveLength(1))
    gone.abort()
    let status = 0
    void pending.then((answer) => (status = answer.status))
    await passTime(() => status === 0, stepMs)
    expect(status).toBe(400)
    const [event] = await eventsOf(on.table, caller.user)
    expect(event).toMatchObject({ outputTokens: 0, success: false, estimated: true })
  })

  it('a streamed completion whose reader stalls is settled, and is marked as incomplete', async () => {
    on.upstream.serve(model, says('never mind', usage(90, 450)))
    const response = await stream()
    const reader = response.body?.getReader()
    await reader?.read()
    let settled = false
    await passTime(
      () => !settled,
      10_000,
      () => {
        void eventsOf(on.table, caller.user).then(([event]) => (settled = event !== undefined))
      },
    )
    expect(await eventsOf(on.table, caller.user)).toEqual([
      expect.objectContaining({ inputTokens: 90, outputTokens: 450 }),
    ])
    let rest = ''
    for (;;) {
      const next = await reader?.read()
      if (next === undefined || next.done) break
      rest += Buffer.from(next.value as Uint8Array).toString()
    }
    expect(rest).toContain('event: error')
    expect(rest).not.toContain('[DONE]')
  })
})
