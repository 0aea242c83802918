import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { FunctionError } from './errors.ts'

const http = { kind: 'http', surface: 'web', prefixes: ['/x'] } as const
const functions = [
  fixture('plain', 'http', http),
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
  test('has only its own variables', async () => {
    process.env['SECRET_OF_THE_HOST'] = 'x'
    expect(await call('plain', '/environment')).toEqual({ ONLY_FOR: 'plain' })
    expect(await call('other', '/environment')).toEqual({ ONLY_FOR: 'other' })
  })

  test('gets a Lambda context with its remaining time', async () => {
    const context = await call('plain', '/context')
    expect(context).toMatchObject({ functionName: 'plain', memoryLimitInMB: '128' })
    expect(context['awsRequestId']).toMatch(/^[\da-f-]{36}$/)
    expect(context['remaining']).toBeGreaterThan(10_000)
    expect(context['remaining']).toBeLessThanOrEqual(60_000)
  })

  test('keeps its module between invocations and handles several concurrently', async () => {
    const { calls } = await call('other', '/calls')
    const slow = call('other', '/slow', { ms: '200' })
    expect(await call('other', '/calls')).toEqual({ calls: calls! + 2 })
    expect(await slow).toEqual({ slow: true })
  })

  test('reports its handler’s exception and continues', async () => {
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
    ['reject-later', 'Error: nothing catches this'],
  ])(
    'a hosted function that exits by %s is the only one that fails, and is restarted',
    async (path, reason) => {
      const before = await call('other', '/calls')
      const error = await failure('plain', `/${path}`)
      expect(error.kind).toBe('exited')
      expect(error.message).toMatch(reason)
      expect(await call('plain', '/calls')).toEqual({ calls: 1 })
      expect((await call('other', '/calls'))['calls']).toBe(before['calls']! + 1)
    },
  )

  test('a hosted function that streams without a declaration cannot be loaded', async () => {
    const error = await failure('undeclared-stream', '/x')
    expect(error.message).toContain('the manifest does not say so')
    await until('its line', () => harness.lines.all.some(({ text }) => text.includes('manifest')))
  })
})

describe('a function that times out', () => {
  // The host's clock is fake, so an invocation times out only when the test advances it.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const slowly = (ms: number) => call('plain', '/slow', { ms: String(ms) })
  const error = (thrown: unknown) => thrown as FunctionError
  const timeout = { kind: 'timeout', message: 'Task timed out after 60.00 seconds' }

  test.each(['loop', 'slow'])('is ended in %s, and restarted', async (path) => {
    await call('plain', '/calls')
    const late = call('plain', `/${path}`, { ms: '600000' }).catch(error)
    if (path === 'loop') await until('it to loop', () => harness.lines.values('looping').length > 0)
    vi.advanceTimersByTime(59_999)
    await new Promise(setImmediate)
    expect(await Promise.race([late, 'still running'])).toBe('still running')
    vi.advanceTimersByTime(1)
    expect(await late).toMatchObject(timeout)
    expect(await call('plain', '/calls')).toEqual({ calls: 1 })
  })

  test('is ended only after its other invocations', async () => {
    await call('plain', '/calls')
    const late = slowly(600_000).catch(error)
    vi.advanceTimersByTime(30_000)
    const inTime = slowly(500)
    vi.advanceTimersByTime(30_000)
    expect(await late).toMatchObject(timeout)
    expect(await inTime).toEqual({ slow: true })
  })
})

test('an idle function is ended and restarted when called', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await using idle = await startHarness([fixture('idle', 'http', http)])
  const calls = async () => {
    const outcome = await idle.host.invoke('idle', { rawPath: '/calls' })
    return (outcome as { result: { body: string } }).result.body
  }
  expect(await calls()).toBe('{"calls":1}')
  vi.advanceTimersByTime(599_000)
  expect(await calls()).toBe('{"calls":2}')
  vi.advanceTimersByTime(660_000)
  expect(await calls()).toBe('{"calls":1}')
})

test('inline, a function runs in this process', async () => {
  await using inline = await startHarness([fixture('in', 'http', http)], undefined, 600, 'inline')
  const outcome = await inline.host.invoke('in', { rawPath: '/environment' })
  const { body } = (outcome as { result: { body: string } }).result
  expect(JSON.parse(body)).toHaveProperty('VITEST')
})
