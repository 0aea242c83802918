import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type ConnectionOptions, connectionsOver } from '#tests/support/tools/connections.ts'

let accounts: Keys
let session: string
let agentId: string
let host: string
let origin: string
/** The documents of the played servers by path; a function writes the response itself. */
let documents: Record<string, unknown>
let asked: string[]
let challenge: string | undefined

const server = createServer((request, response) => {
  const path = request.url ?? ''
  asked.push(`${request.method} ${path}`)
  const document = documents[path]
  if (typeof document === 'function') document(response)
  else if (path.startsWith('/mcp'))
    response.writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge }).end()
  else if (document === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
})

beforeAll(async () => {
  accounts = await startKeys()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  origin = `http://${host}`
  const ada = await accounts.signUp('ada@b.co')
  session = ada.session
  agentId = (await putAgent(accounts.table, ada.id)).id
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await accounts.close()
})
beforeEach(() => {
  asked = []
  challenge = undefined
  documents = {}
})

let names = 0
const create = (options: ConnectionOptions = {}, url = `${origin}/mcp`) =>
  connectionsOver(accounts.table, { allowed: [host], ...options }).ask(
    'POST',
    `${agentId}/connections`,
    session,
    { name: `n${names++}`, url },
  )

const resource = (issuer = origin, more: object = {}) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [issuer],
  ...more,
})

const metadata = (issuer = origin, more: object = {}) => ({
  issuer,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  ...more,
})

const registered = { client_id: 'platform', token_endpoint_auth_method: 'none' }
const rfc9728 = '/.well-known/oauth-protected-resource'
const rfc8414 = '/.well-known/oauth-authorization-server'

describe('discovery', () => {
  it.each<[what: string, documents: () => Record<string, unknown>, challenge?: () => string]>([
    [
      'the document that the challenge names',
      () => ({ '/meta': resource(), [rfc8414]: metadata() }),
      () => `Bearer error="invalid_token", resource_metadata="${origin}/meta"`,
    ],
    [
      'the well-known document of the path',
      () => ({ [`${rfc9728}/mcp`]: resource(), [rfc8414]: metadata() }),
    ],
    [
      'the well-known document of the host',
      () => ({ [rfc9728]: resource(), [rfc8414]: metadata() }),
    ],
    [
      'an issuer with a path by RFC 8414',
      () => ({
        [rfc9728]: resource(`${origin}/tenant`),
        [`${rfc8414}/tenant`]: metadata(`${origin}/tenant`),
      }),
    ],
    [
      'an issuer with a path by OpenID Connect, after the well-known part',
      () => ({
        [rfc9728]: resource(`${origin}/tenant`),
        '/.well-known/openid-configuration/tenant': metadata(`${origin}/tenant`),
      }),
    ],
    [
      'an issuer with a path by OpenID Connect, before the well-known part',
      () => ({
        [rfc9728]: resource(`${origin}/tenant`),
        '/tenant/.well-known/openid-configuration': metadata(`${origin}/tenant`),
      }),
    ],
    [
      'the second of two issuers',
      () => ({
        [rfc9728]: resource(origin, { authorization_servers: [`${origin}/gone`, origin] }),
        [rfc8414]: metadata(),
      }),
    ],
    ['a server that is its own authorization server', () => ({ [rfc8414]: metadata() })],
    [
      'a resource that contains the address',
      () => ({ [rfc9728]: resource(origin, { resource: origin }), [rfc8414]: metadata() }),
    ],
  ])('finds %s', async (_, given, challenged) => {
    documents = { ...given(), '/register': registered }
    challenge = challenged?.()
    const { status, body } = await create()
    expect([status, body]).toMatchObject([201, { state: 'pending' }])
    const url = new URL(String(body['authorizeUrl']))
    expect(url.href).toMatch(`${origin}/authorize?`)
    expect(url.searchParams.get('client_id')).toBe('platform')
  })

  it('asks for the scopes of the challenge before those of the document', async () => {
    documents = {
      [rfc9728]: resource(origin, { scopes_supported: ['a', 'b'] }),
      [rfc8414]: metadata(origin, { scopes_supported: ['a', 'offline_access'] }),
      '/register': registered,
    }
    const scopes = async () =>
      new URL(String((await create()).body['authorizeUrl'])).searchParams.get('scope')
    expect(await scopes()).toBe('a b offline_access')
    challenge = 'Bearer scope="c d"'
    expect(await scopes()).toBe('c d offline_access')
  })

  it.each<[what: string, documents: () => Record<string, unknown>]>([
    ['no documents', () => ({})],
    [
      'another resource',
      () => ({
        [rfc9728]: resource(origin, { resource: 'https://bank.example/mcp' }),
        [rfc8414]: metadata(),
      }),
    ],
    [
      'another path that begins alike',
      () => ({
        [rfc9728]: resource(origin, { resource: `${origin}/mc` }),
        [rfc8414]: metadata(),
      }),
    ],
    ['another issuer', () => ({ [rfc8414]: metadata('https://bank.example') })],
    [
      'no PKCE',
      () => ({ [rfc8414]: metadata(origin, { code_challenge_methods_supported: ['plain'] }) }),
    ],
    [
      'a private authorization endpoint',
      () => ({ [rfc8414]: metadata(origin, { authorization_endpoint: 'https://10.0.0.1/a' }) }),
    ],
    [
      'a script as authorization endpoint',
      () => ({ [rfc8414]: metadata(origin, { authorization_endpoint: 'javascript:alert(1)' }) }),
    ],
    [
      'a private token endpoint',
      () => ({ [rfc8414]: metadata(origin, { token_endpoint: 'http://169.254.169.254/t' }) }),
    ],
    [
      'a private registration endpoint',
      () => ({ [rfc8414]: metadata(origin, { registration_endpoint: 'http://127.0.0.1:1/r' }) }),
    ],
    ['a private issuer', () => ({ [rfc9728]: resource('http://10.0.0.1') })],
    [
      'no registration',
      () => ({ [rfc8414]: metadata(origin, { registration_endpoint: undefined }) }),
    ],
    [
      'an unknown way to authenticate',
      () => ({
        [rfc8414]: metadata(origin, { token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
      }),
    ],
    [
      'a refused registration',
      () => ({
        [rfc8414]: metadata(),
        '/register': (response: ServerResponse) => response.writeHead(403).end('{}'),
      }),
    ],
    [
      'a redirect to a private address',
      () => ({
        [rfc8414]: (response: ServerResponse) =>
          response.writeHead(302, { location: `${origin}/private` }).end(),
        '/private': metadata(),
      }),
    ],
    [
      'a document without an end',
      () => ({
        [rfc8414]: (response: ServerResponse) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          const more = () => {
            while (response.write('[' + ' '.repeat(65_536)));
          }
          response.on('drain', more)
          more()
        },
      }),
    ],
    ['a document of another form', () => ({ [rfc8414]: { issuer: origin } })],
  ])('refuses a server with %s, and keeps nothing', async (_, given) => {
    documents = { '/register': registered, ...given() }
    const { status, body } = await create()
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_DISCOVERY_FAILED' }])
    expect(asked).not.toContain('GET /private')
    const listed = await connectionsOver(accounts.table).ask(
      'GET',
      `${agentId}/connections`,
      session,
    )
    expect(JSON.stringify(listed.body)).not.toContain(`"n${names - 1}"`)
  })
})

describe('a server that does not answer', () => {
  const hang = () => {}
  const waits = { toolsMs: 300, signInMs: 300 }

  it('ends the search for its sign-in', async () => {
    documents = { [rfc9728]: hang, [rfc8414]: hang }
    const { status, body } = await create({ waits })
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_DISCOVERY_FAILED' }])
  })

  it('ends the registration', async () => {
    documents = { [rfc8414]: metadata(), '/register': hang }
    const { status, body } = await create({ waits })
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_DISCOVERY_FAILED' }])
  })

  it('is refused', async () => {
    documents = { '/mcp': hang }
    const { status, body } = await create({ waits })
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_UNREACHABLE' }])
  })
})

describe('the platform as a client', () => {
  const webUrl = 'https://agents.example'

  it('is known by its metadata document where the server reads it', async () => {
    documents = {
      [rfc8414]: metadata(origin, { client_id_metadata_document_supported: true }),
      '/register': registered,
    }
    const { body } = await create({ webUrl })
    const asks = new URL(String(body['authorizeUrl'])).searchParams
    const id = asks.get('client_id') ?? ''
    expect(id).toBe(`${webUrl}/api/connections/client`)
    expect(asked).not.toContain('POST /register')
    const { call } = connectionsOver(accounts.table, { webUrl })
    const document = await call('GET', new URL(id).pathname)
    expect(await document.json()).toMatchObject({
      client_id: id,
      redirect_uris: [asks.get('redirect_uri')],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    })
  })

  it('registers instead if its own address is not https', async () => {
    documents = {
      [rfc8414]: metadata(origin, { client_id_metadata_document_supported: true }),
      '/register': registered,
    }
    const { body } = await create()
    expect(new URL(String(body['authorizeUrl'])).searchParams.get('client_id')).toBe('platform')
  })
})
