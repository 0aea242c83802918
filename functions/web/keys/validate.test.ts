import { hash } from 'bcryptjs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSecret } from '#shared/accounts/keys/secret.ts'
import { subscribe } from '#shared/billing/payments/subscribe.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { newId } from '#shared/platform/ids.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { anyCharacter } from '#tests/support/platform/any-character.ts'
import { eventContext, lostQueues } from '#tests/support/platform/context.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'

let keys: Keys

beforeAll(async () => {
  keys = await startKeys({ adminEmails: ['root@b.co'] })
})
afterAll(() => keys.close())

const invalid = [401, { error: 'Invalid API key' }]
const base = ['dashboard', 'agents', 'chat', 'usage']

async function newHolder(email: string) {
  const user = await keys.signUp(email)
  return { ...user, ...(await keys.newKey(user.session)), id: user.id }
}

/** Replaces a key's stored hash. */
async function spoil(userId: string, key: string): Promise<void> {
  const row = { pk: `user#${userId}`, sk: `key#${await sha256Hex(key)}` }
  await keys.table.update(row, { set: { hash: await hash('something else', 4) } })
}

describe('POST /api/keys/validate', () => {
  it('returns exactly the holder of a key', async () => {
    const { id, key } = await newHolder('holder@b.co')
    expect(await keys.validate(key)).toEqual([
      200,
      {
        valid: true,
        userId: id,
        email: 'holder@b.co',
        plan: 'free',
        subscriptionStatus: 'inactive',
        features: base,
      },
    ])
  })

  it.each([
    ['label', 'active', base],
    ['solo', 'trialing', [...base, 'marketplace']],
    ['collective', 'active', [...base, 'marketplace', 'underground']],
    ['network', 'active', [...base, 'marketplace', 'underground', 'priority']],
    ['network', 'past_due', base],
    ['network', 'canceled', base],
  ] as const)(
    'returns the plan %s, %s, from the moment of the purchase',
    async (plan, status, features) => {
      const { id, key } = await newHolder(`${plan}-${status}@b.co`)
      await keys.validate(key)
      await subscribe(
        { ...eventContext(keys.table), queues: lostQueues },
        { userId: id, plan, subscriptionId: 's', status },
      )
      const answer = { plan, subscriptionStatus: status, features }
      expect(await keys.validate(key)).toEqual([200, expect.objectContaining(answer)])
    },
  )

  it('follows the user’s address, and treats admins as network-level', async () => {
    const { id, key } = await newHolder('before@b.co')
    const profile = { pk: `user#${id}`, sk: 'profile' }
    await keys.table.update(profile, { set: { email: 'root@b.co' } })
    const answer = { email: 'root@b.co', plan: 'free' }
    expect(await keys.validate(key)).toEqual([200, expect.objectContaining(answer)])
    await keys.table.update(profile, { set: { emailVerified: true } })
    const [, admin] = await keys.validate(key)
    expect(admin).toMatchObject({ plan: 'network', features: expect.arrayContaining(['priority']) })
  })

  it.each([[undefined], [null], [7], [''], [{}], [['sk_']]])(
    'rejects %j with 400',
    async (apiKey) => {
      expect(await keys.validate(apiKey)).toEqual([400, { error: 'apiKey required' }])
    },
  )

  it('rejects a value in another format with 401, and reads nothing', async () => {
    const { table, calls } = recording(keys.table)
    const process = keys.startProcess(table)
    const { key } = await newHolder('forms@b.co')
    const nearly = fc.constantFrom(
      key.slice(3),
      key.slice(0, -1),
      `${key}0`,
      key.toUpperCase(),
      ` ${key}`,
      key.replace('sk_', 'pk_'),
      `${key}\n`,
      `sk_${'g'.repeat(64)}`,
    )
    const text = fc.oneof(
      nearly,
      fc.string({ minLength: 1 }),
      fc.string({ unit: anyCharacter, minLength: 1 }),
    )
    await fc.assert(
      fc.asyncProperty(text, async (apiKey) => {
        expect(await keys.validate(apiKey, process)).toEqual(invalid)
      }),
      { numRuns: 300 },
    )
    expect(calls).toEqual([])
  })

  it('reads once for a wrong key, with or without a user of its id', async () => {
    const { id, key } = await newHolder('guess@b.co')
    const { table, calls } = recording(keys.table)
    const process = keys.startProcess(table)
    const otherEnd = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    for (const guess of [newSecret(id), newSecret(newId('usr')), otherEnd]) {
      calls.length = 0
      expect(await keys.validate(guess, process)).toEqual(invalid)
      expect(calls).toEqual(['getMany'])
    }
  })
})

describe('the hash', () => {
  it('is compared once per key and process', async () => {
    const { id, key } = await newHolder('once@b.co')
    expect((await keys.validate(key))[0]).toBe(200)
    await spoil(id, key)
    expect((await keys.validate(key))[0]).toBe(200)
    expect(await keys.validate(key, keys.startProcess())).toEqual(invalid)
  })

  it('is compared again for the least recently used key, if the cache is full', async () => {
    const process = keys.startProcess(keys.table, 2)
    const { id, session, key: first } = await newHolder('room@b.co')
    const [second, third] = [await keys.newKey(session), await keys.newKey(session)]
    for (const key of [first, second.key, first, third.key])
      expect((await keys.validate(key, process))[0]).toBe(200)
    for (const key of [first, second.key]) await spoil(id, key)
    expect((await keys.validate(first, process))[0]).toBe(200)
    expect(await keys.validate(second.key, process)).toEqual(invalid)
  })
})
