import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { checkoutRows, orderRows } from '#shared/billing/payments/rows.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tableName } from '#stacks/local/engines.ts'
import { signatureOf } from '../support/billing/payment-provider.ts'
import { call } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { seed } from '../support/vitest/seed.ts'
import { linesOfAudit } from './payments/audit-lines.ts'
import type { Event } from './payments/history.ts'
import { newPayer, type Payer } from './payments/payer.ts'
import { type Random, randomFrom } from './world/random.ts'

/** PAYMENT_USERS=500 PAYMENT_KILLS=50 is the run in docs/use/billing.md. */
const users = Number(process.env.PAYMENT_USERS ?? 10)
const kills = Number(process.env.PAYMENT_KILLS ?? 3)

/** The number of parallel deliveries, as of a busy provider. */
const parallel = 16

/** Returns each event one to five times, in random order. */
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

it(`${users} users' payments, reported in any order while everything is killed, end as if in order`, async () => {
  const random = randomFrom(seed)
  const tell = progress()
  useLocalCredentials()
  const stack = await startOwnStack({ RATE_LIMITS: 'off' })
  onTestFailed(() => void process.stdout.write(`${stack.now().output()}\nseed ${seed}\n`))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const secrets = JSON.parse(await readFile(join(stack.dataDir, 'secrets.json'), 'utf8')) as {
    PAYMENTS_WEBHOOK_SECRET: string
  }
  // Each payer has a random generator of its own, so that a seed creates the same users in any order of requests.
  const payers = await inParallel(
    numbersTo(users),
    (n) => newPayer(stack, { random: randomFrom(seed + n), hasMail: n % 5 === 1 }),
    // More concurrent password hashes take a busy machine longer than a function's timeout.
    4,
  )
  const events = payers.flatMap((payer) => payer.events)
  const deliveries = shuffled(random, events)
  const total = deliveries.length
  tell(`${users} users, ${events.length} events, ${total} deliveries, ${kills} kills to come`)

  /** The numbers of deliveries after which the kills happen. */
  const fatal = numbersTo(kills)
    .map(() => random.below(total))
    .toSorted((a, b) => a - b)
  let killing: Promise<void> | undefined
  let killed = 0
  let received = 0

  /** The provider retries until it gets a response. */
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
      // Only the end of the stack may prevent an event's delivery.
      expect([undefined, 503]).toContain(status)
    }
  }

  await inParallel(deliveries, async (event, n) => {
    if (killing === undefined && n >= (fatal[killed] ?? total)) killing = kill()
    await deliver(event)
    received++
  })
  tell(`${received} deliveries`)
  await killing
  while (killed < kills) await kill()

  async function kill(): Promise<void> {
    killed++
    await stack.now().kill()
    await stack.startAgain()
    killing = undefined
    tell(`${killed} kills, ${received} of ${total} deliveries`)
  }

  const engines = enginesOf(() => stack.now().endpoints)
  for (const queue of ['entitlements', 'mails'] as const) await engines.untilEmpty(queue)
  expect(await engines.deadLetters()).toEqual({})
  tell('every message was dealt with')

  await inParallel(payers, (payer) => checkPayer(stack, payer))
  tell('every user has what they would have in order')
}, 3_600_000)

/** Asserts that a user has exactly what they paid for, and that their postings and their audit are complete. */
async function checkPayer(
  stack: OwnStack,
  { id, session, expected, checkouts }: Payer,
): Promise<void> {
  const read = async (path: string) =>
    (await call(`${stack.now().web}${path}`, { headers: session })).body
  const billing = await read('/api/billing')
  const { credits } = await read('/api/credits')
  const { entries } = (await read('/api/credits/ledger?limit=100')) as {
    entries: { amount: number }[]
  }
  const { currentPlan, subscriptionStatus, storageGb } = billing
  expect({ id, currentPlan, subscriptionStatus, storageGb, credits }).toEqual({ id, ...expected })
  const table = dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  for (const { sessionId, isPaid } of checkouts)
    expect({ sessionId, isPaid: await hasOrderPaid(table, sessionId) }).toEqual({
      sessionId,
      isPaid,
    })
  const sum = entries.reduce((micro, { amount }) => micro + Math.round(amount * 100_000), 0)
  expect(sum).toBe(Math.round(Number(credits) * 100_000))
  const audit = await linesOfAudit(`${stack.now().web}/api/audit`, session)
  expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1))
  for (const [i, { previous }] of audit.entries())
    expect(previous).toBe(audit[i - 1]?.hash ?? '0'.repeat(64))
}

async function hasOrderPaid(table: Table, sessionId: string): Promise<boolean> {
  const checkout = await table.get(checkoutRows.key({ sessionId }))
  if (checkout === undefined) throw new Error(`no checkout is recorded for ${sessionId}`)
  const order = await table.get(orderRows.key(checkoutRows.parse(checkout)))
  return order !== undefined && orderRows.parse(order).state === 'paid'
}

/** Runs a function for each value, with a limit on parallel runs. */
async function inParallel<Value, Result>(
  values: readonly Value[],
  act: (value: Value, index: number) => Promise<Result>,
  lanes = parallel,
): Promise<Result[]> {
  const results: Result[] = []
  // All workers share one iterator, so that each takes the next free value.
  const rest = values.entries()
  const work = async () => {
    for (const [n, value] of rest) results[n] = await act(value, n)
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return results
}

const numbersTo = (limit: number) => Array.from({ length: limit }, (_, i) => i + 1)

/** Prints the progress of a long run, in seconds. */
function progress() {
  const started = performance.now()
  return (text: string) => {
    const seconds = Math.round((performance.now() - started) / 1000)
    process.stdout.write(`payments: ${seconds} s: ${text}\n`)
  }
}
