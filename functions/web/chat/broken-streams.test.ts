import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { until } from '../../../agent/gateway/testing/gateway.ts'
import { beginStream, flush, sayChunk } from '../../../agent/gateway/testing/upstream.ts'
import { allEvents, readEvents } from '../../../tests/support/chat.ts'
import { ownTimeouts, passTime } from '../../../tests/support/time.ts'
import { usePlayedAgent } from '../../../tests/support/played-agent.ts'

const on = usePlayedAgent()
const stepMs = 600

describe('a stream without end', () => {
  /** Says one thing over and over, as fast as it is read. */
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
    ['events that say nothing', '', 'data: {}\n\n'.repeat(50_000)],
    [
      'a reply',
      '',
      `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(500_000) } }] })}\n\n`,
    ],
  ])('is not held: %s', async (_, first, piece) => {
    on.gateway.reply = (response) => flood(response, first, piece)
    expect(await (await on.send({ stream: true })).text()).toContain('"code":"AGENT_FAILED"')
  })
})

describe('a stream that breaks off', () => {
  it.each([
    ['is cut', (response: ServerResponse) => response.destroy(), 'AGENT_UNREACHABLE'],
    ['ends early', (response: ServerResponse) => response.end(), 'AGENT_UNREACHABLE'],
    [
      'falls silent',
      (response: ServerResponse) => passTime(() => !response.destroyed, stepMs),
      'AGENT_TIMEOUT',
    ],
    [
      'says so',
      (response: ServerResponse) =>
        response.end('event: error\ndata: {"error":{"message":"Cut","code":"upstream_cut"}}\n\n'),
      'upstream_cut',
    ],
    [
      'turns to nonsense',
      (response: ServerResponse) => response.write('data: {\n\n'),
      'AGENT_FAILED',
    ],
  ])('because it %s says so in an event, and keeps what was said', async (name, end, code) => {
    ownTimeouts()
    on.gateway.reply = async (response) => {
      beginStream(response)
      sayChunk(response, `Half of ${name}`)
      await flush(response, ':\n\n')
      await end(response)
    }
    const events = await allEvents(await on.send({ stream: true }))
    expect(events).toEqual([
      { event: 'delta', data: { content: `Half of ${name}` } },
      { event: 'error', data: { error: expect.any(String), code } },
    ])
    expect(await on.last()).toMatchObject({
      sender: 'agent',
      content: `Half of ${name}`,
      truncated: true,
    })
  })
})

describe('a reader that leaves', () => {
  it('ends the agent’s work, and what was said until then is kept', async () => {
    let left = false
    on.gateway.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'As I was say')
      await once(response, 'close')
      left = true
    }
    const answer = await on.send({ stream: true })
    for await (const { data } of readEvents(answer)) {
      expect(data.content).toBe('As I was say')
      break
    }
    await until(() => left)
    await until(async () => (await on.last())?.content === 'As I was say')
    expect(await on.last()).toMatchObject({ sender: 'agent', truncated: true })
  })

  it('ends the agent’s work before anything was said, too', async () => {
    for (const stream of [false, true]) {
      let left = false
      on.gateway.reply = async (response) => {
        await once(response, 'close')
        left = true
      }
      const caller = new AbortController()
      const answering = on.send({ stream }, caller.signal)
      await until(() => on.gateway.calls.length > 0)
      caller.abort()
      await until(() => left)
      expect((await answering).status).toBe(400)
      on.gateway.calls.length = 0
    }
  })
})
