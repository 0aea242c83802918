import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwtVerify } from 'jose'
import type { CustodySettings } from '#shared/network/custody/open.ts'
import { newWallet } from '../accounts/new-wallet.ts'

/**
 * A fault for one request, in place of a normal response. `lost`: the request is carried out, and its response breaks
 * off.
 */
export type CustodianFault =
  | 'lost'
  | 'hangs up'
  | 'silent'
  | { status: number; body: unknown; headers?: Record<string, string> }

export interface PlayedCustodian {
  /** Settings with an Ed25519 API key. */
  settings: CustodySettings
  /** Settings with a P-256 API key, as PEM on one line. */
  onP256: CustodySettings
  accounts: Map<string, string>
  /** The methods of all requests, in order: `POST`, `GET`. */
  asked: string[]
  /** All secrets that were sent: keys and tokens. */
  secrets: string[]
  /** Sets faults for the next requests, one each. */
  meets(...troubles: CustodianFault[]): void
  /** Resolves once a request has arrived that will get no response. */
  silent: Promise<void>
  close(): Promise<void>
}

const path = '/platform/v2/evm/accounts'

/**
 * Coinbase's API of accounts as its reference describes it. It verifies both tokens itself: signer, method, address,
 * body, and time.
 */
export async function startCustodian(): Promise<PlayedCustodian> {
  const edwards = generateKeyPairSync('ed25519')
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const wallet = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const apiKeys: Record<string, { key: KeyObject; alg: string }> = {
    'key-ed25519': { key: edwards.publicKey, alg: 'EdDSA' },
    'organizations/o/apiKeys/key-p256': { key: p256.publicKey, alg: 'ES256' },
  }
  const accounts = new Map<string, string>()
  const answers = new Map<string, { name: string; body: string }>()
  const seen = new Set<string>()
  const asked: string[] = []
  const troubles: CustodianFault[] = []
  const silent = Promise.withResolvers<void>()
  let host = ''

  async function checkBearer(request: IncomingMessage, uri: string): Promise<void> {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    secrets.push(token)
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid = '', alg }) => {
        const known = apiKeys[kid]
        if (known?.alg !== alg) throw new Error(`no key ${kid} of ${alg}`)
        return known.key
      },
      { issuer: 'cdp', audience: 'cdp_service', typ: 'JWT', requiredClaims: ['nbf', 'exp', 'iat'] },
    )
    const { sub, uris, iat = 0, exp = 0 } = payload
    if (sub !== protectedHeader.kid || JSON.stringify(uris) !== JSON.stringify([uri]))
      throw new Error('another subject or request')
    if (exp - iat > 120) throw new Error('the token lives too long')
    useOnce(protectedHeader['nonce'])
  }

  async function checkWallet(request: IncomingMessage, uri: string, body: string): Promise<void> {
    const token = String(request.headers['x-wallet-auth'])
    secrets.push(token)
    const { payload } = await jwtVerify(token, wallet.publicKey, {
      algorithms: ['ES256'],
      maxTokenAge: 60,
      requiredClaims: ['nbf', 'jti'],
    })
    const given = JSON.parse(body) as Record<string, string>
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(given).sort()))
    if (payload['reqHash'] !== createHash('sha256').update(sorted).digest('hex'))
      throw new Error('another body')
    if (JSON.stringify(payload['uris']) !== JSON.stringify([uri]))
      throw new Error('another request')
    useOnce(payload.jti)
  }

  function useOnce(nonce: unknown): void {
    if (typeof nonce !== 'string' || nonce.length < 16 || seen.has(nonce))
      throw new Error('no nonce, or one that was used')
    seen.add(nonce)
  }

  function create(request: IncomingMessage, text: string) {
    const { name } = JSON.parse(text) as { name: string }
    const key = String(request.headers['x-idempotency-key'])
    const before = answers.get(key)
    if (before !== undefined)
      return before.name === name
        ? { status: 201, body: before.body }
        : refusal(422, 'idempotency_error')
    if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,34}[A-Za-z0-9]$/.test(name) || key.length > 128)
      return refusal(400, 'invalid_request')
    if (accounts.has(name)) return refusal(409, 'already_exists')
    const { address } = newWallet()
    accounts.set(name, address)
    // Each address is returned in lower case, without a checksum.
    const body = JSON.stringify({ address: address.toLowerCase(), name, createdAt: new Date() })
    answers.set(key, { name, body })
    return { status: 201, body }
  }

  function find(name: string) {
    const address = accounts.get(name)
    if (address === undefined) return refusal(404, 'not_found')
    return { status: 200, body: JSON.stringify({ address, name }) }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    asked.push(request.method ?? '')
    const trouble = troubles.shift()
    if (trouble === 'hangs up') return void response.destroy()
    if (trouble === 'silent') return silent.resolve()
    if (typeof trouble === 'object') {
      response.writeHead(trouble.status, trouble.headers)
      return void response.end(
        typeof trouble.body === 'string' ? trouble.body : JSON.stringify(trouble.body),
      )
    }
    const uri = `${request.method} ${host}${request.url}`
    const isCreate = request.method === 'POST' && request.url === path
    try {
      await checkBearer(request, uri)
      if (isCreate) await checkWallet(request, uri, text)
    } catch (error) {
      response.writeHead(401).end(JSON.stringify({ errorMessage: String(error) }))
      return
    }
    const name = request.url?.slice(`${path}/by-name/`.length) ?? ''
    const answer = isCreate ? create(request, text) : find(name)
    if (trouble === 'lost') return void response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const { d = '', x = '' } = edwards.privateKey.export({ format: 'jwk' })
  const keySecret = Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url')))
  const settings = {
    deployed: false,
    CDP_API_URL: `http://${host}`,
    CDP_API_KEY_ID: 'key-ed25519',
    CDP_API_KEY_SECRET: keySecret.toString('base64'),
    CDP_WALLET_SECRET: wallet.privateKey
      .export({ format: 'der', type: 'pkcs8' })
      .toString('base64'),
  }
  const onP256 = {
    ...settings,
    CDP_API_KEY_ID: 'organizations/o/apiKeys/key-p256',
    CDP_API_KEY_SECRET: String(p256.privateKey.export({ format: 'pem', type: 'sec1' })).replaceAll(
      '\n',
      '\\n',
    ),
  }
  const secrets = [settings, onP256].map((one) => one.CDP_API_KEY_SECRET)
  secrets.push(settings.CDP_WALLET_SECRET)
  return {
    settings,
    onP256,
    accounts,
    asked,
    secrets,
    meets: (...more) => void troubles.push(...more),
    silent: silent.promise,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function refusal(status: number, errorType: string) {
  return { status, body: JSON.stringify({ errorType, errorMessage: errorType }) }
}
