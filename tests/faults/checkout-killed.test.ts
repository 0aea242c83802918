import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { checkoutOf } from '../support/billing/checkout.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { startOwnStack } from '../support/stack/stack-process.ts'

it('payments whose events arrive after a kill of everything, twice and newest first, are granted once each', async () => {
  const stack = await startOwnStack()
  onTestFailed(() => void process.stdout.write(stack.now().output()))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const { billing, ask, press, control } = checkoutOf(stack.now)
  const creditsOf = async (user: TestUser) =>
    (await call(`${stack.now().web}/api/settings`, { headers: user.session })).body.credits

  const user = await stack.newUser()
  await control('PUT', '/delivery', { mode: 'hold' })
  await press(await ask(user, { action: 'create-checkout', plan: 'solo' }), 'pay')
  await press(await ask(user, { action: 'buy-credits', pack: '50' }), 'pay')
  expect(await billing(user)).toMatchObject({ currentPlan: 'free' })
  await stack.now().kill()

  await stack.startAgain()
  await control('POST', '/delivery/release', { order: 'newest' })
  const delivered = () =>
    eventually(async () => {
      const { events } = (await control('GET', '')) as { events: { id: string; state: string }[] }
      expect(events.filter(({ state }) => state !== 'delivered')).toEqual([])
      return events
    })
  const events = await delivered()
  expect(events.length).toBeGreaterThan(4)
  for (const { id } of events) await control('POST', `/events/${id}/deliver`)
  await delivered()
  expect(await billing(user)).toMatchObject({ currentPlan: 'solo', subscriptionStatus: 'active' })
  expect(await creditsOf(user)).toBe(50)
  await stack.runningAgent(user)
})
