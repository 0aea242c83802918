import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import type { Agent } from '../record/agent.ts'
import { gatewayToken } from '../record/secrets.ts'
import { agentGateway } from './gateway.ts'
import { askHealth } from './health.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

/** Long enough for a busy machine. */
const ctx = { encryptionKey, timeouts: { idleMs: 60_000, totalMs: 60_000 } }
const hasty = { encryptionKey, timeouts: { idleMs: 200, totalMs: 400 } }

/** Creates an agent whose gateway answers as the test requires. */
async function agentThat(answers: RequestListener, fields: Partial<Agent> = {}) {
  const server = createServer(answers)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  return {
    agent: await putAgent(database.table, 'usr_1', { address, ...fields }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    void response.writeHead(status).end(JSON.stringify(body))

describe('an agent’s gateway', () => {
  it('is called with its own token, with JSON requests and responses', async () => {
    const requests: unknown[] = []
    await using one = await agentThat(async (request, response) => {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      const { method, url, headers } = request
      requests.push([method, url, headers.authorization, headers['content-type'], text])
      response.end('{"it":"works"}')
    })
    const gateway = await agentGateway(ctx, one.agent)
    expect(await gateway.get('/a?b=c')).toEqual({ it: 'works' })
    expect(await gateway.put('/a', { d: 'é' })).toEqual({ it: 'works' })
    await gateway.post('/a', {})
    await gateway.delete('/a')
    const bearer = `Bearer ${await gatewayToken(encryptionKey, one.agent.id, 1)}`
    expect(requests).toEqual([
      ['GET', '/a?b=c', bearer, undefined, ''],
      ['PUT', '/a', bearer, 'application/json', '{"d":"é"}'],
      ['POST', '/a', bearer, 'application/json', '{}'],
      ['DELETE', '/a', bearer, undefined, ''],
    ])
  })

  it.each([
    [true, '1'],
    [undefined, undefined],
  ] as const)('is told whether the agent has connections: %s', async (hasConnections, expected) => {
    const told: unknown[] = []
    await using one = await agentThat(
      ({ headers }, response) => {
        told.push(headers['platform-connections'])
        response.end('{}')
      },
      { hasConnections },
    )
    await (await agentGateway(ctx, one.agent)).get('/a')
    expect(told).toEqual([expected])
  })

  it.each([
    ['rejects its token', json(401, { error: { message: 'No.' } }), 'bad-gateway', undefined],
    ['fails', json(500, 'x'), 'bad-gateway', 'AGENT_FAILED'],
    ['redirects', json(302, {}), 'bad-gateway', 'AGENT_FAILED'],
    [
      'rejects the request',
      json(400, { error: { message: 'No.', code: 'x' } }),
      'bad-request',
      'x',
    ],
    ['returns 404', json(404, { error: { message: 'No.' } }), 'not-found', undefined],
    [
      'responds in another format',
      (_, response) => void response.end('<html>'),
      'bad-gateway',
      'AGENT_FAILED',
    ],
    ['does not respond', () => {}, 'timeout', 'AGENT_TIMEOUT'],
    [
      'disconnects',
      (_, response) => void response.socket?.destroy(),
      'bad-gateway',
      'AGENT_UNREACHABLE',
    ],
    [
      'interrupts its response',
      (_, response) => {
        response.write('{"a":', () => response.socket?.destroy())
      },
      'bad-gateway',
      'AGENT_UNREACHABLE',
    ],
    [
      'upgrades to another protocol',
      ({ socket }) =>
        void socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      'bad-gateway',
      'AGENT_UNREACHABLE',
    ],
    [
      'never ends its response',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 20)
        response.once('close', () => clearInterval(timer))
      },
      'timeout',
      'AGENT_TIMEOUT',
    ],
    [
      'exceeds the response size',
      (_, response) => void response.end('a'.repeat(9_000_000)),
      'bad-gateway',
      'AGENT_FAILED',
    ],
    [
      'exceeds the nesting limit',
      (_, response) => void response.end(`${'['.repeat(200_001)}${']'.repeat(200_001)}`),
      'bad-gateway',
      'AGENT_FAILED',
    ],
  ] as [string, RequestListener, string, string | undefined][])(
    'an agent’s gateway that %s has its own error code',
    async (_, answers, kind, code) => {
      await using one = await agentThat(answers)
      const { get } = await agentGateway(kind === 'timeout' ? hasty : ctx, one.agent)
      await expect(get('/memory')).rejects.toMatchObject({ name: 'PlatformError', kind, code })
    },
  )

  it('treats a missing resource as deleted', async () => {
    await using one = await agentThat(json(404, {}))
    const gateway = await agentGateway(ctx, one.agent)
    await expect(gateway.delete('/memory/a')).resolves.toBeUndefined()
    await using failing = await agentThat(json(500, {}))
    const other = await agentGateway(ctx, failing.agent)
    await expect(other.delete('/memory/a')).rejects.toMatchObject({ kind: 'bad-gateway' })
  })

  it('is called only if the agent runs, and with a key', async () => {
    await using stopped = await agentThat(json(200, {}), { status: 'stopped' })
    const conflict = { kind: 'conflict', code: 'AGENT_NOT_RUNNING', details: { status: 'stopped' } }
    await expect(agentGateway(ctx, stopped.agent)).rejects.toMatchObject(conflict)
    await using running = await agentThat(json(200, {}))
    const unconfigured = { kind: 'unavailable', details: { missing: ['WALLET_ENCRYPTION_KEY'] } }
    const keyless = { encryptionKey: undefined }
    await expect(agentGateway(keyless, running.agent)).rejects.toMatchObject(unconfigured)
  })

  it('is disconnected if the caller disconnects', async () => {
    await using one = await agentThat(() => {})
    const caller = new AbortController()
    const { get } = await agentGateway({ ...ctx, signal: caller.signal }, one.agent)
    const pending = get('/memory')
    caller.abort()
    await expect(pending).rejects.toMatchObject({
      kind: 'bad-request',
      message: 'The caller disconnected',
    })
  })
})

describe('health', () => {
  it.each([
    ['well', json(200, { ready: true, failing: [], uptimeMs: 5 }), [true, [], 5, null]],
    [
      'not ready',
      json(503, { ready: false, failing: ['draining'], uptimeMs: 5 }),
      [false, ['draining'], 5, null],
    ],
    ['odd', json(200, { ready: true, failing: 5, uptimeMs: 'x' }), [true, [], null, null]],
    ['of another status', json(200, []), [false, [], null, 'The agent’s answer cannot be read']],
  ] as [string, RequestListener, unknown[]][])(
    'health of an agent that is %s',
    async (_, answers, [healthy, failing, uptimeMs, error]) => {
      await using one = await agentThat(answers)
      const expected = { healthy, failing, uptimeMs, error }
      expect(await askHealth(ctx, one.agent)).toEqual(expected)
    },
  )
})
