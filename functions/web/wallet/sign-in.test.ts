import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionIdentity } from '#shared/accounts/users/identity.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { compose, proof, startWallets, type Wallets } from '#tests/support/accounts/wallets.ts'

let wallets: Wallets

beforeAll(async () => {
  wallets = await startWallets()
})
afterAll(() => wallets.close())

const signIn = (body: unknown) => wallets.call('POST', '/api/wallet-auth', body)

async function expectRefused(body: unknown, message?: RegExp) {
  const answer = await signIn(body)
  expect([answer.status, answer.body]).toEqual([
    401,
    { error: expect.stringMatching(message ?? /./) },
  ])
  expect(answer.headers.getSetCookie()).toEqual([])
}

describe('/api/auth/nonce', () => {
  it.each(['GET', 'POST'])('returns every %s a new nonce without caching', async (method) => {
    const answers = await Promise.all([1, 2, 3].map(() => wallets.call(method, '/api/auth/nonce')))
    expect(new Set(answers.map(({ body }) => body.nonce)).size).toBe(3)
    for (const { status, headers, body } of answers) {
      expect([status, Object.keys(body)]).toEqual([200, ['nonce']])
      expect(body.nonce).toMatch(/^[0-9a-f]{32}$/)
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('is stored only as its hash', async () => {
    const startedAt = Date.now() / 1000
    const nonce = await wallets.nonce()
    const key = { pk: `nonce#${await sha256Hex(nonce)}`, sk: 'nonce' }
    expect(JSON.stringify(await wallets.table.get(key))).not.toContain(nonce)
    const row = await wallets.table.get(key)
    expect(Number(row?.expiresAt) - startedAt).toBeGreaterThan(599)
    expect(Number(row?.expiresAt) - Date.now() / 1000).toBeLessThanOrEqual(600)
  })
})

describe('POST /api/wallet-auth', () => {
  it('signs a new wallet in as a new user', async () => {
    const signer = newWallet()
    const { status, body, headers } = await signIn(await proof(wallets, {}, signer))
    const { address } = signer
    expect(status).toBe(200)
    expect(body).toEqual({
      ok: true,
      user: {
        id: expect.stringMatching(/^usr_/),
        name: `Wallet:${address.slice(0, 6)}...${address.slice(-4)}`,
      },
    })
    const cookie = headers.getSetCookie()[0] ?? ''
    expect(cookie).toMatch(
      /^service-session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const session = /=([^;]+)/.exec(cookie)?.[1] ?? ''
    expect(await sessionIdentity(wallets.table, [])(session)).toMatchObject({
      ...(body.user as object),
      email: `${address.toLowerCase()}@wallet.service`,
      emailVerified: false,
      plan: 'free',
    })
  })

  it('finds the same user again, for any notation of the address', async () => {
    const signer = newWallet()
    const first = await signIn(await proof(wallets, {}, signer))
    for (const address of [
      signer.address.toLowerCase(),
      signer.address.toUpperCase().replace('X', 'x'),
    ]) {
      const again = await signIn({ ...(await proof(wallets, {}, signer)), address })
      expect([again.status, again.body]).toEqual([200, first.body])
    }
    const lower = (await proof(wallets, {}, signer)).message.replace(
      signer.address,
      signer.address.toLowerCase(),
    )
    const { body } = await signIn({
      address: signer.address,
      message: lower,
      signature: await signer.signMessage(lower),
    })
    expect(body).toEqual(first.body)
  })

  it('creates one user for a wallet with many concurrent sign-ins', async () => {
    const signer = newWallet()
    const proofs = await Promise.all(Array.from({ length: 12 }, () => proof(wallets, {}, signer)))
    const answers = await Promise.all(proofs.map(signIn))
    expect(answers.map(({ status }) => status)).toEqual(proofs.map(() => 200))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.user))).size).toBe(1)
  })

  it('accepts every optional field of the standard', async () => {
    const fields = {
      scheme: 'https',
      expirationTime: new Date(Date.now() + 60_000).toISOString(),
      notBefore: new Date(Date.now() - 1_000).toISOString(),
      requestId: 'request-1',
      resources: ['https://app.example.com/terms', 'ipfs://bafybeigdyrzt'],
    }
    expect((await signIn(await proof(wallets, fields))).status).toBe(200)
    const signer = newWallet()
    const bare = compose({ address: signer.address, nonce: await wallets.nonce() }).replace(
      'Sign in to the platform.\n',
      '',
    )
    const signature = await signer.signMessage(bare)
    expect((await signIn({ address: signer.address, message: bare, signature })).status).toBe(200)
  })

  it.each(['address', 'message', 'signature'])('returns 400 without %s', async (field) => {
    for (const value of [undefined, '', 7, null]) {
      const { status, body } = await signIn({ ...(await proof(wallets)), [field]: value })
      expect([status, body.error]).toEqual([400, `${field} required`])
    }
  })
})

describe('a nonce', () => {
  it('works once', async () => {
    const input = await proof(wallets)
    expect((await signIn(input)).status).toBe(200)
    await expectRefused(input, /nonce is unknown, used or expired/)
  })

  it('works once under concurrent use', async () => {
    const input = await proof(wallets)
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(input)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 401)])
  })

  it('must have been issued', async () => {
    await expectRefused(await proof(wallets, { nonce: 'a'.repeat(32) }), /nonce/)
  })

  it('expires after ten minutes, with or without its row', async () => {
    const input = await proof(wallets)
    const nonce = /Nonce: (\w+)/.exec(input.message)?.[1] ?? ''
    const key = { pk: `nonce#${await sha256Hex(nonce)}`, sk: 'nonce' }
    await wallets.table.update(key, { set: { expiresAt: Math.floor(Date.now() / 1000) } })
    await expectRefused(input, /nonce/)
  })

  it('is consumed by a wrong signature', async () => {
    const input = await proof(wallets)
    await expectRefused({ ...input, signature: `0x${'11'.repeat(65)}` }, /Invalid signature/)
    await expectRefused(input, /nonce/)
  })

  it('stays valid if the message is rejected before its check', async () => {
    const input = await proof(wallets)
    await expectRefused({ ...input, address: newWallet().address }, /another address/)
    expect((await signIn(input)).status).toBe(200)
  })
})

describe('a message', () => {
  it.each<[string, Parameters<typeof proof>[1], RegExp]>([
    ['another domain', { domain: 'evil.example.com' }, /another domain/],
    ['the domain with a port', { domain: 'app.example.com:8443' }, /another domain/],
    ['the domain in upper case', { domain: 'APP.EXAMPLE.COM' }, /another domain/],
    ['a subdomain', { domain: 'x.app.example.com' }, /another domain/],
    ['another scheme', { scheme: 'http' }, /another domain/],
    ['another URI', { uri: 'https://evil.example.com/login' }, /another site/],
    ['a URI with the same prefix', { uri: 'https://app.example.com.evil.com/' }, /another site/],
    [
      'a URI with the site as its user',
      { uri: 'https://app.example.com@evil.com/' },
      /another site/,
    ],
    ['a URI without TLS', { uri: 'http://app.example.com/login' }, /another site/],
    ['another chain', { chainId: 1 }, /another chain/],
    ['an expired time', { expirationTime: '2020-01-01T00:00:00Z' }, /at this time/],
    ['a start in the future', { notBefore: '2999-01-01T00:00:00Z' }, /at this time/],
  ])('is rejected with %s', async (_, fields, reason) => {
    await expectRefused(await proof(wallets, fields), reason)
  })

  it.each<[string, (message: string) => string, RegExp]>([
    ['no fields', () => 'hello', /EIP-4361/],
    ['text after it', (message) => `${message}\nand more`, /EIP-4361/],
    ['text before it', (message) => `hi\n${message}`, /EIP-4361/],
    ['a second set of fields', (message) => `${message}\n\n${message}`, /EIP-4361/],
    [
      'a text between its parts',
      (message) => message.replace('\n\nURI', '\n\nfree\n\nURI'),
      /EIP-4361/,
    ],
    ['Windows line ends', (message) => message.replaceAll('\n', '\r\n'), /EIP-4361/],
    ['another version', (message) => message.replace('Version: 1', 'Version: 2'), /EIP-4361/],
    ['a Cyrillic domain', (message) => message.replace('app.', '\u0430pp.'), /domain|address/],
    ['a full-width URI', (message) => message.replace('//app', '//\uFF41pp'), /EIP-4361/],
    ['an invalid date', (message) => message.replace(/At: .*/, 'At: yesterday'), /at this time/],
    ['an invalid expiry', (message) => `${message}\nExpiration Time: never`, /at this time/],
    ['an oversized number', (message) => message.replace('8453', '9'.repeat(400)), /chain/],
    ['an address with a wrong checksum', wrongChecksum, /address/],
    ['text that is not Unicode', (message) => message.replace('Sign', '\uD800ign'), /EIP-4361/],
  ])('is rejected with %s, though it is signed', async (_, change, reason) => {
    const signer = newWallet()
    const message = change(compose({ address: signer.address, nonce: await wallets.nonce() }))
    const signature = await signer.signMessage(message.toWellFormed())
    await expectRefused({ address: signer.address, message, signature }, reason)
  })

  it('is rejected if it was changed after it was signed', async () => {
    const input = await proof(wallets)
    await expectRefused(
      { ...input, message: input.message.replace('Sign in', 'Log in') },
      /Invalid/,
    )
  })

  it('a message of any size is cheap to check', async () => {
    const input = await proof(wallets)
    const long = { ...input, message: input.message.padEnd(9_000, ' ') }
    expect((await signIn(long)).status).toBe(400)
    const resources = Array.from({ length: 4_000 }, () => '\n-')
      .join(' ')
      .slice(0, 7_000)
    // CPU time, because a busy machine makes wall-clock time longer.
    const began = process.cpuUsage()
    await expectRefused(
      { ...input, message: `${input.message}\nResources:${resources}` },
      /EIP-4361/,
    )
    const { user, system } = process.cpuUsage(began)
    expect(user + system).toBeLessThan(5_000_000)
  })
})

describe('a signature', () => {
  it.each([
    ['of another wallet', async (message: string) => newWallet().signMessage(message)],
    ['of zeros', () => `0x${'00'.repeat(65)}`],
    ['above the curve’s order', () => `0x${'ff'.repeat(64)}1b`],
    ['too short', () => '0x1234'],
    ['too long', () => `0x${'11'.repeat(66)}`],
    ['of an odd number of digits', () => '0x123'],
    ['with only its prefix', () => '0x'],
    ['without a prefix', () => '11'.repeat(65)],
    ['with non-hex letters', () => `0x${'zz'.repeat(65)}`],
  ])('%s is rejected', async (_, sign) => {
    const input = await proof(wallets)
    await expectRefused({ ...input, signature: await sign(input.message) }, /Invalid signature/)
  })

  it('a signature of a contract that is not deployed requires a chain', async () => {
    const input = await proof(wallets)
    const answer = await signIn({ ...input, signature: `0x00${'6492'.repeat(16)}` })
    expect([answer.status, answer.body]).toEqual([
      503,
      { error: expect.stringMatching(/not configured/), missing: ['EVM_RPC_URL'] },
    ])
  })
})

it('a message is rejected if any one character differs', async () => {
  const signer = newWallet()
  const hexDigit = fc.constantFrom(...'0123456789abcdef')
  const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 })
  const changed = fc.oneof(
    fc.tuple(fc.constant('message' as const), fc.nat(), printable),
    fc.tuple(fc.constant('signature' as const), fc.nat(), hexDigit),
    fc.tuple(fc.constant('address' as const), fc.nat(), hexDigit),
  )
  await fc.assert(
    fc.asyncProperty(changed, async ([field, at, letter]) => {
      const input = await proof(wallets, {}, signer)
      const text = input[field]
      const index = field === 'message' ? at % text.length : 2 + (at % (text.length - 2))
      fc.pre(text[index]?.toLowerCase() !== letter.toLowerCase())
      const other = text.slice(0, index) + letter + text.slice(index + 1)
      const { status } = await signIn({ ...input, [field]: other })
      expect(status).toBe(401)
    }),
    { numRuns: 200 },
  )
})

/** Changes the case of one letter of the address in the message. */
function wrongChecksum(message: string): string {
  return message.replace(
    /(0x[0-9]*)([a-fA-F])/,
    (_, start: string, letter: string) =>
      start + (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()),
  )
}
