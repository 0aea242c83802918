import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentOf, fixtureStacks } from './testing/fixture-stacks.ts'

let stacks: Awaited<ReturnType<typeof fixtureStacks>>

beforeAll(async () => {
  stacks = await fixtureStacks()
})
afterAll(() => stacks[Symbol.asyncDispose]())

test('a configured provider replaces the stand-in', async () => {
  const AI_BASE_URL = 'https://models.example.com/v1'
  const stack = await stacks.start({}, { DATA_DIR: join(stacks.dir, 'real'), AI_BASE_URL })
  const environment = await environmentOf(stack.urls.web)
  expect(environment['AI_BASE_URL']).toBe(AI_BASE_URL)
  expect(environment).not.toHaveProperty('STAND_IN_PROVIDER_URL')
  await stack.close()
})

test.each([
  ['a payment provider', { PAYMENTS_SECRET_KEY: 'sk_live_of_a_provider' }, 'sk_live_of_a_provider'],
  ['no provider, with PAYMENTS off', { PAYMENTS: 'off' }, undefined],
])('%s excludes the stand-in checkout', async (what, setting, key) => {
  const stack = await stacks.start({}, { DATA_DIR: join(stacks.dir, what), ...setting })
  const environment = await environmentOf(stack.urls.web)
  expect(environment['PAYMENTS_SECRET_KEY']).toBe(key)
  expect(environment).not.toHaveProperty('PAYMENTS_API_URL')
  expect(stack.checkoutUrl).toBeUndefined()
  await stack.close()
})

test('the stand-in checkout signs with a configured secret', async () => {
  const PAYMENTS_WEBHOOK_SECRET = 'whsec_of_a_person_who_plays_the_provider'
  const stack = await stacks.start(
    {},
    { DATA_DIR: join(stacks.dir, 'played'), PAYMENTS_WEBHOOK_SECRET },
  )
  expect(await environmentOf(stack.urls.web)).toMatchObject({ PAYMENTS_WEBHOOK_SECRET })
  expect(stack.checkoutUrl).toBeDefined()
  await stack.close()
})

test('each of several parallel stacks has its own checkout if no port is configured', async () => {
  const environment = (name: string) => ({ DATA_DIR: join(stacks.dir, name), PAYMENTS_PORT: '' })
  const one = await stacks.start({}, environment('one'))
  const two = await stacks.start({}, environment('two'))
  const pages = await Promise.all([one, two].map(({ checkoutUrl }) => fetch(String(checkoutUrl))))
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect(one.checkoutUrl).not.toBe(two.checkoutUrl)
  await Promise.all([one.close(), two.close()])
})
