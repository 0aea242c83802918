import { beforeEach, expect, it } from 'vitest'
import { askFor, hello, PlayedBus, question } from '../testing/played-bus.ts'
import { sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent('all', { AGENT_BUS: '1', AGENT_MCP: '1' })

let bus: PlayedBus
/** The platform's tools that were called. */
let called: unknown[]

beforeEach(() => {
  bus = new PlayedBus()
  called = []
  on.upstream.reply = (response, call) => {
    if (call.path !== '/mcp') return bus.reply(response, call)
    const { method, params } = call.body as unknown as { method: string; params: object }
    if (method !== 'tools/list') called.push(params)
    const result =
      method === 'tools/list'
        ? { tools: [{ name: 'send_message', description: 'To a person', inputSchema: {} }] }
        : { content: [{ type: 'text', text: '{"state":"waiting"}' }] }
    sendJson(response, 200, { jsonrpc: '2.0', id: 1, result })
  }
})

it('an agent writes to other agents and to people by tools that have the same name', async () => {
  const given = { channel: 'chn_1', to: '7', text: 'Hi' }
  bus.rounds = [
    (response) =>
      askFor(
        response,
        { name: 'send_message', given: hello },
        { name: 'send_message_2', given, id: 'call_2' },
      ),
  ]
  await on.gateway.chat(question)
  expect(bus.sent).toMatchObject([{ to: { agentId: 'agt_other' }, payload: { text: 'Hi' } }])
  expect(called).toMatchObject([{ name: 'send_message', arguments: given }])
  expect(bus.results).toEqual([
    { sent: true, messageId: bus.sent[0]?.['messageId'] },
    { result: { state: 'waiting' } },
  ])
})
