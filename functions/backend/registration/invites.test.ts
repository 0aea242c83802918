import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useInvite } from '#shared/accounts/invites/use.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { type RegistrationStack, startRegistration } from '#tests/support/accounts/registration.ts'

let stack: RegistrationStack

beforeAll(async () => {
  stack = await startRegistration()
})
afterAll(() => stack.close())

async function newCode(): Promise<string> {
  const [status, body] = await stack.call<{ code: string }>('POST', '/api/invite/generate')
  expect([status, body]).toEqual([200, { code: expect.stringMatching(/^[0-9a-f]{12}$/) }])
  return body.code
}

const use = (code: unknown) =>
  stack.call('POST', '/api/invite/validate', { bearer: null, body: { code } })

const good = [200, { valid: true }]
const bad = [400, { valid: false, error: expect.any(String) }]

describe('an invite code', () => {
  it('is valid once, and every code is different', async () => {
    const [first, second] = [await newCode(), await newCode()]
    expect(first).not.toBe(second)
    expect(await use(first)).toEqual(good)
    expect(await use(first)).toEqual(bad)
    expect(await use(second)).toEqual(good)
  })

  it('admits one of fifty concurrent requests', async () => {
    const code = await newCode()
    const answers = await Promise.all(Array.from({ length: 50 }, () => use(code)))
    const won = answers.filter(([status]) => status === 200)
    expect(won).toEqual([good])
    for (const answer of answers) expect(answer).toEqual(answer[0] === 200 ? good : bad)
  })

  it('admits one request per code, in any interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 24 }),
        fc.nat({ max: 24 }),
        async (tries, atOnce) => {
          const codes = await Promise.all(Array.from({ length: 4 }, newCode))
          const bring = (n: number) => use(codes[n]).then(([status]) => ({ n, status }))
          const answers = await Promise.all(tries.slice(0, atOnce).map(bring))
          for (const n of tries.slice(atOnce)) answers.push(await bring(n))
          const won = answers.filter(({ status }) => status === 200).map(({ n }) => n)
          expect(won.toSorted()).toEqual([...new Set(tries)].toSorted())
        },
      ),
      { numRuns: 25 },
    )
  })

  it('counts as used by the request whose write was repeated', async () => {
    const [code, seed] = [await newCode(), newSeed()]
    for (let i = 0; i < 2; i++)
      expect(await useInvite({ table: stack.table, seed }, { code })).toBeUndefined()
    const other = { table: stack.table, seed: newSeed() }
    await expect(useInvite(other, { code })).rejects.toThrow('was used')
  })

  it.each([
    'no such code',
    '',
    '0123456789ab',
    '0123456789AB',
    'é\u0000\n',
    'a'.repeat(100_000),
    7,
    null,
    undefined,
    ['0123456789ab'],
    { code: '0123456789ab' },
    true,
  ])('is not %j', async (code) => {
    expect(await use(code)).toEqual(bad)
  })

  it('is read only from the body, and an invalid body is rejected', async () => {
    const code = await newCode()
    const send = async (text: string) =>
      (await stack.call('POST', '/api/invite/validate', { bearer: null, text }))[0]
    expect(await send(`{"__proto__":{"code":"${code}"}}`)).toBe(400)
    expect(await send(`["${code}"]`)).toBe(400)
    expect(await send('{')).toBe(400)
    expect(await use(code)).toEqual(good)
  })
})
