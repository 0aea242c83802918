import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../testing/manifest.ts'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { FunctionError } from './errors.ts'

const http = { kind: 'http', surface: 'web', prefixes: ['/x'] } as const
const functions = [
  fixture('plain', 'http', http, { timeoutSeconds: 1 }),
  fixture('other', 'http', http),
  fixture('undeclared-stream', 'stream', http),
]

let harness: Harness

beforeAll(async () => {
  harness = await startHarness(functions, ({ name }) => ({ ONLY_FOR: name }))
})
afterAll(() => harness[Symbol.asyncDispose]())

async function call(name: string, path: string, query: Record<string, string> = {}) {
  const event = { rawPath: path, queryStringParameters: query }
  const outcome = await harness.host.invoke(name, event)
  if (outcome.streamed) throw new Error('not expected to stream')
  const { body } = outcome.result as { body: string }
  return JSON.parse(body) as Record<string, never>
}

const failure = (name: string, path: string) =>
  call(name, path).then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(FunctionError)
      return error as FunctionError
    },
  )

describe('a hosted function', () => {
  test('has no variable but its own', async () => {
    process.env['SECRET_OF_THE_HOST'] = 'x'
    expect(await call('plain', '/environment')).toEqual({ ONLY_FOR: 'plain' })
    expect(await call('other', '/environment')).toEqual({ ONLY_FOR: 'other' })
  })

  test('gets a Lambda context with the time that it has left', async () => {
    const context = await call('plain', '/context')
    expect(context).toMatchObject({ functionName: 'plain', memoryLimitInMB: '128' })
    expect(context['awsRequestId']).toMatch(/^[\da-f-]{36}$/)
    expect(context['remaining']).toBeGreaterThan(500)
    expect(context['remaining']).toBeLessThanOrEqual(1000)
  })

  test('keeps its module between invocations and works on several at a time', async () => {
    const { calls } = await call('other', '/calls')
    const slow = call('other', '/slow', { ms: '200' })
    expect(await call('other', '/calls')).toEqual({ calls: calls! + 2 })
    expect(await slow).toEqual({ slow: true })
  })

  test('reports what its handler throws and goes on', async () => {
    const { calls } = await call('other', '/calls')
    expect(await failure('other', '/throw')).toMatchObject({
      kind: 'failed',
      errorType: 'TypeError',
      message: 'the handler threw',
    })
    expect(await call('other', '/calls')).toEqual({ calls: calls! + 2 })
  })

  test.each([
    ['exit', 'exited with code 3'],
    ['reject-later', 'Error: nobody catches this'],
  ])('that ends itself by %s fails alone and is started anew', async (path, reason) => {
    const before = await call('other', '/calls')
    const error = await failure('plain', `/${path}`)
    expect(error.kind).toBe('exited')
    expect(error.message).toMatch(reason)
    expect(await call('plain', '/calls')).toEqual({ calls: 1 })
    expect((await call('other', '/calls'))['calls']).toBe(before['calls']! + 1)
  })

  test.each(['loop', 'slow'])('is ended after its timeout in %s', async (path) => {
    const began = Date.now()
    const error = await call('plain', `/${path}`, { ms: '60000' }).catch((e: unknown) => e)
    expect(error).toMatchObject({ kind: 'timeout', message: 'Task timed out after 1.00 seconds' })
    expect(Date.now() - began).toBeLessThan(30_000)
    expect(await call('plain', '/calls')).toEqual({ calls: 1 })
  })

  test('is ended after a timeout only when its other invocations are done', async () => {
    await call('plain', '/calls')
    const late = call('plain', '/slow', { ms: '60000' }).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 700))
    const inTime = call('plain', '/slow', { ms: '500' })
    expect(await late).toMatchObject({ kind: 'timeout' })
    expect(await inTime).toEqual({ slow: true })
  })

  test('that streams without being declared to cannot be loaded', async () => {
    const error = await failure('undeclared-stream', '/x')
    expect(error.message).toContain('the manifest does not say so')
    await until('its line', () => harness.lines.all.some(({ text }) => text.includes('manifest')))
  })
})

test('a function that nobody calls is ended and comes back when called', async () => {
  await using idle = await startHarness([fixture('idle', 'http', http)], undefined, 0.2)
  const calls = async () => {
    const outcome = await idle.host.invoke('idle', { rawPath: '/calls' })
    return (outcome as { result: { body: string } }).result.body
  }
  expect(await calls()).toBe('{"calls":1}')
  expect(await calls()).toBe('{"calls":2}')
  await until('a fresh start', async () => (await calls()) === '{"calls":1}' || pause(500), 5)
})

const pause = (ms: number) =>
  new Promise<false>((resolve) => {
    setTimeout(resolve, ms, false)
  })

test('inline, a function runs in this process', async () => {
  await using inline = await startHarness([fixture('in', 'http', http)], undefined, 600, 'inline')
  const outcome = await inline.host.invoke('in', { rawPath: '/environment' })
  const { body } = (outcome as { result: { body: string } }).result
  expect(JSON.parse(body)).toHaveProperty('VITEST')
})
