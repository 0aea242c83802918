import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../testing/harness.ts'
import { loadSecrets } from './secrets.ts'

test('secrets are created once, readable only by their owner', async () => {
  await using dir = await temporaryDir()
  const { path, secrets } = await loadSecrets(dir.path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(Buffer.from(secrets.WALLET_ENCRYPTION_KEY, 'base64')).toHaveLength(32)
  expect((await loadSecrets(dir.path)).secrets).toEqual(secrets)
  await using other = await temporaryDir()
  expect((await loadSecrets(other.path)).secrets).not.toEqual(secrets)
})

test('a damaged file causes an error with its name, and is not replaced', async () => {
  await using dir = await temporaryDir()
  const path = join(dir.path, 'secrets.json')
  await writeFile(path, '{"INTERNAL_API_KEY":"short"', { mode: 0o600 })
  await expect(loadSecrets(dir.path)).rejects.toThrow(`${path} is damaged`)
  expect(await readFile(path, 'utf8')).toContain('short')
  await writeFile(path, '{"INTERNAL_API_KEY":"short"}')
  await expect(loadSecrets(dir.path)).rejects.toThrow(
    /\(INTERNAL_API_KEY, WALLET_ENCRYPTION_KEY\)(?!.*short).*--reset/,
  )
})

test('a file that is older than the checkout gets the checkout’s secrets, in the format of a provider', async () => {
  await using dir = await temporaryDir()
  const { path, secrets } = await loadSecrets(dir.path)
  const { PAYMENTS_SECRET_KEY, PAYMENTS_WEBHOOK_SECRET, ...earlier } = secrets
  await writeFile(path, JSON.stringify(earlier))
  const upgraded = await loadSecrets(dir.path)
  expect(upgraded.secrets).toEqual({
    ...earlier,
    PAYMENTS_SECRET_KEY: expect.stringMatching(/^sk_test_[0-9a-f]{48}$/),
    PAYMENTS_WEBHOOK_SECRET: expect.stringMatching(/^whsec_[0-9a-f]{48}$/),
  })
  expect(upgraded.secrets.PAYMENTS_SECRET_KEY).not.toBe(PAYMENTS_SECRET_KEY)
  expect(upgraded.secrets.PAYMENTS_WEBHOOK_SECRET).not.toBe(PAYMENTS_WEBHOOK_SECRET)
})

test('a file that is older than the router gets the router’s secret and keeps the others', async () => {
  await using dir = await temporaryDir()
  const { path, secrets } = await loadSecrets(dir.path)
  const { ROUTER_SECRET, ...earlier } = secrets
  await writeFile(path, JSON.stringify(earlier))
  const upgraded = await loadSecrets(dir.path)
  expect(upgraded.secrets).toEqual({ ...earlier, ROUTER_SECRET: expect.stringMatching(/^.{43}$/) })
  expect(upgraded.secrets.ROUTER_SECRET).not.toBe(ROUTER_SECRET)
  expect(await loadSecrets(dir.path)).toEqual(upgraded)
})
