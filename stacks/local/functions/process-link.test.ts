import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'

const invoked = [fixture('invoked', 'http', { kind: 'invoke' })]

let harness: Harness

beforeAll(async () => {
  harness = await startHarness(invoked, ({ name }) => ({ ONLY_FOR: name }))
})
afterAll(() => harness[Symbol.asyncDispose]())

async function call(path: string, more: object = {}): Promise<Record<string, never>> {
  const outcome = await harness.host.invoke('invoked', { rawPath: path, ...more })
  const { body } = (outcome as { result: { body: string } }).result
  return JSON.parse(body) as Record<string, never>
}

const slowly = { rawQueryString: 'ms=600000', queryStringParameters: { ms: '600000' } }

const pid = async () => Number((await call('/pid'))['pid'])

describe('a function that only others call', () => {
  test('has its own process, with only its own variables', async () => {
    expect(await pid()).not.toBe(process.pid)
    expect(await call('/environment')).toEqual({ ONLY_FOR: 'invoked' })
  })

  test('hides its environment from other processes of its user', async () => {
    expect(await call('/environment')).toEqual({ ONLY_FOR: 'invoked' })
    const shown = readFileSync(`/proc/${await pid()}/environ`, 'utf8')
    expect(shown).not.toContain('ONLY_FOR')
  })

  test('a function that only others call that is killed fails its invocations, and is restarted with the next call', async () => {
    const first = await pid()
    const late = call('/slow', slowly).catch((error: unknown) => error)
    await until('it to begin', () => harness.lines.values('slow').length > 0)
    process.kill(first, 'SIGKILL')
    expect(await late).toMatchObject({ kind: 'exited', message: 'exited with SIGKILL' })
    expect(await pid()).not.toBe(first)
  })

  test('survives Ctrl-C in a terminal until its stack ends it', async () => {
    const first = await pid()
    process.kill(first, 'SIGINT')
    expect(await pid()).toBe(first)
  })
})

test('it ends with its stack, even if that is killed', async () => {
  const holder = fork(join(import.meta.dirname, '../testing/host-holder.ts'), [harness.bundles], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const [held] = (await once(holder, 'message')) as [number]
  const isThere = () => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${held}/status`, 'utf8'))
    } catch {
      return false
    }
  }
  expect(isThere()).toBe(true)
  holder.kill('SIGKILL')
  await until('its end', () => !isThere())
})
