import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { startSession } from '../../shared/accounts/session.ts'
import { tableName } from '../../stacks/local/engines.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { call } from '../support/client.ts'
import { useLocalCredentials } from '../support/credentials.ts'
import { enginesOf } from '../support/engines.ts'
import { signatureOf } from '../support/payment-provider.ts'
import { type OwnStack, startOwnStack } from '../support/stack-process.ts'
import { linesOfAudit } from './payments/audit-lines.ts'
import { type Event, type History, historyOf, type Sold } from './payments/history.ts'
import { type Random, randomFrom } from './world/random.ts'

/** PAYMENT_USERS=500 PAYMENT_KILLS=50 is the run that docs/billing.md tells of. */
const users = Number(process.env.PAYMENT_USERS ?? 10)
const kills = Number(process.env.PAYMENT_KILLS ?? 3)

/** Deliveries at a time, as of a busy provider. */
const parallel = 16

/** One user, with the checkouts that they have begun and what becomes of them at the provider. */
interface Payer extends History {
  id: string
  session: { cookie: string }
}

async function newPayer(stack: OwnStack, random: Random): Promise<Payer> {
  const email = `payer-${randomUUID()}@example.com`
  const registered = await call(`${stack.now().web}/api/register`, {
    body: { email, password: `correct horse ${randomUUID()}` },
  })
  expect(registered.status).toBe(200)
  const id = String(registered.body.id)
  const table = dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  const session = { cookie: `service-session=${await startSession({ table }, { userId: id })}` }
  const begin = async (sold: Sold): Promise<string> => {
    const path = sold.kind === 'storage' ? 'stripe/storage-upgrade' : 'billing'
    const action =
      sold.kind === 'plan'
        ? { action: 'create-checkout', plan: sold.plan }
        : { action: 'buy-credits', pack: sold.kind === 'credits' ? sold.credits : 0 }
    const answer = await call(`${stack.now().web}/api/${path}`, {
      method: 'POST',
      headers: session,
      ...(sold.kind !== 'storage' && { body: action }),
    })
    expect(answer.status).toBe(200)
    const [sessionId = ''] = /cs_\w+/.exec(String(answer.body.url)) ?? []
    expect(sessionId).not.toBe('')
    return sessionId
  }
  return { id, session, ...(await historyOf(random, id, begin)) }
}

/** Each event one to five times, in any order. */
function shuffled(random: Random, events: readonly Event[]): Event[] {
  const deliveries = events.flatMap((event) =>
    Array.from({ length: 1 + random.below(5) }, () => event),
  )
  for (let i = deliveries.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const [one, other] = [deliveries[i], deliveries[j]]
    if (one && other) [deliveries[i], deliveries[j]] = [other, one]
  }
  return deliveries
}

it(`${users} users' payments, told in any order while everything is killed, end as they would in order`, async () => {
  const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000)
  const random = randomFrom(seed)
  useLocalCredentials()
  const stack = await startOwnStack({ RATE_LIMITS: 'off' })
  onTestFailed(() => void process.stdout.write(`${stack.now().output()}\nseed ${seed}\n`))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const secrets = JSON.parse(await readFile(join(stack.dataDir, 'secrets.json'), 'utf8')) as {
    PAYMENTS_WEBHOOK_SECRET: string
  }
  const payers: Payer[] = []
  for (let n = 0; n < users; n++) payers.push(await newPayer(stack, random))

  const deliveries = shuffled(
    random,
    payers.flatMap(({ events }) => events),
  )
  const total = deliveries.length
  let killing: Promise<void> | undefined
  let killed = 0

  /** A provider asks again until it is answered. */
  async function deliver(event: Event): Promise<void> {
    const body = JSON.stringify(event)
    for (;;) {
      await killing
      const status = await fetch(`${stack.now().web}/api/webhooks/payments`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'stripe-signature': signatureOf(secrets.PAYMENTS_WEBHOOK_SECRET, body),
        },
        body,
      }).then(
        (answer) => answer.status,
        () => undefined,
      )
      if (status === 200) return
      // Nothing but the end of the stack may be in the way of an event.
      expect([undefined, 503]).toContain(status)
    }
  }

  async function provider(): Promise<void> {
    for (let event = deliveries.pop(); event !== undefined; event = deliveries.pop()) {
      await deliver(event)
      if (killing === undefined && total - deliveries.length > ((killed + 1) * total) / (kills + 1))
        killing = kill()
    }
  }

  async function kill(): Promise<void> {
    killed++
    await stack.now().kill()
    await stack.startAgain()
    killing = undefined
  }

  await Promise.all(Array.from({ length: parallel }, provider))
  await killing
  expect(killed).toBe(kills)
  const engines = enginesOf(() => stack.now().endpoints)
  await engines.untilEmpty('entitlements')
  expect(await engines.deadLetters()).toEqual({})

  for (const { id, session, expected } of payers) {
    const read = async (path: string) =>
      (await call(`${stack.now().web}${path}`, { headers: session })).body
    const billing = await read('/api/billing')
    const { credits } = await read('/api/credits')
    const { entries } = (await read('/api/credits/ledger?limit=100')) as {
      entries: { amount: number }[]
    }
    const { currentPlan, subscriptionStatus, storageGb } = billing
    expect({ id, currentPlan, subscriptionStatus, storageGb, credits }).toEqual({
      id,
      ...expected,
    })
    const sum = entries.reduce((micro, { amount }) => micro + Math.round(amount * 100_000), 0)
    expect(sum).toBe(Math.round(Number(credits) * 100_000))
    const audit = await linesOfAudit(`${stack.now().web}/api/audit`, session)
    expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1))
    for (const [i, { previous }] of audit.entries())
      expect(previous).toBe(audit[i - 1]?.hash ?? '0'.repeat(64))
  }
}, 3_600_000)
