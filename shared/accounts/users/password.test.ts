import { expect, it, vi } from 'vitest'
import { bcryptPasswords } from './password.ts'

it('takes the time of one hash to reject a password, even without an account or a stored password', async () => {
  const passwords = bcryptPasswords(9)
  const stored = await passwords.hash('correct horse')
  const tries = {
    wrong: () => passwords.matches('wrong horse', stored),
    unknown: () => passwords.matches('correct horse', undefined),
    tooLong: () => passwords.matches('wrong horse'.repeat(1000), stored),
  }
  const fastest = { wrong: Infinity, unknown: Infinity, tooLong: Infinity }
  // The variants alternate, so that a busy machine slows all of them equally.
  for (let round = 0; round < 6; round++)
    for (const name of ['wrong', 'unknown', 'tooLong'] as const) {
      // CPU time: a busy machine would distort wall-clock time.
      const started = process.threadCpuUsage()
      expect(await tries[name]()).toBe(false)
      const { user, system } = process.threadCpuUsage(started)
      fastest[name] = Math.min(fastest[name], user + system)
    }
  for (const time of [fastest.unknown, fastest.tooLong]) {
    expect(time / fastest.wrong).toBeGreaterThan(0.6)
    expect(time / fastest.wrong).toBeLessThan(1.8)
  }
})

it('finishes hashes in the order of the requests, and continues after a failed one', async () => {
  const ended: string[] = []
  const dear = bcryptPasswords(12)
  const cheap = bcryptPasswords(4)
  const stored = await cheap.hash('correct horse')
  const requests: [string, () => Promise<unknown>][] = [
    ['dear', () => dear.hash('correct horse')],
    ['failing', () => cheap.hash(undefined as unknown as string).catch(() => undefined)],
    ['dear decoy', () => dear.matches('correct horse', undefined)],
    ['cheap', () => cheap.matches('correct horse', stored)],
  ]
  await Promise.all(requests.map(([name, ask]) => ask().then(() => ended.push(name))))
  expect(ended).toEqual(requests.map(([name]) => name))
})

it('refuses a hash that has waited for ten seconds, and continues with the next one', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const cheap = bcryptPasswords(4)
    const late = cheap.hash('correct horse')
    vi.advanceTimersByTime(10_001)
    await expect(late).rejects.toMatchObject({
      kind: 'unavailable',
      headers: { 'Retry-After': '5' },
    })
    expect(await cheap.hash('correct horse')).toMatch(/^\$2b\$04\$/)
  } finally {
    vi.useRealTimers()
  }
})
