import { expect, test } from 'vitest'
import { useAgent } from '../testing/use.ts'

const on = useAgent('all', { SYSTEM_PROMPT: 'Be brief.', AI_MODEL: 'vendor/own' })

test('the role developer instructs a turn, and null counts as absent', async () => {
  const nothing = { model: null, stream: null, tools: null, temperature: null }
  const answer = await on.gateway.chat({
    ...nothing,
    user: 'ann',
    messages: [
      { role: 'developer', content: 'Rhyme.', name: null },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hi', tool_calls: null, function_call: null, audio: null },
      { role: 'user', content: 'Go on.' },
    ],
  })
  expect(answer.status).toBe(200)
  const transcript = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'Go on.' },
  ]
  const system = { role: 'system', content: 'Be brief.' }
  expect(on.upstream.lastCall.body).toEqual({
    model: 'vendor/own',
    messages: [system, { role: 'developer', content: 'Rhyme.' }, ...transcript],
  })
  await on.gateway.say('ann', 'And now?')
  expect(on.upstream.lastCall.body.messages.slice(0, 4)).toEqual([system, ...transcript])
})

test('a stream has its usage only if the caller requests it, as at the AI gateway', async () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  await (await on.gateway.chat({ messages, stream: true })).text()
  expect(on.upstream.lastCall.body).not.toHaveProperty('stream_options')
  const stream_options = { include_usage: true }
  await (await on.gateway.chat({ messages, stream: true, stream_options })).text()
  expect(on.upstream.lastCall.body).toMatchObject({ stream: true, stream_options })
})

test('accepts calls and results in their older form, and keeps them', async () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, function_call: { name: 'add', arguments: '{"a":1}' } },
    { role: 'function', name: 'add', content: '2' },
  ]
  const functions = [{ name: 'add', parameters: {} }]
  const answer = await on.gateway.chat({ user: 'older', functions, messages })
  expect(answer.status).toBe(200)
  expect(on.upstream.lastCall.body.messages.slice(-3)).toEqual([
    messages[0],
    { role: 'assistant', function_call: { name: 'add', arguments: '{"a":1}' }, content: null },
    messages[2],
  ])
  await on.gateway.say('older', 'And now?')
  expect(on.upstream.lastCall.body.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'function',
    'assistant',
    'user',
  ])
})
