import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type ConnectionOptions, connectionsOver } from '#tests/support/tools/connections.ts'
import { registered, rfc8414, startPlayedSignIn } from '#tests/support/tools/played-sign-in.ts'

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

describe('the platform as a client', () => {
  const webUrl = 'https://agents.example'

  it('is known by its metadata document where the server reads it', async () => {
    server.played.documents = {
      [rfc8414]: metadata(origin, { client_id_metadata_document_supported: true }),
      '/register': registered,
    }
    const { body } = await create({ webUrl })
    const asks = new URL(String(body['authorizeUrl'])).searchParams
    const id = asks.get('client_id') ?? ''
    expect(id).toBe(`${webUrl}/api/connections/client`)
    expect(server.played.asked).not.toContain('POST /register')
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
    server.played.documents = {
      [rfc8414]: metadata(origin, { client_id_metadata_document_supported: true }),
      '/register': registered,
    }
    const { body } = await create()
    expect(new URL(String(body['authorizeUrl'])).searchParams.get('client_id')).toBe('platform')
  })

  it('is the client that the owner has registered, where the server registers none', async () => {
    server.played.documents = {
      [rfc8414]: metadata(origin, {
        registration_endpoint: undefined,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      }),
      '/token': { access_token: 'a-token', token_type: 'Bearer' },
    }
    const client = { id: 'Iv1.0123', secret: 'a-secret-of-hers' }
    const { status, body } = await create({}, { client })
    expect(status).toBe(201)
    expect(JSON.stringify(body)).not.toContain(client.secret)
    const asks = new URL(String(body['authorizeUrl'])).searchParams
    expect(asks.get('client_id')).toBe(client.id)
    const answer = new URLSearchParams({ code: 'c', state: asks.get('state') ?? '' })
    await over().browser(session).open(`http://localhost:3000/api/connections/callback?${answer}`)
    expect(server.played.bodies['/token']).toContain(`client_secret=${client.secret}`)
    for (const wrong of [{}, { id: '' }, { id: 'a b' }, { id: 'a', secret: '' }])
      expect((await create({}, { client: wrong })).status).toBe(400)
  })
})
