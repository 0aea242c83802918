import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { logHistory } from '#shared/agents/logs/schema.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { useLogs } from '#tests/support/agents/logs.ts'
import { type Played, playContainer, playPast } from '#tests/support/agents/played-containers.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { readEvents, type SseEvent } from '#tests/support/http/event-stream.ts'

const on = useLogs()

/** Resumes a stream after an id, to be read event by event. Takes the first event. */
async function open(agent: Pick<Agent, 'id'>, lastId?: string) {
  const reader = new AbortController()
  const answer = await on.ask(`/api/logs/${agent.id}/stream?tail=0`, {
    headers: lastId === undefined ? {} : { 'last-event-id': lastId },
    signal: reader.signal,
  })
  const events = readEvents(answer)
  const next = async () => (await events.next()).value as SseEvent
  const connected = await next()
  return {
    connected,
    next,
    take: async (count: number) => {
      const received: SseEvent[] = []
      while (received.length < count) received.push(await next())
      return received
    },
    leave: async () => {
      await events.return(undefined)
      reader.abort()
    },
  }
}

const told = (events: SseEvent[]) =>
  events.map(({ data }) => (data.type === 'exit' ? `exit ${String(data.code)}` : data.text))

async function historyOf(agent: Agent, limit = 1000): Promise<string[]> {
  const answer = await on.ask(`/api/logs/${agent.id}/history?limit=${limit}`)
  const { lines } = logHistory.parse(await answer.json())
  return lines.map(({ text }) => text)
}

/** Starts an agent in a new container. */
async function replace(agent: Agent): Promise<void> {
  await restartAgent(on.fleet.services, { agent: await on.fleet.row(agent), reason: 'restart' })
  await on.fleet.untilRunning(agent)
}

describe('a stream of an agent whose container is replaced', () => {
  it('continues through every container that ran between two reads', async () => {
    const agent = await on.running()
    const first = await open(agent)
    await on.print(agent, 'one\ntwo\nthree\n')
    const [one] = await first.take(1)
    await first.leave()
    for (const text of ['four\n', '', 'five\nsix\n', 'seven\n']) {
      await replace(agent)
      await on.print(agent, text)
    }
    const again = await open(agent, one?.id)
    const observed = await again.take(10)
    const exit = expect.stringMatching(/^exit \d+$/)
    const all = ['two', 'three', exit, 'four', exit, exit, 'five', 'six', exit, 'seven']
    expect(told(observed)).toEqual(all)
    await again.leave()
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
    // The next stream can resume at any of them.
    for (const [n, { id }] of observed.slice(0, -1).entries()) {
      const later = await open(agent, id)
      expect(told(await later.take(all.length - n - 1))).toEqual(all.slice(n + 1))
      await later.leave()
    }
    await eventually(async () => expect(await historyOf(agent)).toEqual(words))
    expect(await historyOf(agent, 3)).toEqual(['five', 'six', 'seven'])
  })

  it('continues through containers that run shorter than a read', async () => {
    const agent = await on.running()
    const stream = await open(agent)
    await on.print(agent, 'one\n')
    for (const text of ['two\n', 'three\n', 'four\n']) {
      await replace(agent)
      await on.print(agent, text)
    }
    const exit = expect.stringMatching(/^exit \d+$/)
    expect(told(await stream.take(7))).toEqual(['one', exit, 'two', exit, 'three', exit, 'four'])
    await stream.leave()
  })

  it('includes the lines that a container prints during its shutdown', async () => {
    const agent = await on.running()
    const stream = await open(agent)
    await restartAgent(on.fleet.services, { agent: await on.fleet.row(agent), reason: 'restart' })
    // The next container waits for the end of this one, which is only requested when the message is delivered.
    const { previousTaskArn = '' } = await on.fleet.row(agent)
    const { address } = (await on.fleet.containers.describe(previousTaskArn)) ?? {}
    const late = await open(agent)
    await fetch(
      `http://127.0.0.1:${address?.port}/print?text=${encodeURIComponent('last words\n')}`,
    )
    for (const reader of [stream, late]) expect(told(await reader.take(1))).toEqual(['last words'])
    await on.fleet.untilRunning(agent)
    await on.print(agent, 'anew\n')
    for (const reader of [stream, late]) {
      expect(told(await reader.take(2))).toEqual([expect.stringMatching(/^exit \d+$/), 'anew'])
      await reader.leave()
    }
  })

  it('resumes at the oldest stored line if its own is no longer stored', async () => {
    const agent = await on.fleet.started()
    const { connected } = await open(agent)
    let row = agent
    for (const text of ['gone', 'kept', 'also kept']) {
      const played = await playContainer(on.fleet, row, { lines: [text], code: 0 })
      row = await played.end()
    }
    const rows = `container#${agent.id}#`
    const { items } = await on.fleet.table.query({ pk: `user#${agent.userId}`, beginsWith: rows })
    expect(items).toHaveLength(3)
    await on.fleet.table.delete(items[0]!)
    const again = await open(agent, connected.id)
    expect(told(await again.take(4))).toEqual(['kept', 'exit 0', 'also kept', 'exit 0'])
    await again.leave()
  })
})

/** The number of agents that run concurrently. */
const batch = 50
const agents = 500
const replaced = 6

const container: fc.Arbitrary<Omit<Played, 'lines'> & { count: number }> = fc.record({
  count: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })),
  code: fc.integer({ min: 0, max: 255 }),
})

/**
 * The containers of one agent: the replaced ones, the running one, and the position where the second reader resumes.
 */
const life = fc.record({
  containers: fc.array(container, { minLength: replaced, maxLength: replaced }),
  duringReading: fc.nat(replaced),
  place: fc.nat(),
})

it('1,000 resumed streams over 3,000 replaced containers neither lose nor repeat a line', async () => {
  const lives = fc.sample(life, agents)
  let streams = 0
  async function live({ containers, duringReading, place }: (typeof lives)[number], n: number) {
    const all = [...containers, { count: 1, code: 0 }].map(({ count, code }, c) => ({
      lines: Array.from({ length: count }, (_, line) => `agent ${n} container ${c} line ${line}`),
      code,
    }))
    const expected = all.flatMap(({ lines, code }) => [...lines, `exit ${code}`]).slice(0, -1)
    let agent = await on.fleet.started()
    const { connected, leave } = await open(agent)
    await leave()
    const play = async (some: Played[]) => {
      for (const one of some) {
        const played = await playContainer(on.fleet, agent, one)
        agent = one === all.at(-1) ? played.agent : await played.end()
      }
    }
    // For one agent in ten, containers are replaced while a reader streams.
    const before = n % 10 === 0 ? duringReading : replaced
    agent = await playPast(on.fleet, agent, all.slice(0, before))
    if (n % 10 !== 0) await play(all.slice(before))
    const whole = await open(agent, connected.id)
    const playing = n % 10 === 0 ? play(all.slice(before)) : undefined
    const observed = await whole.take(expected.length)
    await playing
    await whole.leave()
    expect(told(observed)).toEqual(expected)
    const at = place % (expected.length - 1)
    const rest = await open(agent, observed[at]?.id)
    expect(told(await rest.take(expected.length - at - 1))).toEqual(expected.slice(at + 1))
    await rest.leave()
    streams += 2
  }
  for (let first = 0; first < agents; first += batch)
    await Promise.all(lives.slice(first, first + batch).map((one, n) => live(one, first + n)))
  expect(streams).toBe(1000)
}, 240_000)
