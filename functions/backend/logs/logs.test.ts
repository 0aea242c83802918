import { afterEach, describe, expect, it } from 'vitest'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import { taskIdOf } from '#shared/agents/logs/task-id.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { useLogs } from '#tests/support/agents/logs.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { readEvents, type SseEvent } from '#tests/support/http/event-stream.ts'

const on = useLogs()
const readers = new Set<AbortController>()

afterEach(() => {
  for (const reader of readers) reader.abort()
  readers.clear()
})

interface Ask {
  method?: string
  as?: string
  lastId?: string | undefined
}

/** Calls a route as the agent's owner, or as another user. */
async function ask(path: string, { method = 'GET', as, lastId }: Ask = {}): Promise<Response> {
  const reader = new AbortController()
  readers.add(reader)
  return on.ask(path, {
    method,
    headers: {
      ...(as !== undefined && { 'x-user-id': as }),
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    signal: reader.signal,
  })
}

async function json(path: string, options?: Ask): Promise<Record<string, unknown>> {
  return (await (await ask(path, options)).json()) as Record<string, unknown>
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`)

/** Opens a stream that is read event by event. */
async function open(agent: Agent, { tail = 0, ...options }: Ask & { tail?: number } = {}) {
  const answer = await ask(`/api/logs/${agent.id}/stream?tail=${tail}`, options)
  expect(answer.status).toBe(200)
  const events = readEvents(answer)
  const next = async () => (await events.next()).value as SseEvent | undefined
  return {
    next,
    take: async (count: number) => {
      const received: SseEvent[] = []
      while (received.length < count) {
        const event = await next()
        if (event === undefined) break
        received.push(event)
      }
      return received
    },
    leave: () => events.return(undefined),
  }
}

const texts = (events: SseEvent[]) => events.map(({ data }) => data.text)

describe('a stream', () => {
  it('begins with the last lines and continues with new ones', async () => {
    const agent = await on.running()
    await on.print(agent, 'first\nsecond\nthird\n')
    await eventually(async () => {
      expect((await json(`/api/logs/${agent.id}/history`)).lines).toHaveLength(3)
    })
    const stream = await open(agent, { tail: 2 })
    expect(await stream.take(3)).toMatchObject([
      { event: 'line', data: { type: 'connected', agentId: agent.id } },
      { event: 'line', data: { type: 'line', agentId: agent.id, text: 'second' } },
      { event: 'line', data: { type: 'line', text: 'third' } },
    ])
    await on.print(agent, 'fourth\n')
    await on.print(agent, 'fifth\n', 'error')
    expect(texts(await stream.take(2))).toEqual(['fourth', 'fifth'])
  })

  it('resumes after the last line, without a gap or a duplicate', async () => {
    const agent = await on.running()
    const first = await open(agent)
    await first.next()
    await on.print(agent, `${numbers(1, 300).join('\n')}\n`)
    const observed = await first.take(137)
    await first.leave()
    await on.print(agent, `${numbers(301, 500).join('\n')}\n`)
    const second = await open(agent, { lastId: observed.at(-1)?.id })
    const rest = (await second.take(364)).slice(1)
    expect(texts([...observed, ...rest])).toEqual(numbers(1, 500))
  })

  it.each(['f/no-place', 'x', '../../etc'])(
    'starts over if its position is unknown: %s',
    async (place) => {
      const agent = await on.running()
      await on.print(agent, 'one\ntwo\n')
      await eventually(async () => {
        expect((await json(`/api/logs/${agent.id}/history`)).lines).toHaveLength(2)
      })
      const first = await open(agent, { tail: 10 })
      const before = await first.take(3)
      const id = before.findLast((event) => event.id !== undefined)?.id ?? ''
      const lastId = `${id.split('.').slice(0, 3).join('.')}.${place}`
      const again = await open(agent, { tail: 10, lastId })
      const received = await again.take(3)
      expect(received.map(({ data }) => data)).toEqual(before.map(({ data }) => data))
    },
  )

  it('can be resumed after each of its lines', async () => {
    const agent = await on.running()
    const whole = await open(agent)
    await whole.next()
    await on.print(agent, `${numbers(1, 5).join('\n')}\n`)
    const observed = await whole.take(5)
    for (const [i, { id }] of observed.slice(0, -1).entries()) {
      const again = await open(agent, { lastId: id })
      const [, line] = await again.take(2)
      expect(line?.data.text).toBe(`line ${i + 2}`)
      await again.leave()
    }
  })

  it('reports the end with its exit code, and follows the next start', async () => {
    const agent = await on.running()
    const stream = await open(agent)
    await stream.next()
    await on.print(agent, 'before\n')
    expect(texts(await stream.take(1))).toEqual(['before'])
    const stopped = await stopAgent(on.fleet.services, { agent })
    await on.fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    const [exit] = await stream.take(1)
    expect(exit?.data).toEqual({ type: 'exit', agentId: agent.id, code: expect.any(Number) })
    await restartAgent(on.fleet.services, { agent: stopped, reason: 'restart' })
    await on.fleet.untilRunning(agent)
    await on.print(agent, 'after\n')
    expect(texts(await stream.take(1))).toEqual(['after'])
    // A reader that resumes after the exit event does not get it again.
    const resumed = await open(agent, { lastId: exit?.id })
    expect(texts((await resumed.take(2)).slice(1))).toEqual(['after'])
  })

  it('is ended by stop, is counted while it is open, and its agent keeps running', async () => {
    const agent = await on.running()
    const streams = await Promise.all([open(agent), open(agent)])
    for (const stream of streams) await stream.next()
    const mine = { agentId: agent.id, clients: 2, lines: 0 }
    expect(await json('/api/logs/active', { as: agent.userId ?? '' })).toEqual({ streams: [mine] })
    expect((await json('/api/logs/active')).streams).toContainEqual(mine)
    expect(await json(`/api/logs/${agent.id}/history`)).toMatchObject({
      streaming: true,
      clients: 2,
    })
    const stop = await json(`/api/logs/${agent.id}/stop`, { method: 'POST' })
    expect(stop).toEqual({ success: true })
    for (const stream of streams) expect(await stream.next()).toBeUndefined()
    expect(await json('/api/logs/active', { as: agent.userId ?? '' })).toEqual({ streams: [] })
    expect((await on.fleet.row(agent)).status).toBe('running')
  })

  it('is not counted after its reader has disconnected', async () => {
    const agent = await on.running()
    const stream = await open(agent)
    await stream.next()
    await stream.leave()
    await eventually(async () =>
      expect(await json(`/api/logs/${agent.id}/history`)).toMatchObject({ clients: 0 }),
    )
  })

  it('ends when its agent is deleted', async () => {
    const agent = await on.running()
    const stream = await open(agent)
    await stream.next()
    await on.fleet.table.delete({ pk: `user#${agent.userId}`, sk: `agent#${agent.id}` })
    expect(await stream.next()).toBeUndefined()
  })

  it('keeps text complete: colours, long lines, every script', async () => {
    const agent = await on.running()
    const stream = await open(agent)
    await stream.next()
    const half = 'x'.repeat(10_000)
    await on.print(agent, `\u001b[31mred\u001b[0m\n${half}`)
    await on.print(agent, `${half}\n\u{1F600} "quoted"\n`)
    const lines = texts(await stream.take(4))
    expect(lines[0]).toBe('\u001b[31mred\u001b[0m')
    expect(`${lines[1]}${lines[2]}`).toBe(half + half)
    expect(lines[3]).toBe('\u{1F600} "quoted"')
  })
})

describe('a reader that pauses', () => {
  it('misses no line when it continues', async () => {
    const agent = await on.running()
    const answer = await ask(`/api/logs/${agent.id}/stream?tail=0`)
    const events = readEvents(answer)
    await events.next()
    for (let i = 0; i < 10; i++)
      await on.print(agent, `${numbers(i * 100 + 1, i * 100 + 100).join('\n')}\n`)
    const observed: SseEvent[] = []
    while (observed.length < 1000) observed.push((await events.next()).value as SseEvent)
    expect(texts(observed)).toEqual(numbers(1, 1000))
  })
})

describe('another user’s agent', () => {
  it.each([
    ['GET', 'stream'],
    ['GET', 'history'],
    ['POST', 'stop'],
  ])('is treated as missing: %s %s', async (method, what) => {
    const agent = await on.running()
    const answer = await ask(`/api/logs/${agent.id}/${what}`, { method, as: 'usr_eve' })
    expect(answer.status).toBe(404)
  })

  it('is not in the list of streams', async () => {
    const agent = await on.running()
    await (await open(agent)).next()
    expect(await json('/api/logs/active', { as: 'usr_eve' })).toEqual({ streams: [] })
  })

  it('cannot be read by an id that names its task', async () => {
    const [mine, hers] = [await on.running(), await on.running()]
    await on.print(hers, 'a secret of hers\n')
    const stream = await open(hers)
    await stream.next()
    await on.print(hers, 'and another\n')
    const [{ id = '' } = {}] = await stream.take(1)
    const foreign = taskIdOf((await on.fleet.row(hers)).taskArn ?? '')
    const own = taskIdOf((await on.fleet.row(mine)).taskArn ?? '')
    await on.print(mine, 'mine\n')
    for (const lastId of [id, `${'0'.repeat(32)}.1-${foreign}.0.`, id.replace(foreign, own), 'x']) {
      const reading = await open(mine, { lastId, tail: 5 })
      const [, line] = await reading.take(2)
      expect(line?.data.text).toBe('mine')
      await reading.leave()
    }
  })
})
