import { expect, it } from 'vitest'
import { bcryptPasswords } from './password.ts'

it('takes as long for an account that does not exist, or a password that is too long', async () => {
  const passwords = bcryptPasswords(9)
  const stored = await passwords.hash('correct horse')
  const fastest = async (password: string, hash: string | undefined) => {
    const times = []
    for (let i = 0; i < 5; i++) {
      const started = performance.now()
      expect(await passwords.matches(password, hash)).toBe(false)
      times.push(performance.now() - started)
    }
    return Math.min(...times)
  }
  const wrong = await fastest('wrong horse', stored)
  for (const time of [
    await fastest('correct horse', undefined),
    await fastest('wrong horse'.repeat(1000), stored),
  ]) {
    expect(time).toBeGreaterThan(wrong * 0.6)
    expect(time).toBeLessThan(wrong * 1.7)
  }
})
