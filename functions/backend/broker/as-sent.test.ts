import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { functions as all } from '#shared/manifest/index.ts'
import { functionEnvironment } from '#stacks/local/functions/environment.ts'
import { type RunningSurface, startSurface } from '#stacks/local/surfaces/surface.ts'
import { type Harness, startHarness } from '#stacks/local/testing/harness.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { startTlsServer } from '#tests/support/http/tls-server.ts'
import { settingsOf } from '#tests/support/platform/table.ts'
import { agentWithKey, brokerOver, encryptionKey, trust } from '#tests/support/tools/broker.ts'

let accounts: Keys
let server: Awaited<ReturnType<typeof startTlsServer>>
let harness: Harness
let surface: RunningSurface
let host: string
let agent: Awaited<ReturnType<typeof agentWithKey>>
let observed: string[] = []

/** Loads the deployed bundle in this process, so that the test can add its certificate authority. */
beforeAll(async () => {
  accounts = await startKeys()
  server = await startTlsServer(async (request, response) => {
    observed.push(`${request.method} ${request.url}`)
    if (request.method === 'POST') {
      response.writeHead(200)
      request.pipe(response)
    } else response.end('here')
  })
  trust(server.cert)
  host = `localhost:${server.port}`
  const functions = all.filter(({ name }) => name === 'backend-broker')
  const { TABLE_NAME, DYNAMODB_ENDPOINT } = settingsOf(accounts.table)
  const endpoints = { dynamodb: DYNAMODB_ENDPOINT, sqs: '', ecs: '', ses: '', s3: '', lambda: '' }
  const places = { bundles: '', tableName: TABLE_NAME, clusterName: '', queueUrls: {} as never }
  const values = { WALLET_ENCRYPTION_KEY: encryptionKey, FETCH_ALLOW_HOSTS: host }
  harness = await startHarness(
    functions,
    (spec) => functionEnvironment(spec, { ...places, endpoints, values, objectLinksKey: '' }),
    600,
    'inline',
  )
  const onFailure = (name: string, error: unknown) => harness.lines.add(name, String(error))
  surface = await startSurface({
    surface: 'backend',
    functions,
    host: harness.host,
    port: 0,
    onFailure,
  })
  const ada = await accounts.signUp('ada@b.co')
  agent = await agentWithKey(accounts.table, ada.id)
  const broker = brokerOver(accounts.table, { allowed: [host] })
  await broker.keep(ada.session, agent.agentId, { hosts: [host], value: 'a-value-of-hers' })
})
afterAll(async () => {
  await surface.close(0)
  await harness[Symbol.asyncDispose]()
  await server.close()
  await accounts.close()
})

/**
 * Sends over a raw socket, because HTTP clients normalize requests.
 * @returns the status and the full text of the response
 */
async function send(target: string, method = 'GET', more = ''): Promise<[string, string]> {
  const socket = connect(surface.port, '127.0.0.1')
  observed = []
  socket.write(
    `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${agent.key}\r\n${more}\r\n`,
  )
  const answer = await text(socket)
  return [answer.split(' ')[1] ?? '', answer]
}

describe('a path', () => {
  it.each([
    '/',
    '/a',
    '/?',
    '/?a=b&c=%20d&c=+e&&x',
    "/a%2Fb/%C3%A9/'(!)*;:@&=$,~",
    '/?q=%7B%22a%22%3A1%7D&raw={"b"}|^`<>\\\'',
    '//elsewhere.example.com/x',
    '/@elsewhere.example.com',
    '/a//b',
    '/https://elsewhere.example.com/',
    '/a%0d%0aX-Injected:%20y',
    '/a?next=/../../x',
    '/...',
  ])('a path of %s is sent byte for byte, to the same host', async (path) => {
    const [status] = await send(`/broker/api/${host}${path}`)
    expect([status, observed]).toEqual(['200', [`GET ${path}`]])
  })

  it.each([
    '/../x',
    '/a/../../b',
    '/a/..',
    '/./a',
    '/%2e%2e/x',
    '/.%2E/x',
    '/a%2f..%2fb',
    '/a\\..\\b',
    '/é',
  ])('a path of %s is rejected', async (path) => {
    const [status] = await send(`/broker/api/${host}${path}`)
    expect(status).toMatch(/^40[04]$/)
    expect(observed).toEqual([])
  })

  it.each([
    '/broker/api/elsewhere.example.com/../HOST/',
    '/broker/api/HOST/..//HOST/',
    '/broker/api//HOST/',
    '/broker//HOST/',
    '/broker/api/HOST',
    '/x/../broker/api/HOST/',
    'http://elsewhere.example.com/broker/api/HOST/',
  ])('written as %s is not treated as another', async (target) => {
    const [status] = await send(target.replace('HOST', host))
    expect(status).toMatch(/^40[0134]$/)
    expect(observed).toEqual([])
  })
})

it('forwards a body that is larger than any event, and returns it while it still arrives', async () => {
  const size = 32 * 1024 * 1024
  const chunk = Buffer.alloc(256 * 1024, 'x')
  let sent = 0
  let received = 0
  const answer = await fetch(`${surface.url}/broker/api/${host}/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agent.key}` },
    duplex: 'half',
    body: new ReadableStream({
      pull(controller) {
        if (sent === size) return controller.close()
        sent += chunk.length
        controller.enqueue(chunk)
      },
    }),
  } as RequestInit)
  let ahead = 0
  for await (const part of answer.body ?? []) {
    received += part.length
    ahead = Math.max(ahead, sent - received)
  }
  expect([answer.status, received]).toEqual([200, size])
  // Sockets and streams buffer some of it; the broker and its carrier do not buffer all of it.
  expect(ahead).toBeLessThan(size)
})

it('cancels the request to the host if a caller disconnects in the middle of a body', async () => {
  const socket = connect(surface.port, '127.0.0.1')
  socket.write(
    `POST /broker/api/${host}/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${agent.key}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  const answer = await fetch(`${surface.url}/broker/api/${host}/`, {
    headers: { authorization: `Bearer ${agent.key}` },
  })
  expect(answer.status).toBe(200)
})

it('rejects a caller without a key while the body still arrives, and discards the rest', async () => {
  const answer = await fetch(`${surface.url}/broker/api/${host}/`, {
    method: 'POST',
    body: Buffer.alloc(5 * 1024 * 1024),
  })
  expect(answer.status).toBe(401)
})
