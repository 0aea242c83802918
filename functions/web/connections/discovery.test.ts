import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type ConnectionOptions, connectionsOver } from '#tests/support/tools/connections.ts'
import {
  type PlayedDocument,
  registered,
  rfc8414,
  rfc9728,
  startPlayedSignIn,
} from '#tests/support/tools/played-sign-in.ts'

let accounts: Keys
let server: Awaited<ReturnType<typeof startPlayedSignIn>>
let origin: string
let session: string
let agentId: string
let names = 0

beforeAll(async () => {
  accounts = await startKeys()
  server = await startPlayedSignIn()
  origin = server.origin
  const ada = await accounts.signUp('ada@b.co')
  session = ada.session
  agentId = (await putAgent(accounts.table, ada.id)).id
})
afterAll(() => Promise.all([accounts.close(), server.close()]))
beforeEach(() => server.reset())

const over = (options: ConnectionOptions = {}) =>
  connectionsOver(accounts.table, { allowed: [server.host], ...options })
const create = (options: ConnectionOptions = {}, more: object = {}) =>
  over(options).ask('POST', `${agentId}/connections`, session, {
    name: `n${names++}`,
    url: `${origin}/mcp`,
    ...more,
  })

const metadata: typeof server.metadata = (...given) => server.metadata(...given)

const resource = (issuer = origin, more: object = {}) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [issuer],
  ...more,
})

describe('discovery', () => {
  it.each<
    [what: string, documents: () => Record<string, PlayedDocument>, challenge?: () => string]
  >([
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
      'its own authorization server, although its challenge names no address',
      () => ({ [rfc8414]: metadata() }),
      () => 'Bearer resource_metadata="over there"',
    ],
    [
      'a resource that contains the address',
      () => ({ [rfc9728]: resource(origin, { resource: origin }), [rfc8414]: metadata() }),
    ],
  ])('finds %s', async (_, given, challenged) => {
    server.played.documents = { ...given(), '/register': registered }
    server.played.challenge = challenged?.()
    const { status, body } = await create()
    expect([status, body]).toMatchObject([201, { state: 'pending' }])
    const url = new URL(String(body['authorizeUrl']))
    expect(url.href).toMatch(`${origin}/authorize?`)
    expect(url.searchParams.get('client_id')).toBe('platform')
  })

  it('asks for the scopes of the challenge before those of the document', async () => {
    server.played.documents = {
      [rfc9728]: resource(origin, { scopes_supported: ['a', 'b'] }),
      [rfc8414]: metadata(origin, { scopes_supported: ['a', 'offline_access'] }),
      '/register': registered,
    }
    const scopes = async () =>
      new URL(String((await create()).body['authorizeUrl'])).searchParams.get('scope')
    expect(await scopes()).toBe('a b offline_access')
    server.played.challenge = 'Bearer scope="c d"'
    expect(await scopes()).toBe('c d offline_access')
  })

  it.each<[what: string, documents: () => Record<string, PlayedDocument>]>([
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
    [
      'a registration endpoint that is no address',
      () => ({ [rfc8414]: metadata(origin, { registration_endpoint: 'register here' }) }),
    ],
    [
      'a registration endpoint with a password',
      () => ({
        [rfc8414]: metadata(origin, {
          registration_endpoint: `${origin.replace('//', '//ada:secret@')}/register`,
        }),
      }),
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
        '/register': (response) => response.writeHead(403).end('{}'),
      }),
    ],
    [
      'a redirect to a private address',
      () => ({
        [rfc8414]: (response) => response.writeHead(302, { location: `${origin}/private` }).end(),
        '/private': metadata(),
      }),
    ],
    [
      'a document without an end',
      () => ({
        [rfc8414]: (response) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          const more = () => {
            while (response.write('[' + ' '.repeat(65_536)));
          }
          response.on('drain', more)
          more()
        },
      }),
    ],
    [
      'a document that unpacks to more than it may have',
      () => ({
        [rfc8414]: (response) => {
          const json = JSON.stringify({ ...metadata(), more: ' '.repeat(50_000_000) })
          const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
          response.writeHead(200, headers).end(gzipSync(json))
        },
      }),
    ],
    ['a document of another form', () => ({ [rfc8414]: { issuer: origin } })],
  ])('refuses a server with %s, and keeps nothing', async (_, given) => {
    server.played.documents = { '/register': registered, ...given() }
    const { status, body } = await create()
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_DISCOVERY_FAILED' }])
    expect(server.played.asked).not.toContain('GET /private')
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
    server.played.documents = { [rfc9728]: hang, [rfc8414]: hang }
    const { status, body } = await create({ waits })
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_DISCOVERY_FAILED' }])
  })

  it('ends the registration', async () => {
    server.played.documents = { [rfc8414]: metadata(), '/register': hang }
    const { status, body } = await create({ waits })
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_DISCOVERY_FAILED' }])
  })

  it('is refused', async () => {
    server.played.documents = { '/mcp': hang }
    const { status, body } = await create({ waits })
    expect([status, body]).toMatchObject([502, { code: 'CONNECTION_UNREACHABLE' }])
  })
})
