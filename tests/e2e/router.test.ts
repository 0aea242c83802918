import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { agentKey } from '#shared/agents/record/agent.ts'
import { type HostRequest, say } from '../support/agents/agent-hosts.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  agentOf,
  call,
  keyOf,
  lifecycle,
  newSubscriber,
  runningAgent,
  secretsOf,
  sharedTable,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

let owner: TestUser
let id: string
let host: string
let port: number
let key: string

beforeAll(async () => {
  owner = await newSubscriber()
  id = await runningAgent(owner)
  const url = new URL(String((await agentOf(owner, id)).url))
  ;[host, port] = [url.host, Number(url.port)]
  key = await keyOf(owner)
})

const ask = (saying: HostRequest = {}) => say(port, host, saying)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const askForTicket = (user: TestUser, of = id) =>
  call(`${stack().web}/api/agents/${of}/ticket`, { method: 'POST', headers: user.session })

/** Follows a link as a browser does, and returns the cookie that it sets. */
async function follow(url: unknown) {
  const { pathname, search, host: at } = new URL(String(url))
  const { status, headers } = await say(port, at, { path: pathname + search })
  const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? []
  return { status, cookie, requestId: String(headers['x-request-id']) }
}

describe('an agent’s own address', () => {
  it('is under the agents’ domain, for pages and for sockets', async () => {
    const agent = await agentOf(owner, id)
    expect(host).toBe(`${String(agent.subdomain)}.${stack().agentsDomain}`)
    expect(agent.websocketUrl).toBe(`ws://${host}`)
  })

  it('responds to its owner: by key, by gateway token and by link', async () => {
    const [container] = processesOf(stack().dataDir, id)
    const { GATEWAY_TOKEN: token } = await secretsOf(container!)
    const { body } = await askForTicket(owner)
    const { status, cookie } = await follow(body.url)
    expect(status).toBe(303)
    for (const headers of [bearer(key), bearer(token), { cookie }]) {
      const answer = await ask({ path: '/memory', headers })
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.text)).toMatchObject({ memory: {} })
    }
  })

  it('chats in events', async () => {
    const call = request({
      port,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { host, 'content-type': 'application/json', ...bearer(key) },
    })
    const messages = [{ role: 'user', content: 'hello' }]
    call.end(JSON.stringify({ model: 'local/echo', messages, stream: true }))
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(await text(answer)).toMatch(/^data: \{[^]*hello[^]*data: \[DONE\]/)
  })

  it('shows a page after the link, and talks over its WebSocket', async () => {
    const { cookie } = await follow((await askForTicket(owner)).body.url)
    const page = await ask({ headers: { cookie } })
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const own = { cookie, origin: `http://${host}` }
    for (const headers of [own, bearer(key)]) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host, ...headers } })
      const [greeting] = (await once(socket, 'message')) as [Buffer]
      expect(JSON.parse(String(greeting))).toMatchObject({ type: 'ready', agentId: id })
      socket.send(JSON.stringify({ id: 1, message: 'A parrot.' }))
      const answer = await new Promise((resolve) => {
        socket.on('message', (data) => {
          const frame = JSON.parse(String(data)) as { type: string }
          if (frame.type !== 'delta') resolve(frame)
        })
      })
      const content = expect.stringContaining('A parrot.')
      expect(answer).toMatchObject({ type: 'done', id: 1, message: { role: 'assistant', content } })
      socket.terminate()
    }
  })

  it('responds only to its owner', async () => {
    const stranger = await newSubscriber()
    const answers = await Promise.all([
      ask(),
      ask({ headers: owner.session }),
      ask({ headers: bearer(stack().internalKey) }),
      ask({ headers: bearer(await keyOf(stranger)) }),
      askForTicket(stranger),
      say(port, `nothing-00000000.${stack().agentsDomain}`, { headers: bearer(key) }),
      say(port, `localhost:${port}`, { headers: bearer(key) }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 404, 404, 404, 404])
  })

  it('cannot be reached without the gate', async () => {
    const gate = `${stack().backend}/api/gate`
    for (const headers of [{}, bearer(stack().internalKey), bearer(key)])
      expect((await call(gate, { headers: { 'x-forwarded-host': host, ...headers } })).status).toBe(
        401,
      )
  })
})

describe('access by a link', () => {
  it('ends with a new password', async () => {
    const person = await newSubscriber()
    const mine = await runningAgent(person)
    const at = String((await agentOf(person, mine)).url).replace('http://', '')
    const { cookie } = await follow((await askForTicket(person, mine)).body.url)
    const asked = () => say(port, at, { path: '/memory', headers: { cookie } })
    expect((await asked()).status).toBe(200)
    const changed = await call(`${stack().web}/api/settings/password`, {
      headers: person.session,
      body: { currentPassword: person.password, newPassword: `another ${person.password}` },
    })
    expect(changed.status).toBe(200)
    expect((await asked()).status).toBe(401)
    const again = await follow((await askForTicket(person, mine)).body.url)
    expect(again.status).toBe(303)
  })

  it('logs no ticket', async () => {
    const { body } = await askForTicket(owner)
    const ticket = new URL(String(body.url)).searchParams.get('ticket') ?? ''
    expect(ticket).toHaveLength(43)
    const { cookie, requestId } = await follow(body.url)
    const log = await eventually(async () => {
      const lines = await readFile(stack().logFile, 'utf8')
      expect(lines).toContain(requestId)
      return lines
    })
    for (const secret of [ticket, cookie.split('=')[1] ?? '-'])
      expect(log.includes(secret)).toBe(false)
  })
})

describe('an agent that does not run', () => {
  it('is an unavailable service until it runs again', async () => {
    const person = await newSubscriber()
    const mine = await runningAgent(person)
    const at = String((await agentOf(person, mine)).url).replace('http://', '')
    const { cookie } = await follow((await askForTicket(person, mine)).body.url)
    const asked = () => say(port, at, { path: '/memory', headers: { cookie } })
    await lifecycle(person, mine, 'stop')
    await untilStatus(person, mine, 'stopped')
    const { status, text: body } = await asked()
    expect(status).toBe(503)
    expect(JSON.parse(body)).toMatchObject({ code: 'AGENT_NOT_RUNNING', status: 'stopped' })
    await lifecycle(person, mine, 'start')
    // A starting agent counts as reachable: the request waits.
    expect((await asked()).status).toBe(200)
  })

  it('a sleeping agent is woken by the first request, which waits for it', async () => {
    const person = await newSubscriber()
    const mine = await runningAgent(person)
    const at = String((await agentOf(person, mine)).url).replace('http://', '')
    const { cookie } = await follow((await askForTicket(person, mine)).body.url)
    await lifecycle(person, mine, 'stop')
    await eventually(() => expect(processesOf(stack().dataDir, mine)).toEqual([]))
    // The row of an agent that the watchdog has stopped because it was idle.
    await sharedTable().update(agentKey({ userId: person.id, agentId: mine }), {
      set: { asleep: true },
    })
    expect((await say(port, at, { path: '/memory' })).status).toBe(401)
    const first = await say(port, at, { path: '/memory', headers: { cookie } })
    expect(first.status).toBe(200)
    expect(await agentOf(person, mine)).toMatchObject({ status: 'running' })
  })
})
