import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { message, unique, useIdpEvents } from '#tests/support/accounts/idp-events.ts'

const on = useIdpEvents()

const seenRow = (hash: string) => ({ pk: `risc#${hash}`, sk: 'risc' })

describe('a repeated event', () => {
  it('has no effect for thirty days', async () => {
    const user = await on.arrive()
    const event = message('sessions-revoked', { sub: user.subject })
    await on.events.handle([event])
    const { session } = await on.arrive(user.subject)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    await on.events.handle([event])
    vi.useRealTimers()
    expect(await on.holds(session)).toBe(true)
  })

  it('is distinguished from an event of the same id at the other receiver', async () => {
    const user = await on.arrive()
    const change = { jti: 'both', reason: 'hijacking' }
    await on.events.handle([
      message('account-disabled', { email: user.email }, { ...change, receiver: 'legacy' }),
      message('account-disabled', { sub: user.subject }, change),
    ])
    expect(await on.enabled(user.id)).toBe(false)
  })

  it('may arrive in any order and number: the latest decides', async () => {
    const history = fc
      .uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 6 })
      .chain((times) =>
        fc
          .tuple(...times.map((occurredAt) => fc.tuple(fc.constant(occurredAt), fc.boolean())))
          .chain((happened) =>
            fc.tuple(
              fc.constant(happened),
              fc.shuffledSubarray([...happened.keys(), ...happened.keys()], {
                minLength: 2 * happened.length,
              }),
            ),
          ),
      )
    await fc.assert(
      // Killed: as if each process had died between the effect of an event and the row that records the event.
      fc.asyncProperty(history, fc.boolean(), async ([happened, order], killed) => {
        const email = `${unique()}@b.co`
        const { id } = await on.signIn.accounts.signUp(email)
        const messages = happened.map(([occurredAt, disabled]) =>
          disabled
            ? message('account-disabled', { email }, { occurredAt, reason: 'hijacking' })
            : message('account-enabled', { email }, { occurredAt }),
        )
        for (const one of order.map((i) => messages[i]).filter((m) => m !== undefined)) {
          await on.events.handle([one])
          if (killed) await on.signIn.accounts.table.delete(seenRow(await sha256Hex(one.jti)))
        }
        const latest = happened.toSorted(([a], [b]) => b - a)[0]
        expect(await on.enabled(id)).toBe(latest?.[1] !== true)
      }),
      { numRuns: 40, interruptAfterTimeLimit: 60_000 },
    )
  }, 120_000)

  it('a repeated event of the same second is ordered by its time of receipt', async () => {
    const user = await on.arrive()
    const at = { occurredAt: Math.floor(Date.now() / 1000), receivedAt: Date.now() }
    const disabled = { ...at, reason: 'hijacking' }
    const later = { ...at, receivedAt: at.receivedAt + 1 }
    await on.events.handle([message('account-disabled', { sub: user.subject }, disabled)])
    await on.events.handle([message('account-enabled', { sub: user.subject }, later)])
    expect(await on.enabled(user.id)).toBe(true)
    await on.events.handle([message('account-disabled', { sub: user.subject }, disabled)])
    expect(await on.enabled(user.id)).toBe(true)
  })
})
