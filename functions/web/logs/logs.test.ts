import { afterEach, describe, expect, it } from 'vitest'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { useLogs } from '#tests/support/agents/logs.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { readEvents, type SseEvent } from '#tests/support/http/event-stream.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import type { QueryOf } from '../../../clients/typescript/core/operation.ts'

const on = useLogs()
const readers = new Set<AbortController>()

afterEach(() => {
  for (const reader of readers) reader.abort()
  readers.clear()
})

type Query = QueryOf<'GET /api/logs/{agentId}/history'>

async function historyOf(agent: Agent, query: Query = {}) {
  const session = await on.sessionOf(agent)
  const { logs } = platformOver((_, path, given) => on.web(path, given), { session })
  return (await logs.history(agent.id, query)).lines
}

const textsOf = async (agent: Agent, query?: Query) =>
  (await historyOf(agent, query)).map(({ text }) => text)

/** Prints lines, and waits until they are stored. */
async function printed(agent: Agent, ...lines: string[]): Promise<void> {
  await on.print(agent, `${lines.join('\n')}\n`)
  await eventually(async () => expect((await textsOf(agent)).at(-1)).toBe(lines.at(-1)))
}

async function open(agent: Agent, query: string, lastId?: string) {
  const reader = new AbortController()
  readers.add(reader)
  const answer = await on.web(`/api/logs/${agent.id}/stream${query}`, {
    session: await on.sessionOf(agent),
    headers: lastId === undefined ? {} : { 'last-event-id': lastId },
    signal: reader.signal,
  })
  expect(answer.status).toBe(200)
  const events = readEvents(answer)
  expect((await events.next()).value).toMatchObject({ data: { type: 'connected' } })
  return {
    async take(count: number): Promise<SseEvent[]> {
      const received: SseEvent[] = []
      while (received.length < count) received.push((await events.next()).value as SseEvent)
      return received
    },
    leave: () => events.return(undefined),
  }
}

const said = (events: SseEvent[]) => events.map(({ data }) => data.text ?? data.type)

describe('an owner reads', () => {
  it('an owner reads the lines that contain a text, in any case, over restarts', async () => {
    const agent = await on.running()
    await printed(agent, 'Error: one', 'fine', 'an ERROR two')
    await restartAgent(on.fleet.services, { agent: await on.fleet.row(agent), reason: 'restart' })
    await on.fleet.untilRunning(agent)
    await printed(agent, 'fine again', 'error three (100%)', 'last')
    expect(await textsOf(agent, { contains: 'error' })).toEqual([
      'Error: one',
      'an ERROR two',
      'error three (100%)',
    ])
    expect(await textsOf(agent, { contains: 'error', limit: 2 })).toEqual([
      'an ERROR two',
      'error three (100%)',
    ])
    // Matched as plain text, not as a pattern.
    expect(await textsOf(agent, { contains: '(100%)' })).toHaveLength(1)
    expect(await textsOf(agent, { contains: '.*' })).toEqual([])
  })

  it('an owner reads an early part of a long log', async () => {
    const agent = await on.running()
    await on.print(agent, 'the needle\n')
    for (let i = 0; i < 4; i++) await on.print(agent, `${'hay\n'.repeat(6000)}`)
    await printed(agent, 'the end')
    expect(await textsOf(agent, { contains: 'needle' })).toEqual(['the needle'])
    expect(await textsOf(agent, { contains: 'the' })).toEqual(['the needle', 'the end'])
  })

  it('an owner reads the lines since a time', async () => {
    const agent = await on.running()
    await printed(agent, 'before')
    const [{ at } = { at: '' }] = await historyOf(agent)
    // Times have milliseconds: the next line must have another time.
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(at)))
    await printed(agent, 'after', 'and after')
    const since = new Date(Date.parse(at) + 1).toISOString()
    expect(await textsOf(agent, { since })).toEqual(['after', 'and after'])
    expect(await textsOf(agent, { since, contains: 'AND' })).toEqual(['and after'])
    expect(await textsOf(agent, { since: '1h' })).toEqual(['before', 'after', 'and after'])
    expect(await textsOf(agent, { since: '2999-01-01T00:00:00Z' })).toEqual([])

    const stream = await open(agent, `?since=${since}`)
    const events = await stream.take(2)
    expect(said(events)).toEqual(['after', 'and after'])
    await stream.leave()
    const again = await open(agent, `?since=${since}`, events[0]?.id)
    expect(said(await again.take(1))).toEqual(['and after'])
  })

  it('an owner reads a stream of matching lines, and resumes it', async () => {
    const agent = await on.running()
    await printed(agent, 'GET one', 'POST two', 'get three')
    const stream = await open(agent, '?contains=get&tail=5')
    expect(said(await stream.take(2))).toEqual(['GET one', 'get three'])
    await on.print(agent, 'POST four\nGET five\n')
    const [five] = await stream.take(1)
    expect(five?.data.text).toBe('GET five')
    await stream.leave()
    await on.print(agent, 'POST six\nGET seven\nGET eight\n')
    // A duration that has passed in the meantime does not skip unread lines.
    const again = await open(agent, '?contains=get&since=0s', five?.id)
    expect(said(await again.take(2))).toEqual(['GET seven', 'GET eight'])
  })

  it('an owner reads a stream that begins in an older task', async () => {
    const agent = await on.running()
    await printed(agent, 'in the first')
    await restartAgent(on.fleet.services, { agent: await on.fleet.row(agent), reason: 'restart' })
    await on.fleet.untilRunning(agent)
    await printed(agent, 'in the second')
    const stream = await open(agent, '?since=1h')
    expect(said(await stream.take(3))).toEqual(['in the first', 'exit', 'in the second'])
  })
})

describe('the log rejects', () => {
  it.each([
    'since=yesterday',
    'since=-5m',
    'since=10',
    'since=2026-13-45T00:00:00Z',
    'since=',
    'limit=-1',
    `contains=${'x'.repeat(201)}`,
  ])('the log rejects an invalid %s', async (query) => {
    const agent = await on.fleet.started()
    const session = await on.sessionOf(agent)
    for (const route of query.startsWith('limit') ? ['history'] : ['history', 'stream']) {
      const answer = await on.web(`/api/logs/${agent.id}/${route}?${query}`, { session })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({
        error: expect.stringContaining(query.split('=')[0] ?? ''),
      })
    }
  })

  it.each(['history', 'stream'])('the log rejects every other caller: %s', async (route) => {
    const [agent, other] = [await on.fleet.started(), await on.fleet.started()]
    const path = `/api/logs/${agent.id}/${route}`
    expect((await on.web(path, { session: await on.sessionOf(other) })).status).toBe(404)
    expect((await on.web(path)).status).toBe(401)
    expect((await on.web(path, { key: 'the-internal-key' })).status).toBe(401)
    expect((await on.web(path, { key: 'sk_0' })).status).toBe(401)
  })
})
