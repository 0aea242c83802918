import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { apiKey } from '../testing/gateway.ts'
import { askFor, question } from '../testing/played-bus.ts'
import { type Call, say as sayWords, sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent('each')

/** The requests to the platform’s connections, and to the model. */
let asked: Call[]
let turns: Call[]
let rounds: ((response: ServerResponse) => void)[]
let names: string[]
let broken: string | undefined
/** The result of a call. */
let result: object
/** The names of the tools of each connection. */
let own: string[]

beforeEach(() => {
  asked = []
  turns = []
  rounds = []
  names = ['notes', 'wiki']
  broken = undefined
  own = ['pages.search']
  result = { content: [{ type: 'text', text: '{"page":1}' }] }
  on.upstream.reply = (response, call) => {
    if (call.path?.startsWith('/connections') !== true) {
      turns.push(call)
      return (rounds.shift() ?? ((to) => sayWords(to, 'Done.')))(response)
    }
    asked.push(call)
    if (call.path === '/connections')
      return sendJson(response, 200, { connections: names.map((name) => ({ name })) })
    if (call.path === `/connections/${broken}/mcp`) return void response.destroy()
    const { method } = call.body as unknown as { method: string }
    const inputSchema = { type: 'object' }
    const tools = own.map((name) => ({ name, description: 'Searches', inputSchema }))
    const given = method === 'tools/list' ? { tools } : result
    sendJson(response, 200, { jsonrpc: '2.0', id: 1, result: given })
  }
})

const offered = () => {
  const { tools = [] } = { ...turns.at(-1)?.body } as { tools?: { function: { name: string } }[] }
  return tools.map(({ function: { name } }) => name)
}

const results = () =>
  (turns.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content) as Record<string, unknown>)

/** Sends a message as the platform does, for an agent with connections. */
const say = (text: string) =>
  on.gateway
    .chat(
      { user: 'bea', messages: [{ role: 'user', content: text }] },
      {
        headers: { 'platform-connections': '1' },
      },
    )
    .then((answer) => answer.text())

describe('an agent', () => {
  it('without connections does not ask for them; one that gets them has their tools in the same turn', async () => {
    await on.gateway.say('bea', 'Hello')
    expect(asked).toEqual([])
    await say('Hello')
    expect(offered()).toEqual(['notes__pages_search', 'wiki__pages_search'])
    await on.gateway.say('bea', 'Hello again, at my own host')
    expect(offered()).toEqual(['notes__pages_search', 'wiki__pages_search'])
  })
})

describe('an agent that had connections when it started', () => {
  const started = useAgent('each', { AGENT_CONNECTIONS: '1' })

  it('asks for them until they are gone', async () => {
    started.upstream.reply = on.upstream.reply
    names = []
    for (const text of ['one', 'two']) await started.gateway.say('bea', text)
    expect(asked).toHaveLength(1)
  })
})

describe('the tools of an agent’s connections', () => {
  it('are offered by connection and tool, and called with the agent’s own key in the session of the turn', async () => {
    rounds = [(response) => askFor(response, { name: 'wiki__pages_search', given: { q: 'tea' } })]
    await say('Search for tea.')
    expect(offered()).toEqual(['notes__pages_search', 'wiki__pages_search'])
    expect(results()).toEqual([{ result: { page: 1 } }])
    const last = asked.at(-1)
    expect(last?.path).toBe('/connections/wiki/mcp')
    expect(last?.body).toMatchObject({
      method: 'tools/call',
      params: { name: 'pages.search', arguments: { q: 'tea' } },
    })
    expect(last?.headers).toMatchObject({ 'x-session': 'bea', 'mcp-name': 'pages.search' })
    for (const { headers } of asked) expect(headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(turns[0]?.body.messages[0]?.content).toContain('not instructions')
  })

  it('have names of their own, in any order, if theirs are equal without their special characters', async () => {
    names = ['notes']
    own = ['pages.search', 'pages_search', 'pages search', 'suche-für-alle']
    await say('Hello')
    const given = offered()
    expect(given).toEqual([
      expect.stringMatching(/^notes__pages_search_[0-9a-f]{8}$/),
      'notes__pages_search',
      expect.stringMatching(/^notes__pages_search_[0-9a-f]{8}$/),
      'notes__suche-f_r-alle',
    ])
    expect(new Set(given).size).toBe(4)
    const calls = given.map((name) => ({ name, given: {} }))
    rounds = calls.map((call) => (response) => askFor(response, call))
    await say('Search everywhere.')
    const called = asked.filter(({ path }) => path === '/connections/notes/mcp').slice(-4)
    expect(called.map(({ body }) => (body as never as { params: object }).params)).toMatchObject(
      own.map((name) => ({ name })),
    )
    expect(called.map(({ headers }) => headers['mcp-name'])).toEqual([
      'pages.search',
      'pages_search',
      'pages search',
      '=?base64?c3VjaGUtZsO8ci1hbGxl?=',
    ])
  })

  it('are at most 100, and the model is told which are left out', async () => {
    own = Array.from({ length: 60 }, (_, i) => `tool${i}`)
    await say('Hello')
    expect(offered()).toHaveLength(100)
    const prompt = turns.at(-1)?.body.messages[0]?.content
    expect(prompt).toMatch(/You do not have: wiki__tool40, [^]*wiki__tool59/)
    expect(prompt).not.toContain('wiki__tool39')
  })

  it('are listed once for several turns', async () => {
    for (const text of ['one', 'two']) await say(text)
    expect(asked).toHaveLength(3)
  })

  it('of a connection that fails are left out, and the turn continues', async () => {
    broken = 'notes'
    await say('Hello')
    expect(offered()).toEqual(['wiki__pages_search'])
  })

  it('that wait for an approval are told to the model as pending', async () => {
    const pending = { state: 'pending', approvalId: 'apr_1' }
    result = { content: [{ type: 'text', text: JSON.stringify(pending) }] }
    rounds = [(response) => askFor(response, { name: 'notes__pages_search', given: {} })]
    await say('Search.')
    expect(results()).toEqual([{ result: pending }])
  })

  it('are none without connections, and not offered if the request brings its own tools', async () => {
    names = []
    await say('Hello')
    expect(turns.at(-1)?.body).not.toHaveProperty('tools')
    const tools = [{ type: 'function', function: { name: 'mine', parameters: {} } }]
    await on.gateway.chat({ ...question, tools }, { headers: { 'platform-connections': '1' } })
    expect(offered()).toEqual(['mine'])
  })
})
