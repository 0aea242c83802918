import { appendFile, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { pieces, until } from '../testing/gateway.ts'
import { beginStream, endStream, say, sayChunk, sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'
import { Sessions } from './sessions.ts'

const on = useAgent('each')

beforeEach(() => {
  on.upstream.reply = (response, { body }) =>
    say(response, `Heard ${body.messages.at(-1)?.content}`)
})

/** Returns the messages to the model without the system message, in short form. */
function heard(): string[] {
  return on.upstream.lastCall.body.messages.map(({ role, content }) => `${role}: ${content}`)
}

async function told(sessionId: string): Promise<string[]> {
  const session = (await on.gateway.json(`/sessions/${sessionId}`)) as {
    messages: { role: string; content: string }[]
  }
  return session.messages.map(({ role, content }) => `${role}: ${content}`)
}

async function restartAfterKill(): Promise<void> {
  await on.gateway.kill('SIGKILL')
  await on.restart()
}

test('stores question and answer of every turn in its session, and nothing without a session', async () => {
  await on.gateway.say('ann', 'one')
  await on.gateway.say('bob', 'two')
  await on.gateway.chat({ messages: [{ role: 'user', content: 'three' }] })
  expect(heard()).toEqual(['user: three'])
  await on.gateway.say('ann', 'four')
  expect(heard()).toEqual(['user: one', 'assistant: Heard one', 'user: four'])
  expect(await told('bob')).toEqual(['user: two', 'assistant: Heard two'])
  expect(await on.gateway.json('/sessions')).toMatchObject({
    sessions: [{ sessionId: 'ann' }, { sessionId: 'bob' }],
    count: 2,
  })
})

test('appends only the new messages of a caller that sends the whole transcript', async () => {
  await on.gateway.say('ann', 'one')
  await on.gateway.chat({
    user: 'ann',
    messages: [
      { role: 'system', content: 'Rhyme.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'Heard one' },
      { role: 'user', content: 'two' },
    ],
  })
  expect(heard()).toEqual(['system: Rhyme.', 'user: one', 'assistant: Heard one', 'user: two'])
  expect(await told('ann')).toEqual([
    'user: one',
    'assistant: Heard one',
    'user: two',
    'assistant: Heard two',
  ])

  const stale = await on.gateway.chat({
    user: 'ann',
    messages: [{ role: 'assistant', content: 'Heard two' }],
  })
  expect(stale.status).toBe(400)
})

test('stores the whole transcript if the session is empty', async () => {
  const transcript = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Heard one' },
    { role: 'user', content: 'two' },
  ]
  await on.gateway.chat({ user: 'ann', messages: transcript })
  expect(heard()).toEqual(['user: one', 'assistant: Heard one', 'user: two'])
  await on.gateway.say('ann', 'three')
  const all = ['user: one', 'assistant: Heard one', 'user: two', 'assistant: Heard two']
  expect(heard()).toEqual([...all, 'user: three'])
  await on.gateway.chat({ user: 'ann', messages: transcript })
  expect(heard()).toEqual([...all, 'user: three', 'assistant: Heard three', 'user: two'])
})

test('lists the latest first, even if several have the same time', async () => {
  const sessions = new Sessions(on.home.workspace)
  const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
  for (const name of names) await sessions.append(name, { at: '2026-01-01', messages: [] })
  const listed = (await sessions.list()).sessions.map(({ sessionId }) => sessionId)
  expect(listed).toEqual(names.toReversed())
})

test('keeps a tool call and its result together across turns', async () => {
  const call = { id: 't1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
  on.upstream.reply = (response) => {
    const delta = (part: unknown): void => {
      response.write(
        `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [part] } }] })}\n\n`,
      )
    }
    beginStream(response)
    delta({ index: 0, id: 't1', function: { name: 'add', arguments: '{"a"' } })
    delta({ index: 0, function: { arguments: ':1}' } })
    endStream(response)
  }
  const messages = [{ role: 'user', content: 'add' }]
  await (await on.gateway.chat({ user: 'ann', stream: true, messages })).text()

  on.upstream.reply = (response) => say(response, 'Two')
  const result = { role: 'tool', tool_call_id: 't1', content: '2' }
  await on.gateway.chat({ user: 'ann', messages: [result] })
  expect(on.upstream.lastCall.body.messages).toEqual([
    { role: 'user', content: 'add' },
    { role: 'assistant', content: null, tool_calls: [call] },
    result,
  ])
})

test('has stored a streamed turn before its [DONE] is sent', async () => {
  on.upstream.reply = (response) => {
    beginStream(response)
    sayChunk(response, 'Hel')
    sayChunk(response, 'lo')
    endStream(response)
  }
  const messages = [{ role: 'user', content: 'hi' }]
  const response = await on.gateway.chat({ user: 'ann', stream: true, messages })
  for await (const piece of pieces(response)) if (piece.includes('[DONE]')) break
  await restartAfterKill()
  expect(await told('ann')).toEqual(['user: hi', 'assistant: Hello'])
})

test('survives kill -9 and a truncated last line', async () => {
  await on.gateway.say('ann', 'one')
  await on.gateway.say('ann', 'two')
  const folder = join(on.home.workspace, 'sessions')
  const [name = ''] = await readdir(folder)
  const path = join(folder, name)

  await appendFile(path, '{"at":"2026-01-01T00:00:00Z","messages":[{"role":"user","con')
  await restartAfterKill()
  expect((await told('ann')).length).toBe(4)
  await on.gateway.say('ann', 'three')
  expect(await told('ann')).toEqual(
    ['one', 'two', 'three'].flatMap((word) => [`user: ${word}`, `assistant: Heard ${word}`]),
  )

  await truncate(path, (await stat(path)).size - 5)
  await restartAfterKill()
  await on.gateway.say('ann', 'four')
  expect(heard()).toEqual([
    'user: one',
    'assistant: Heard one',
    'user: two',
    'assistant: Heard two',
    'user: four',
  ])
})

test('keeps every turn of concurrent callers in one session', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `w${index}`)
  await Promise.all(words.map((word) => on.gateway.say('ann', word)))
  const messages = await told('ann')
  expect(messages.filter((text) => text.startsWith('user')).sort()).toEqual(
    words.map((word) => `user: ${word}`).sort(),
  )
  expect(messages).toHaveLength(80)
})

test('repairs a truncated line without losing a concurrent turn', async () => {
  const sessions = new Sessions(on.home.workspace)
  const words = Array.from({ length: 20 }, (_, index) => `w${index}`)
  for (let round = 0; round < 20; round += 1) {
    const id = `round ${round}`
    const { path } = await openTorn(sessions, id)
    await Promise.all(
      words.map((content) =>
        sessions.append(id, { at: '2026-01-01', messages: [{ role: 'user', content }] }),
      ),
    )
    const kept = await sessions.turns(id)
    expect(kept.map((turn) => turn.messages[0]?.content)).toEqual(['first', ...words])
    await rm(path)
  }
})

/** Creates a session with one turn and an incomplete line after it. */
async function openTorn(sessions: Sessions, id: string): Promise<{ path: string }> {
  await sessions.append(id, { at: '2026-01-01', messages: [{ role: 'user', content: 'first' }] })
  const folder = join(on.home.workspace, 'sessions')
  const [name = ''] = await readdir(folder)
  const path = join(folder, name)
  await appendFile(path, '{"at":"2026')
  return { path }
}

test('gives the model only the latest complete turns of a long session', async () => {
  const long = 'x'.repeat(9_000)
  for (const word of ['a', 'b', 'c', 'd', 'e']) await on.gateway.say('ann', word + long)
  await on.gateway.say('ann', 'last')
  const history = on.upstream.lastCall.body.messages.slice(0, -1)
  expect(JSON.stringify(history).length).toBeLessThan(33_000)
  expect(history.map(({ role, content }) => `${role} ${content.slice(0, 1)}`)).toEqual([
    'user e',
    'assistant H',
  ])
})

test('drops a failed turn, and keeps the text of an interrupted one', async () => {
  on.upstream.reply = (response) => sendJson(response, 429, { error: { message: 'no' } })
  await on.gateway.say('ann', 'one')
  expect((await on.gateway.fetch('/sessions/ann')).status).toBe(404)

  on.upstream.reply = (response) => {
    beginStream(response)
    sayChunk(response, 'Well, ')
  }
  const abort = new AbortController()
  const messages = [{ role: 'user', content: 'two' }]
  const response = await on.gateway.chat(
    { user: 'ann', stream: true, messages },
    { signal: abort.signal },
  )
  await pieces(response).next()
  abort.abort()
  await until(async () => (await on.gateway.fetch('/sessions/ann')).status === 200)
  expect(await told('ann')).toEqual(['user: two', 'assistant: Well, '])
})

test('creates, renames and deletes sessions', async () => {
  const body = JSON.stringify({ title: 'Plans' })
  const created = await on.gateway.fetch('/sessions', { method: 'POST', body })
  expect(created.status).toBe(201)
  const { sessionId } = (await created.json()) as { sessionId: string }
  expect(sessionId).toMatch(/^ses_[0-9a-z]{29}$/)
  expect(await on.gateway.json(`/sessions/${sessionId}`)).toEqual({
    sessionId,
    title: 'Plans',
    createdAt: expect.any(String),
    messages: [],
    count: 0,
  })

  await on.gateway.say(sessionId, 'hi')
  expect(await on.gateway.json(`/sessions/${sessionId}`)).toMatchObject({
    title: 'Plans',
    count: 2,
  })
  const gone = await on.gateway.fetch(`/sessions/${sessionId}`, { method: 'DELETE' })
  expect(gone.status).toBe(200)
  expect((await on.gateway.fetch(`/sessions/${sessionId}`)).status).toBe(404)
  expect((await on.gateway.fetch(`/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(404)

  const long = JSON.stringify({ title: 'x'.repeat(201) })
  expect((await on.gateway.fetch('/sessions', { method: 'POST', body: long })).status).toBe(400)
})

test('stores a session whose name looks like a path inside its folder', async () => {
  const name = '../../etc/passwd\u0000/é'
  await on.gateway.say(name, 'hi')
  expect(await told(encodeURIComponent(name))).toEqual(['user: hi', 'assistant: Heard hi'])
  expect(await readdir(on.home.workspace)).toEqual(['sessions'])
  expect(await readdir(join(on.home.workspace, 'sessions'))).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}\.jsonl$/),
  ])
})
