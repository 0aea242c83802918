import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { beginStream, type Call, endStream, say, sendEvent, sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent('all', { AGENT_MCP: '1' })

const inputSchema = { type: 'object', properties: {} }
const tools = [{ name: 'forget_all', description: 'Forgets all.', inputSchema }]
const tool_calls = [
  { index: 0, id: 'c1', type: 'function', function: { name: 'forget_all', arguments: '' } },
]

function answerOnce(response: ServerResponse, finish_reason: string, stream: boolean): void {
  const choice = { index: 0, finish_reason }
  if (!stream) return sendJson(response, 200, { choices: [{ ...choice, message: { tool_calls } }] })
  beginStream(response)
  sendEvent(response, { choices: [{ index: 0, delta: { tool_calls } }] })
  sendEvent(response, { choices: [{ ...choice, delta: {} }] })
  endStream(response)
}

test.each([
  [true, 'length', 0],
  [false, 'length', 0],
  [true, 'tool_calls', 1],
  [false, 'tool_calls', 1],
])(
  'a tool call without arguments does not run if its answer was cut (stream: %s, %s)',
  async (stream, finish, runs) => {
    let ran = 0
    const asked: Call[] = []
    on.upstream.reply = (response, call) => {
      if (call.path !== '/mcp') {
        asked.push(call)
        return asked.length === 1 ? answerOnce(response, finish, stream) : say(response, 'Done.')
      }
      const { method } = call.body as unknown as { method: string }
      if (method === 'tools/call') ran++
      const result =
        method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: '1' }] }
      sendJson(response, 200, { jsonrpc: '2.0', id: 1, result })
    }
    await (await on.gateway.chat({ stream, messages: [{ role: 'user', content: 'Hi' }] })).text()
    expect(ran).toBe(runs)
    const result = asked[1]?.body.messages.find(({ role }) => role === 'tool')
    expect(result?.content.includes('error')).toBe(runs === 0)
  },
)
