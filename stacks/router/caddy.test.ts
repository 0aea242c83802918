import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { domain, type HostRequest, say } from '#tests/support/agents/agent-hosts.ts'
import { caddy, caddyIsInstalled } from '#tests/support/agents/caddy.ts'
import {
  deadPort,
  echo,
  type RoutedAgent,
  startRoutedAgent,
} from '#tests/support/agents/routed-agent.ts'

/** Tests the deployed router's configuration. Needs Caddy, such as Debian's `caddy`; the CI machine does not have it. */
describe.skipIf(!caddyIsInstalled)('the deployed router', () => {
  let routed: RoutedAgent

  beforeAll(async () => {
    routed = await startRoutedAgent(caddy)
  })
  afterAll(() => routed.close())
  afterEach(() => routed.behave(echo))

  it('forwards a request unchanged, with the gateway token in place of the credentials', async () => {
    const { host, port, agent, gate } = routed
    const cookie = `theme=dark; ${await routed.cookieOf()}; service-session=x`
    const path = '/a%2Fb//c?x=1&x=%20'
    for (const headers of [routed.withKey, { cookie }]) {
      const answer = await say(port, host, { method: 'PATCH', path, headers })
      const seen = JSON.parse(answer.text) as {
        method: string
        url: string
        headers: Record<string, string>
      }
      expect(seen).toMatchObject({ method: 'PATCH', url: path })
      expect(seen.headers).toMatchObject({
        host,
        authorization: `Bearer ${await gate.tokenOf(agent)}`,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'https',
      })
      expect(seen.headers.cookie).toBe(headers === routed.withKey ? '' : 'theme=dark')
    }
  })

  it('forwards a whole body', async () => {
    routed.behave(async (incoming, response) => {
      response.end(String((await text(incoming)).length))
    })
    const body = 'x'.repeat(3_000_000)
    const answer = await routed.ask('/', { method: 'POST', body })
    expect(answer.text).toBe('3000000')
  })

  it('lets no client set the target or the identity headers', async () => {
    const { text: body } = await routed.ask('/', {
      headers: {
        'x-agent-upstream': '127.0.0.1:1',
        'x-agent-authorization': 'Bearer mine',
        'x-agent-cookie': 'mine=1',
        'x-router-secret': 'mine',
        'x-router-hold': '86399',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-for': '10.0.0.1',
        forwarded: 'for=10.0.0.1',
      },
    })
    expect(body).not.toMatch(/evil|10\.0\.0|mine|x-router|x-agent|x-forwarded-for|86399/)
  })

  it('returns the gate’s response to a denied client', async () => {
    const { port, host, owner, withKey } = routed
    const stranger = await routed.gate.person()
    const answers = await Promise.all([
      say(port, host),
      say(port, host, { method: 'POST', headers: owner.session, body: 'x' }),
      say(port, host, { headers: { authorization: `Bearer ${stranger.key}` } }),
      say(port, `nothing-00000000.${domain}`, { headers: withKey }),
      say(port, 'nowhere.example', { headers: withKey }),
      say(port, `${host}.evil.example`, { headers: withKey }),
      say(port, host.replace(':', '.:'), { headers: withKey }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 404, 404, 404, 404, 404])
    for (const { headers, text: body } of answers) {
      expect(JSON.parse(body)).toEqual({ error: expect.any(String) })
      expect(Object.keys(headers)).not.toContain('x-agent-authorization')
    }
  })

  it('keeps an agent’s response within its own host', async () => {
    routed.behave((_, response) => {
      response.writeHead(200, {
        'set-cookie': [
          'a=1; Domain=agents.localhost; Path=/;domain =.localhost',
          'b=2; dom; domain=xain=y; Secure',
          'service-session=taken',
          '__Host-agent-access=taken; Secure; Path=/',
        ],
        'clear-site-data': '"cookies"',
        'alt-svc': 'h2="evil.example:443"',
        'x-own': 'kept',
      })
      response.end()
    })
    const { headers } = await routed.ask()
    expect(headers['set-cookie']?.filter(Boolean)).toEqual(['a=1; Path=/', 'b=2; dom; Secure'])
    expect(headers).not.toHaveProperty('clear-site-data')
    expect(headers).not.toHaveProperty('alt-svc')
    expect(headers['x-own']).toBe('kept')
  })

  it.each(['text/event-stream', 'text/plain'])(
    'streams %s, and forwards its reader’s disconnect',
    async (type) => {
      const { port, host, withKey } = routed
      const left = Promise.withResolvers<void>()
      routed.behave((_, response) => {
        response.once('close', left.resolve)
        response.writeHead(200, { 'content-type': type }).write('data: 1\n\n')
      })
      const headers = { host, ...withKey }
      const asked = request({ port, headers }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      const [first] = (await once(answer, 'data')) as [Buffer]
      expect(first.toString()).toBe('data: 1\n\n')
      asked.destroy()
      await expect(left.promise).resolves.toBeUndefined()
    },
  )

  it('connects WebSockets, for the agent’s own page and for no other', async () => {
    const { open, host, gate, agent, owner } = routed
    const cookie = await routed.cookieOf()
    const { socket } = open({ cookie }, { origin: `http://${host}` })
    await once(socket, 'open')
    socket.send('hello')
    const [said] = (await once(socket, 'message')) as [Buffer]
    expect(said.toString()).toBe(`Bearer ${await gate.tokenOf(agent)} hello`)
    socket.terminate()
    for (const origin of [`http://evil-00000000.${domain}`, 'https://evil.example', 'null'])
      expect(await open({ cookie }, { origin }).refused).toBe(403)
    expect(await open(owner.session).refused).toBe(401)
  })

  it('sends the gate the request’s origin and protocol: no other page’s change, and no other protocol', async () => {
    const { port, host, withKey } = routed
    const foreign = {
      cookie: await routed.cookieOf(),
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const statusOf = async (saying: HostRequest) => (await say(port, host, saying)).status
    expect(await statusOf({ headers: foreign })).toBe(200)
    expect(await statusOf({ headers: foreign, method: 'POST' })).toBe(403)
    const upgrade = { connection: 'Upgrade', upgrade: 'h2c' }
    expect(await statusOf({ headers: { ...withKey, ...upgrade } })).toBe(400)
  })

  it('counts refused requests for the address that the load balancer adds', async () => {
    const { port, host, withKey } = routed
    const from = async (client: string, headers: Record<string, string> = {}) => {
      const forwarded = { 'x-forwarded-for': client, 'x-router-client': '192.0.2.9' }
      return (await say(port, host, { headers: { ...forwarded, ...headers } })).status
    }
    const junk = Array.from({ length: 602 }, (_, i) => from(`10.0.0.${i % 250}, 198.51.100.7`))
    expect(new Set(await Promise.all(junk))).toEqual(new Set([401, 429]))
    expect(await from('198.51.100.7, 198.51.100.8')).toBe(401)
    expect(await from('198.51.100.7', withKey)).toBe(200)
  })

  it('reports a missing agent, and its own health', async () => {
    const { port, gate, owner, withKey: headers } = routed
    const address = { host: '127.0.0.1', port: await deadPort() }
    const dead = await gate.agent(owner.id, { address })
    const gone = await say(port, gate.hostOf(dead), { headers })
    expect(gone.status).toBe(502)
    expect(JSON.parse(gone.text)).toMatchObject({ code: 'AGENT_UNREACHABLE' })
    expect((await say(port, '10.0.0.1', { path: '/healthz' })).status).toBe(200)
  })

  it('calls the gate for each request, and while the agent is kept awake', async () => {
    const { gate, owner, address, port, withKey } = routed
    const agent = await gate.agent(owner.id, { address })
    const asked = (accept: string) =>
      say(port, gate.hostOf(agent), { headers: { accept, ...withKey } })
    expect((await asked('*/*')).status).toBe(200)
    expect(await heldFor()).toBeLessThan(400_000)
    expect((await asked('text/event-stream')).status).toBe(200)
    expect(await heldFor()).toBeGreaterThan(800_000)

    async function heldFor() {
      return Number((await gate.row(agent)).busyUntil) - Date.now()
    }
  })
})
