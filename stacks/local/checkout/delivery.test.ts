import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { temporaryDir, until } from '../testing/harness.ts'
import {
  credits,
  openCheckout,
  type OpenCheckout,
  press,
  solo,
  startReceiver,
  stripeAt,
} from './testing/harness.ts'

async function buy(
  { stripe }: Pick<OpenCheckout, 'stripe'>,
  what: Stripe.Checkout.SessionCreateParams,
) {
  const { id, url } = await stripe.checkout.sessions.create(what)
  await press(url, 'pay')
  return stripe.checkout.sessions.retrieve(id)
}

const bought = ['payment_intent.succeeded', 'checkout.session.completed']

test('a rejected event is sent again until it is accepted, and delays no other', async () => {
  await using checkout = await openCheckout()
  const { receiver } = checkout
  receiver.answer(500)
  await buy(checkout, credits)
  await until('both to come twice', () => receiver.types().length >= 4)
  expect(new Set(receiver.types())).toEqual(new Set(bought))
  receiver.answer(204)
  const taken = async () => {
    const { events } = (await checkout.control('GET', '')) as { events: { state: string }[] }
    return events.every(({ state }) => state === 'delivered')
  }
  await until('both to be taken', taken)
  const ids = receiver.events.map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
})

test('undelivered events of a killed stand-in are sent by the next one, with the payment', async () => {
  await using dir = await temporaryDir()
  await using receiver = await startReceiver()
  const program = fileURLToPath(new URL('testing/child.ts', import.meta.url))
  const start = async () => {
    const options = ['--disable-warning=ExperimentalWarning', program, dir.path, receiver.url]
    const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [url] = (await once(child.stdout, 'data')) as [Buffer]
    const kill = async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    return { stripe: stripeAt(String(url)), [Symbol.asyncDispose]: kill }
  }
  receiver.answer(503)
  let paid: Stripe.Checkout.Session
  {
    await using killed = await start()
    paid = await buy(killed, solo)
    await until('a first try', () => receiver.events.length > 0)
  }
  const refused = receiver.events.length
  receiver.answer(200)
  await using next = await start()
  const taken = () => receiver.types().slice(refused)
  await until('all of them', () => taken().length === 3)
  expect(taken()).toEqual([
    'customer.subscription.created',
    'invoice.paid',
    'checkout.session.completed',
  ])
  expect(await next.stripe.checkout.sessions.retrieve(paid.id)).toEqual(paid)
})

test('the page redirects once its event was accepted or rejected, or at once if it is held', async () => {
  await using checkout = await openCheckout()
  const { receiver } = checkout
  await buy(checkout, credits)
  expect(receiver.types()).toEqual(bought)
  receiver.answer(500)
  await buy(checkout, credits)
  expect(receiver.types().slice(2)).toEqual(expect.arrayContaining(bought))
  await checkout.control('PUT', '/delivery', { mode: 'hold' })
  expect(await buy(checkout, credits)).toMatchObject({ status: 'complete' })
})

test('events are sent twice if configured', async () => {
  await using checkout = await openCheckout()
  await checkout.control('PUT', '/delivery', { mode: 'twice' })
  await buy(checkout, credits)
  await until('four', () => checkout.receiver.events.length === 4)
  const ids = checkout.receiver.events.map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
})

test.each([
  ['oldest', bought],
  ['newest', bought.toReversed()],
])('events are late if configured, and arrive %s first', async (order, types) => {
  await using checkout = await openCheckout()
  await checkout.control('PUT', '/delivery', { mode: 'hold' })
  await buy(checkout, credits)
  await checkout.control('PUT', '/delivery', { mode: 'normal' })
  await buy(checkout, solo)
  await until('what is not held', () => checkout.receiver.events.length === 3)
  await checkout.control('POST', '/delivery/release', { order })
  await until('the rest', () => checkout.receiver.events.length === 5)
  expect(checkout.receiver.types().slice(3)).toEqual(types)
})

test('events are lost if configured, until one is wanted', async () => {
  await using checkout = await openCheckout()
  await checkout.control('PUT', '/delivery', { mode: 'drop' })
  await buy(checkout, credits)
  await checkout.control('POST', '/delivery/release')
  const { events } = (await checkout.control('GET', '')) as {
    events: { id: string; type: string }[]
  }
  const completed = events.find(({ type }) => type === 'checkout.session.completed')
  await checkout.control('POST', `/events/${completed?.id}/deliver`)
  await until('the one', () => checkout.receiver.events.length === 1)
  expect(checkout.receiver.events[0]?.id).toBe(completed?.id)
  await checkout.control('POST', `/events/${completed?.id}/deliver`)
  await until('it once more', () => checkout.receiver.events.length === 2)
  await expect(checkout.control('POST', '/events/evt_strange/deliver')).rejects.toThrow(
    'No such event',
  )
})
