import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { token, until } from '../testing/gateway.ts'
import { beginStream, endStream, say, sayChunk, sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

interface Frame {
  type: string
  id?: unknown
  content?: string
  [field: string]: unknown
}

const on = useAgent('each')

function connect(
  path = '/',
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
) {
  return new WebSocket(on.gateway.url.replace('http', 'ws') + path, { headers })
}

/** Opens a connection and collects its frames after the greeting. */
async function open() {
  const socket = connect()
  const frames: Frame[] = []
  socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame))
  const greeting = await until(() => frames.shift())
  return {
    socket,
    greeting,
    frames,
    send: (value: unknown) =>
      socket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    /** Waits for `count` frames and removes them. */
    heard: (count: number) => until(() => frames.length >= count && frames.splice(0)),
  }
}

async function refused(socket: WebSocket): Promise<number | undefined> {
  const [, answer] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ]
  socket.on('error', () => {}).terminate()
  return answer.statusCode
}

const done = (id: unknown, content: string, session: string | null = null) => ({
  type: 'done',
  id,
  session,
  message: { role: 'assistant', content },
})

describe('the agent’s WebSocket', () => {
  it('identifies itself, and answers each message piece by piece under its id', async () => {
    on.upstream.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'Hel')
      sayChunk(response, 'lo')
      endStream(response)
    }
    const { greeting, send, heard, socket } = await open()
    expect(greeting).toEqual({ type: 'ready', agentId: 'agt_test', agentName: 'Ada' })
    send({ id: 7, message: 'Hi' })
    expect(await heard(3)).toEqual([
      { type: 'delta', id: 7, content: 'Hel' },
      { type: 'delta', id: 7, content: 'lo' },
      done(7, 'Hello'),
    ])
    expect(on.upstream.lastCall.body).toMatchObject({ stream: true })
    socket.close()
  })

  it('sends each piece before the model produces the next', async () => {
    const gate = Promise.withResolvers<void>()
    on.upstream.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'one')
      await gate.promise
      endStream(response)
    }
    const { send, heard } = await open()
    send({ message: 'Count' })
    expect(await heard(1)).toEqual([{ type: 'delta', id: null, content: 'one' }])
    gate.resolve()
    expect(await heard(1)).toEqual([done(null, 'one')])
  })

  it('stores a named session, which other routes can read', async () => {
    const { send, heard } = await open()
    send({ message: 'My name is Ann.', session: 'ann' })
    expect(await heard(2)).toContainEqual(done(null, 'Fine, thanks.', 'ann'))
    send({ message: 'Who am I?', session: 'ann' })
    await heard(2)
    expect(on.upstream.lastCall.body.messages.map(({ content }) => content)).toEqual([
      'My name is Ann.',
      'Fine, thanks.',
      'Who am I?',
    ])
    expect(await on.gateway.json('/sessions/ann')).toMatchObject({ count: 4 })
    expect(await on.gateway.json('/stats')).toMatchObject({ messages: 2, errors: 0 })
  })

  it('answers several messages in parallel, up to a limit', async () => {
    const gate = Promise.withResolvers<void>()
    on.upstream.reply = async (response) => {
      await gate.promise
      say(response, 'Fine')
    }
    const { send, heard } = await open()
    for (let id = 1; id <= 5; id++) send({ id, message: 'Hi' })
    expect(await heard(1)).toMatchObject([
      { type: 'error', id: 5, error: { code: 'too_many_messages' } },
    ])
    gate.resolve()
    const all = await heard(8)
    expect(
      all
        .filter(({ type }) => type === 'done')
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([1, 2, 3, 4])
  })

  it.each([
    ['{', { code: 'invalid_json' }],
    ['[]', { code: 'invalid_request', param: 'message' }],
    ['null', { code: 'invalid_request', param: 'message' }],
    [{ id: 'a' }, { param: 'message' }],
    [{ id: 'a', message: ' ' }, { param: 'message' }],
    [{ id: 'a', message: 'Hi', session: '' }, { param: 'session' }],
    [{ id: 'a', message: 'Hi', session: 'x'.repeat(257) }, { param: 'session' }],
  ])('reports the error in %j, and stays open', async (value, error) => {
    const { send, heard } = await open()
    send(value)
    const id = typeof value === 'string' ? null : 'a'
    expect(await heard(1)).toEqual([{ type: 'error', id, error: expect.objectContaining(error) }])
    expect(on.upstream.calls).toEqual([])
    send({ message: 'Hi' })
    expect(await heard(2)).toContainEqual(done(null, 'Fine, thanks.'))
  })

  it('reports why an answer is missing or incomplete', async () => {
    const { send, heard } = await open()
    on.upstream.reply = (response) =>
      sendJson(response, 429, { error: { message: 'Too much', code: 'quota_exceeded' } })
    send({ id: 1, message: 'Hi' })
    expect(await heard(1)).toMatchObject([
      { type: 'error', id: 1, error: { message: 'Too much', code: 'quota_exceeded' } },
    ])
    on.upstream.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'Hel')
      response.write('event: error\ndata: {"error":"Cut off","code":"UPSTREAM_CUT"}\n\n', () =>
        response.end(),
      )
    }
    send({ id: 2, message: 'Hi', session: 'ann' })
    expect(await heard(2)).toMatchObject([
      { type: 'delta', id: 2, content: 'Hel' },
      { type: 'error', id: 2, error: { message: 'Cut off', code: 'UPSTREAM_CUT' } },
    ])
    expect(await on.gateway.json('/sessions/ann')).toMatchObject({ count: 2 })
    expect(await on.gateway.json('/stats')).toMatchObject({ messages: 2, errors: 2 })
  })

  it('cancels the work for a caller who has disconnected', async () => {
    const cut = Promise.withResolvers<void>()
    on.upstream.reply = async (response) => {
      response.once('close', () => cut.resolve())
      beginStream(response)
      sayChunk(response, 'Hel')
    }
    const { send, heard, socket } = await open()
    send({ message: 'Hi' })
    await heard(1)
    socket.terminate()
    await cut.promise
    await until(() => on.gateway.output.includes('"code":"caller_left"'))
    expect(on.gateway.output).not.toContain('internal_error')
  })

  it('opens only with the token, and only at /', async () => {
    expect(await refused(connect('/', {}))).toBe(401)
    expect(await refused(connect('/', { authorization: 'Bearer wrong' }))).toBe(401)
    expect(await refused(connect('/memory'))).toBe(404)
  })

  it('answers a request for another protocol as a plain request', async () => {
    const headers = { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: 'h2c' }
    const asked = request(`${on.gateway.url}/memory`, { headers })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })

  it('rejects a message of more than 1 MB', async () => {
    const { socket, send } = await open()
    send({ message: 'x'.repeat(1_048_576) })
    expect((await once(socket, 'close'))[0]).toBe(1009)
    expect(on.upstream.calls).toEqual([])
  })

  it('lets an answer finish at a shutdown, and then closes', async () => {
    const gate = Promise.withResolvers<void>()
    on.upstream.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'Hel')
      await gate.promise
      sayChunk(response, 'lo')
      endStream(response)
    }
    const { socket, send, heard } = await open()
    send({ id: 1, message: 'Hi' })
    await heard(1)
    const closed = once(socket, 'close')
    on.gateway.child.kill('SIGTERM')
    await until(() => on.gateway.output.includes('stops: SIGTERM'))
    send({ id: 2, message: 'And?' })
    expect(await heard(1)).toMatchObject([{ type: 'error', id: 2, error: { code: 'stopping' } }])
    gate.resolve()
    expect(await heard(2)).toEqual([{ type: 'delta', id: 1, content: 'lo' }, done(1, 'Hello')])
    expect((await closed)[0]).toBe(1012)
    expect(await on.gateway.exited).toEqual({ code: 0, signal: null })
  })
})
