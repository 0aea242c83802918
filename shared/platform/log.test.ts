import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readMetrics } from '#tests/support/platform/metric-format.ts'
import { createLog } from './log.ts'

let lines: string[]

beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

const hash = 'a3'.repeat(32)

describe('a log line', () => {
  it('contains only the start of a long text', () => {
    createLog().info('refused', { failed: 'eyJ-'.repeat(1_000_000) })
    expect(lines.join().length).toBeLessThan(10_000)
    expect(lines.join()).toContain('eyJ-eyJ-')
  })
})

describe('a log line does not contain', () => {
  it('a log line does not contain the beginning of a secret where a long text is cut', () => {
    const secret = `sk_${'0f'.repeat(16)}`
    for (let before = 8192 - secret.length; before <= 8192; before++)
      createLog().info('refused', { failed: ' '.repeat(before) + secret })
    expect(lines.join()).not.toContain('sk_')
  })

  it.each([
    ['the provider’s secret key', 'sk_live_51HqXyzABCdef'],
    ['a secret key for tests', 'sk_test_51HqXyzABCdef'],
    ['a restricted key', 'rk_live_51HqXyzABCdef'],
    ['a webhook’s secret', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/x='],
    ['a model provider’s key', 'sk-proj-the-users-own-key-0123456789'],
    ['a key of the platform', `sk_${'0f'.repeat(16)}`],
    ['a bearer token', 'Bearer abc.def'],
  ])('a log line does not contain %s in any place', (_, secret) => {
    createLog({ at: secret }).warn(`failed with ${secret}!`, {
      deep: { list: [`x ${secret}`] },
      error: new Error(`no ${secret}`),
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain(secret)
    expect(lines[0]).toContain('[redacted]')
  })

  it.each(['privateKey', 'private_key', 'walletKey', 'key', 'encryption_key', 'seed', 'mnemonic'])(
    'a log line does not contain a private key under the name %s',
    (name) => {
      for (const value of [`0x${hash}`, hash, [`0x${hash}`], `from 0x${hash}`])
        createLog().info('wallet', { [name]: value })
      expect(lines.join()).not.toContain(hash)
    },
  )

  it('a log line does not contain the value of a secret’s name, alone or in a list', () => {
    createLog().info('sign-in', { password: 'hunter2', recoverySecrets: ['hunter3', 'hunter4'] })
    expect(lines.join()).not.toContain('hunter')
  })
})

it('a log line keeps values that only resemble a secret', () => {
  const stored = {
    txHash: `0x${hash}`,
    previous: hash,
    key: 'user#usr_1',
    keys: ['usr_1', 'usr_2'],
    missing: ['PAYMENTS_SECRET_KEY'],
    event: 'sk_liverpool',
    inputTokens: 12,
  }
  createLog().info('request', stored)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject(stored)
})

it('a log line with its metrics is one JSON object on Lambda, whose runtime wraps console output', () => {
  const program = `
    console.log = (message) =>
      process.stdout.write(JSON.stringify({ level: 'INFO', requestId: 'x', message }) + '\\n')
    const { createLog } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))})
    const error = new Error('of two\\nlines')
    const metrics = { by: [['function']], of: { RequestLatency: [5, 'Milliseconds'] } }
    createLog({ function: 'web-agents' }).error('failed', { error }, metrics)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { AWS_LAMBDA_FUNCTION_NAME: 'web-agents', PLATFORM_STAGE: 'production' },
    encoding: 'utf8',
  })
  const [line, ...rest] = printed.split('\n')
  expect(rest).toEqual([''])
  const fields: Record<string, unknown> = JSON.parse(line ?? '')
  expect(fields).toMatchObject({ message: 'failed', error: { message: 'of two\nlines' } })
  expect(readMetrics(fields)).toEqual({
    namespace: 'AgentPlatform/production',
    dimensions: [{ function: 'web-agents' }],
    figures: { RequestLatency: 5 },
  })
})
