import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { agentHeaders } from '#shared/http/agent-proof.ts'
import type { AgentCaller } from './context.ts'
import { readPage } from './read-page.ts'

const article = {
  url: 'https://example.com/',
  title: 'A title',
  byline: null,
  siteName: null,
  language: 'en',
  markdown: `${'a'.repeat(10_000)}the rest`,
  wordCount: 3,
  fetchedAt: '2026-01-01T00:00:00.000Z',
}

/** A fake summarizer. */
let status = 200
let said: unknown = article
const requests: unknown[] = []
const summarizer = createServer(async (request, response) => {
  const { authorization, 'x-agent-id': agentId, 'x-agent-proof': proof } = request.headers
  const shown = { 'x-agent-id': agentId, 'x-agent-proof': proof }
  requests.push([request.method, request.url, authorization, shown, await json(request)])
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
})

beforeAll(async () => {
  summarizer.listen(0, '127.0.0.1')
  await once(summarizer, 'listening')
})
afterAll(() => void summarizer.close())
beforeEach(() => {
  status = 200
  said = article
  requests.length = 0
})

function read(input: { url: string; from?: number }) {
  const { port } = summarizer.address() as AddressInfo
  const summarizerUrl = `http://127.0.0.1:${port}`
  const agent = { id: 'agt_1' } as Agent
  const signal = AbortSignal.timeout(30_000)
  const ctx = { summarizerUrl, originSecret: 'the-origin-secret', agent, signal } as AgentCaller
  return readPage.call(ctx, readPage.input.parse(input) as never)
}

it('reads the article of a page piece by piece', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { url } = article
  const first = await read({ url })
  expect(first).toEqual({ ...article, markdown: 'a'.repeat(10_000), next: 10_000 })
  expect(await read({ url, from: 10_000 })).toEqual({
    ...article,
    markdown: 'the rest',
    next: null,
  })
  const proof = await agentHeaders('agt_1', 'the-origin-secret')
  expect(requests[0]).toEqual(['POST', '/api/read', undefined, proof, { url }])
})

it.each([
  [404, { error: 'The page has no article' }, 'The page has no article'],
  [502, 'x', 'The page could not be read: 502'],
] as const)('reports why a page was not read: %i', async (given, body, message) => {
  status = given
  said = body
  await expect(read({ url: 'https://example.com/' })).rejects.toThrow(message)
})
