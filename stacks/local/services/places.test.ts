import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundleFunctions } from '#stacks/build/bundle.ts'
import { fixtureStacks } from '../testing/fixture-stacks.ts'
import { root } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'

const service = { cpu: 256, memoryMb: 512, underWay: 10, least: 1, most: 2 }
const streaming = (surface: 'web' | 'backend', prefix: string) =>
  ({ kind: 'http', surface, prefixes: [prefix], streaming: true }) as const

/** Services of both surfaces, with Lambda functions beside them. `backend-ai` is in front of its surface. */
const functions = [
  fixture('web-told', 'service', streaming('web', '/told'), { service, settings: ['WEB_URL'] }),
  fixture('web-heard', 'service', streaming('web', '/heard'), { service }),
  fixture('web-all', 'http', { kind: 'http', surface: 'web', prefixes: ['$default'] }),
  fixture('backend-ai', 'service', streaming('backend', '/ai'), { service }),
  fixture('backend-logs', 'service', streaming('backend', '/logs'), { service }),
  fixture('backend-all', 'http', { kind: 'http', surface: 'backend', prefixes: ['$default'] }),
]

let stacks: Awaited<ReturnType<typeof fixtureStacks>>

beforeAll(async () => {
  stacks = await fixtureStacks(functions.filter((spec) => spec.service === undefined))
  const services = functions.filter((spec) => spec.service !== undefined)
  const entries = services.map(({ name, entry }) => ({ name, entry }))
  await bundleFunctions({ functions: entries, root, outDir: join(stacks.dir, 'services') })
})
afterAll(() => stacks[Symbol.asyncDispose]())

async function running() {
  const stack = await stacks.start({ functions, services: join(stacks.dir, 'services') })
  onTestFinished(() => stack.close())
  return stack
}

/** Opens a stream through a service; the test decides what comes next. */
async function echo(url: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const sending = writable.getWriter()
  const say = (text: string) => sending.write(Buffer.from(text))
  const first = say('first ')
  const answer = await fetch(url, { method: 'POST', body: readable, duplex: 'half' } as RequestInit)
  await first
  return { answer, say, end: () => sending.close() }
}

test('each service of a surface answers its own paths with its own variables, and Lambdas the rest', async () => {
  const { urls } = await running()
  const variablesAt = async (url: string) =>
    (await (await fetch(`${url}/environment`)).json()) as Record<string, string>
  const told = await variablesAt(`${urls.web}/told`)
  expect(told).toMatchObject({ FUNCTION_NAME: 'web-told', WEB_URL: expect.any(String) })
  const heard = await variablesAt(`${urls.web}/heard`)
  expect(heard).toMatchObject({ FUNCTION_NAME: 'web-heard' })
  expect(heard).not.toHaveProperty('WEB_URL')
  for (const [url, name] of [
    [urls.web, 'web-all'],
    [`${urls.backend}/ai`, 'backend-ai'],
    [`${urls.backend}/logs`, 'backend-logs'],
    [urls.backend, 'backend-all'],
  ] as const)
    expect(await variablesAt(url)).toMatchObject({ FUNCTION_NAME: name })
})

test.each(['web', 'backend'] as const)(
  'a stack that stops lets the streams of services on the %s surface end by themselves',
  async (surface) => {
    const stack = await running()
    const paths = surface === 'web' ? ['/told', '/heard'] : ['/ai', '/logs']
    const streams = await Promise.all(paths.map((path) => echo(stack.urls[surface] + path)))
    const closed = stack.close()
    for (const { say, end } of streams) {
      await say('last')
      await end()
    }
    for (const { answer } of streams) expect(await answer.text()).toBe('first last')
    await closed
    await expect(fetch(stack.urls[surface])).rejects.toThrow('fetch failed')
  },
)
