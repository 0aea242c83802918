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
