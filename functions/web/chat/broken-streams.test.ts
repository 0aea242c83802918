import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { allEvents, readEvents } from '#tests/support/http/event-stream.ts'
import { until } from '../../../agent/gateway/testing/gateway.ts'
import {
  beginStream,
  endStream,
  flush,
  say,
  sayChunk,
} from '../../../agent/gateway/testing/upstream.ts'

const on = usePlayedAgent()
const stepMs = 600

describe('an endless stream', () => {
  /** Sends one event over and over, as fast as it is read. */
  function flood(response: ServerResponse, first: string, piece: string): void {
    beginStream(response)
    response.write(first)
    const pump = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', pump)
    }
    pump()
  }

  it.each([
    ['an event', 'data: ', 'x'.repeat(1_048_576)],
    ['comments', ':\n', ': and so on\n\n'.repeat(50_000)],
    ['events without content', '', 'data: {}\n\n'.repeat(50_000)],
    [
      'a reply',
      '',
      `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(500_000) } }] })}\n\n`,
    ],
  ])('is not buffered: %s', async (_, first, piece) => {
    on.gateway.reply = (response) => flood(response, first, piece)
    expect(await (await on.send({ stream: true })).text()).toContain('"code":"AGENT_FAILED"')
  })
})

describe('an interrupted stream', () => {
  it.each([
    ['is reset', (response: ServerResponse) => response.destroy(), 'AGENT_UNREACHABLE'],
    ['ends early', (response: ServerResponse) => response.end(), 'AGENT_UNREACHABLE'],
    [
      'sends no more data',
      (response: ServerResponse) => passTime(() => !response.destroyed, stepMs),
      'AGENT_TIMEOUT',
    ],
    [
      'reports an error',
      (response: ServerResponse) =>
        response.end('event: error\ndata: {"error":{"message":"Cut","code":"upstream_cut"}}\n\n'),
      'upstream_cut',
    ],
    [
      'becomes invalid',
      (response: ServerResponse) => response.write('data: {\n\n'),
      'AGENT_FAILED',
    ],
  ])(
    'an interrupted stream that %s ends with an error event, and its text is stored',
    async (name, end, code) => {
      ownTimeouts()
      on.gateway.reply = async (response) => {
        beginStream(response)
        sayChunk(response, `Half of ${name}`)
        await flush(response, ':\n\n')
        await end(response)
      }
      const events = await allEvents(await on.send({ stream: true }))
      expect(events).toEqual([
        {
          event: 'delta',
          id: expect.stringMatching(/^msg_.*:1$/),
          data: { content: `Half of ${name}` },
        },
        {
          event: 'error',
          id: expect.stringMatching(/^msg_.*:2$/),
          data: { error: expect.any(String), code },
        },
      ])
      expect(await on.last()).toMatchObject({
        sender: 'agent',
        content: `Half of ${name}`,
        truncated: true,
      })
    },
  )
})

describe('a reader that disconnects', () => {
  it('does not end a streamed turn: the agent is asked once, and the stored turn can be resumed', async () => {
    const rest = Promise.withResolvers<void>()
    on.gateway.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'As I was ')
      await rest.promise
      sayChunk(response, 'saying')
      endStream(response)
    }
    const answer = await on.send({ stream: true })
    const id = answer.headers.get('x-message-id') ?? ''
    expect(id).toMatch(/^msg_/)
    const first = readEvents(answer)
    expect((await first.next()).value).toEqual({
      event: 'delta',
      id: `${id}:1`,
      data: { content: 'As I was ' },
    })
    // The reader leaves immediately and does not wait until the turn ends, although the function lives until then.
    const pending = first.return(undefined)
    const again = await on.follow(id)
    expect(again.headers.get('x-message-id')).toBe(id)
    const events = readEvents(again)
    expect((await events.next()).value).toMatchObject({ data: { content: 'As I was ' } })
    const later = on.follow(id, `${id}:1`)
    rest.resolve()
    expect((await events.next()).value).toMatchObject({
      id: `${id}:2`,
      data: { content: 'saying' },
    })
    const done = {
      event: 'done',
      id: `${id}:3`,
      data: expect.objectContaining({ message: 'Hi', reply: 'As I was saying' }),
    }
    expect((await events.next()).value).toEqual(done)
    expect((await events.next()).done).toBe(true)
    await pending
    const resumed = []
    for await (const event of readEvents(await later)) resumed.push(event)
    expect(resumed).toEqual([{ event: 'delta', id: `${id}:2`, data: { content: 'saying' } }, done])
    expect(await on.last()).toMatchObject({ sender: 'agent', content: 'As I was saying' })
    expect(await on.last()).not.toHaveProperty('truncated')
    expect(on.gateway.calls).toHaveLength(1)
    // The whole stream afterwards, and the events after the last known one.
    const whole = await allEvents(await on.follow(id))
    expect(whole.map(({ id: place }) => place)).toEqual([`${id}:1`, `${id}:2`, `${id}:3`])
    expect(await allEvents(await on.follow(id, `${id}:2`))).toEqual([done])
    // An event id of another turn is ignored.
    expect(await allEvents(await on.follow(id, 'msg_x:2'))).toHaveLength(3)
  })

  it('can resume only as the same user and with a valid id', async () => {
    on.gateway.reply = (response) => say(response, 'Fine.')
    const answer = await on.send({ stream: true })
    const id = answer.headers.get('x-message-id') ?? ''
    await allEvents(answer)
    const eve = await on.accounts.signUp('eve-of-streams@b.co')
    expect((await on.follow(id, undefined, eve.session)).status).toBe(404)
    expect((await on.follow(id, undefined, 'usr_x.nonsense')).status).toBe(401)
    for (const other of ['msg_none', 'x', newId('msg'), `${id}%23`, '..'])
      expect((await on.follow(other)).status).toBe(404)
  })

  it('a reader that disconnects from a turn whose process was killed gets an error', async () => {
    on.gateway.reply = (response) => say(response, 'Fine.')
    const answer = await on.send({ stream: true })
    const id = answer.headers.get('x-message-id') ?? ''
    await allEvents(answer)
    // The state after a kill between the message and the answer.
    await on.accounts.table.update(
      { pk: `user#${on.ada.id}`, sk: `turn#${id.slice(4)}` },
      { set: { state: 'active', aliveUntil: Date.now() - 1 }, remove: ['pieces', 'answer'] },
    )
    const events = await allEvents(await on.follow(id))
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'AGENT_UNREACHABLE' } })
  })

  it('cancels the agent’s work if the turn is not streamed', async () => {
    let left = false
    on.gateway.reply = async (response) => {
      await once(response, 'close')
      left = true
    }
    const caller = new AbortController()
    const answering = on.send({ stream: false }, caller.signal)
    await until(() => on.gateway.calls.length > 0)
    caller.abort()
    await until(() => left)
    expect((await answering).status).toBe(400)
  })
})
