import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { trust } from '#tests/support/tools/broker.ts'
import { type ServerEra, startMcpServer } from '#tests/support/tools/mcp-server.ts'
import { askServer } from './ask.ts'
import { keptDialects } from './dialects.ts'
import { newBudget } from './exchange.ts'
import { listServerTools } from './list-tools.ts'

let server: Awaited<ReturnType<typeof startMcpServer>>
const signal = new AbortController().signal

beforeAll(async () => {
  server = await startMcpServer({ era: 'both', tools: {} })
  trust(server.cert)
})
afterAll(() => server.close())
beforeEach(() => {
  server.seen.length = 0
  server.endSessions()
  server.played.before = undefined
  server.played.tools = {
    read: { description: 'Reads a page', readOnly: true },
    write: { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
  }
})

const ctx = () => ({ allowed: [server.host] })
const address = () => ({ url: server.url, headers: { authorization: 'Bearer t-0123456789' } })
const list = () => listServerTools(ctx(), address(), { budget: newBudget(signal) })

describe.each<ServerEra>(['both', 'stateless', 'sessions'])(
  'a server with the versions %s',
  (era) => {
    beforeEach(() => {
      server.played.era = era
    })

    it('lists its tools with their declarations', async () => {
      expect((await list()).tools).toMatchObject([
        { name: 'read', description: 'Reads a page', annotations: { readOnlyHint: true } },
        { name: 'write', inputSchema: { properties: { text: { type: 'string' } } } },
      ])
      for (const { headers } of server.seen)
        expect(headers.get('authorization')).toBe('Bearer t-0123456789')
    })

    it('is called by one request once its dialect is known, also after its session has ended', async () => {
      server.played.tools['write']!.call = ({ text }) => `wrote ${String(text)}`
      const kept = { dialects: keptDialects(), key: 'a' }
      const params = { name: 'write', arguments: { text: 'x' } }
      const call = () =>
        askServer(ctx(), address(), {
          method: 'tools/call',
          params,
          budget: newBudget(signal),
          kept,
        })
      const result = { content: [{ type: 'text', text: 'wrote x' }] }
      expect(await call()).toMatchObject(result)
      server.seen.length = 0
      expect(await call()).toMatchObject(result)
      expect(server.methods()).toEqual(['tools/call'])
      server.endSessions()
      expect(await call()).toMatchObject(result)
    })
  },
)
