import { expect, it } from 'vitest'
import { sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent()

it('without the bus, the gateway offers no bus tools and rejects calls to them', async () => {
  const call = { id: 'c', type: 'function', function: { name: 'read_inbox', arguments: '{}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  on.upstream.reply = (response) => sendJson(response, 200, { choices: [{ message }] })
  const answer = await on.gateway.chat({ messages: [{ role: 'user', content: 'Hi' }] })
  expect(await answer.json()).toMatchObject({ choices: [{ message }] })
  expect(on.upstream.calls.map(({ path, body }) => [path, 'tools' in body])).toEqual([
    ['/v1/chat/completions', false],
  ])
})
