import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newCaller, startAiService } from '../support/ai/ai-service.ts'
import { eventsOf, quotaOf, rollupsOf } from '../support/ai/gateway.ts'
import { delta, says, startUpstream, type Upstream, usage } from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { startTestTable, type TestTable } from '../support/platform/table.ts'

const model = 'openai/gpt-4o'
const streams = 20

let upstream: Upstream
let database: TestTable

beforeAll(async () => {
  upstream = await startUpstream()
  database = await startTestTable()
})
afterAll(async () => {
  await upstream.close()
  await database.close()
})
beforeEach(() => upstream.reset())

const start = (settings: Record<string, string> = {}) =>
  startAiService(database.table, { AI_BASE_URL: upstream.baseUrl, ...settings })

function ask(url: string, key: string, body: object, signal?: AbortSignal) {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...body }),
    ...(signal && { signal }),
  })
}

/** A model that starts its answers, and continues them when the test tells it to. */
function begins() {
  const begun: ServerResponse[] = []
  const event = (value: object | string) =>
    `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
  upstream.serve(model, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event(delta({ content: 'one ' })))
    begun.push(response)
  })
  const rest = [delta({ content: 'two' }), delta({}, 'stop'), { choices: [], usage: usage(9, 2) }]
  return {
    begun,
    goOn: () => {
      for (const response of begun.splice(0)) response.end([...rest, '[DONE]'].map(event).join(''))
    },
  }
}

/**
 * Opens streams of one user and reads each up to its first event.
 * @returns functions that read the rest of each stream
 */
async function openStreams(url: string, key: string): Promise<(() => Promise<string>)[]> {
  return Promise.all(
    Array.from({ length: streams }, async () => {
      const answer = await ask(url, key, { stream: true, max_tokens: 50 })
      expect(answer.status).toBe(200)
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
      const decoder = new TextDecoder()
      let text = decoder.decode((await reader.read()).value, { stream: true })
      return async () => {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return text
          text += decoder.decode(value, { stream: true })
        }
      }
    }),
  )
}

async function refusesConnections(url: string): Promise<void> {
  const { port, hostname } = new URL(url)
  await eventually(async () => {
    const socket = connect(Number(port), hostname)
    const outcome = await new Promise((resolve) => {
      socket.once('connect', () => resolve('taken'))
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    })
    socket.destroy()
    expect(outcome).toBe('ECONNREFUSED')
  })
}

it('a service that shuts down finishes every stream, and counts each', async () => {
  await using service = await start()
  const { key, userId } = await newCaller(database.table)
  const { begun, goOn } = begins()
  const rests = await openStreams(service.url, key)
  expect(begun).toHaveLength(streams)

  service.kill('SIGTERM')
  await refusesConnections(service.url)
  goOn()
  for (const text of await Promise.all(rests.map((rest) => rest()))) {
    expect(text).toContain('"content":"two"')
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
  }
  expect(await service.ended).toBe(0)
  expect(service.lines).toContainEqual(
    expect.objectContaining({ message: 'drained', cut: 0, lost: 0 }),
  )
  const events = await eventsOf(database.table, userId)
  expect(events).toHaveLength(streams)
  for (const event of events)
    expect(event).toMatchObject({ inputTokens: 9, outputTokens: 2, success: true })
  const used = streams * 11
  expect(await quotaOf(database.table, userId)).toMatchObject({ used, committed: used })
})

it('a stream above the shutdown’s time limit is cut off, and still counted', async () => {
  await using service = await start({ DRAIN_SECONDS: '0' })
  const { key, userId } = await newCaller(database.table)
  const { goOn } = begins()
  const rests = await openStreams(service.url, key)

  service.kill('SIGTERM')
  await eventually(() =>
    expect(service.lines).toContainEqual(expect.objectContaining({ message: 'draining' })),
  )
  goOn()
  await Promise.allSettled(rests.map((rest) => rest()))
  expect(await service.ended).toBe(0)
  expect(await eventsOf(database.table, userId)).toHaveLength(streams)
  const used = streams * 11
  expect(await quotaOf(database.table, userId)).toMatchObject({ used, committed: used })
})

it('the holds of a killed service remain, and another one serves the caller', async () => {
  const { key, userId } = await newCaller(database.table)
  const { begun, goOn } = begins()
  await using killed = await start()
  const rests = await openStreams(killed.url, key)
  killed.kill('SIGKILL')
  expect(await killed.ended).toBe('SIGKILL')
  expect(begun).toHaveLength(streams)
  goOn()
  for (const outcome of await Promise.allSettled(rests.map((rest) => rest())))
    expect(outcome.status).toBe('rejected')
  const reservation = await quotaOf(database.table, userId)
  expect(Number(reservation?.['used'] ?? 0)).toBe(0)
  expect(Number(reservation?.['committed'])).toBeGreaterThanOrEqual(streams * 50)

  await using next = await start()
  upstream.serve(model, says('back', usage(10, 5)))
  const answer = await ask(next.url, key, {})
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'back' } }] })
  await eventually(async () =>
    expect(await quotaOf(database.table, userId)).toMatchObject({ used: 15 }),
  )
})

it('a service validates callers and bodies as a Lambda does', async () => {
  await using service = await start()
  const { key } = await newCaller(database.table)
  expect((await ask(service.url, 'sk_unknown', {})).status).toBe(401)
  const large = 'x'.repeat(5_242_881)
  expect((await ask(service.url, key, { large })).status).toBe(413)
  const chunked = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: new Blob([JSON.stringify({ large })]).stream(),
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(413)
  const broken = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"model":',
  })
  expect(broken.status).toBe(400)
  expect(broken.headers.get('x-request-id')).toMatch(/^req_/)
  expect((await fetch(`${service.url}/api/agents`)).status).toBe(404)
  const health = await fetch(`${service.url}/healthz`)
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
})

it('a service that is killed loses no acknowledged call', async () => {
  let calls = 0
  upstream.serve(model, (response, asked) => says('ok', usage(++calls, 1))(response, asked))
  const { key, userId } = await newCaller(database.table)
  const acknowledged = new Set<number>()
  for (const kill of [1, 2]) {
    await using service = await start()
    let over = false
    const caller = async (stream: boolean) => {
      while (!over) {
        const options = stream ? { stream, stream_options: { include_usage: true } } : {}
        const answer = await ask(service.url, key, { max_tokens: 50, ...options })
        const text = await answer.text()
        if (stream && !text.includes('[DONE]')) continue
        acknowledged.add(Number(/"prompt_tokens":(\d+)/.exec(text)?.[1]))
      }
    }
    const callers = Array.from({ length: 8 }, (_, i) => caller(i % 2 === 0).catch(() => {}))
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(60 * kill))
    service.kill('SIGKILL')
    await service.ended
    over = true
    await Promise.all(callers)
  }
  const events = await eventsOf(database.table, userId)
  const recorded = new Set(events.map(({ inputTokens }) => inputTokens))
  expect([...acknowledged].filter((call) => !recorded.has(call))).toEqual([])
  const used = events.reduce((sum, event) => sum + Number(event.inputTokens) + 1, 0)
  expect(await quotaOf(database.table, userId)).toMatchObject({ used })
  const rollups = await rollupsOf(database.table, userId)
  expect(rollups.reduce((sum, { calls: counted }) => sum + Number(counted), 0)).toBe(events.length)
})
