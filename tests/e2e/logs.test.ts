import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { readEvents } from '../support/http/event-stream.ts'
import {
  asInternal,
  call,
  chat,
  newSubscriber,
  runningAgent,
  stack,
} from '../support/stack/platform.ts'

it('an agent’s log is streamed to its owner, and resumes', async () => {
  const user = await newSubscriber('solo')
  const agentId = await runningAgent(user)
  const url = `${stack().backend}/api/logs/${agentId}/stream`
  const headers = asInternal(user.id)

  const first = readEvents(await fetch(url, { headers }))
  const connected = await first.next()
  expect(connected.value).toMatchObject({ event: 'line', data: { type: 'connected', agentId } })
  await chat(user, { message: 'Say something.' })
  let lastId = ''
  let lastLine = ''
  for await (const { id, data } of first) {
    lastId = id ?? ''
    lastLine = String(data.text)
    if (lastLine.includes('/v1/chat/completions')) break
  }

  await chat(user, { message: 'And again.' })
  const second = readEvents(await fetch(url, { headers: { ...headers, 'last-event-id': lastId } }))
  const observed: string[] = []
  for await (const { data } of second) {
    if (data.type === 'line') observed.push(String(data.text))
    if (observed.some((text) => text.includes('/v1/chat/completions'))) break
  }
  // Each line of the agent's log names its request, so a repeated line would be a repeated turn.
  expect(observed).not.toContain(lastLine)

  const history = await call(`${stack().backend}/api/logs/${agentId}/history`, { headers })
  expect(JSON.stringify(history.body.lines)).toContain(observed.at(-1)?.slice(0, 20))
  const stranger = await call(`${stack().backend}/api/logs/${agentId}/history`, {
    headers: asInternal('usr_stranger'),
  })
  expect(stranger.status).toBe(404)
  await eventually(async () => {
    const { body } = await call(`${stack().backend}/api/logs/active`, { headers })
    expect(body).toEqual({ streams: [] })
  })
})
