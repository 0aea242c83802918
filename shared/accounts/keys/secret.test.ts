import fc from 'fast-check'
import { ulid } from 'ulid'
import { expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { claimedOwner, newSecret, previewOf } from './secret.ts'

it('returns the user of every id in the key', () => {
  fc.assert(
    fc.property(fc.ulid(), (seed) => {
      const userId = newId('usr', seed)
      const secret = newSecret(userId)
      expect(secret).toMatch(/^sk_[0-9a-f]{64}$/)
      expect(claimedOwner(secret)).toBe(userId)
    }),
  )
})

it('a secret is different every time, and reveals little of its random part', () => {
  const userId = newId('usr', ulid())
  const secrets = Array.from({ length: 1000 }, () => newSecret(userId))
  expect(new Set(secrets).size).toBe(1000)
  const [secret = ''] = secrets
  expect(previewOf(secret)).toBe(`${secret.slice(0, 10)}...`)
})

it.each([
  'usr_1',
  '@platform',
  'usr_8zzzzzzzzzzzzzzzzzzzzzzzzz',
  'agt_01m7y9hv6j7kmfm2vz1jrhbf40',
  '',
])('a secret is created for no id like %j', (userId) => {
  expect(() => newSecret(userId)).toThrow(TypeError)
})
