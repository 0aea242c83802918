import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { receiveEmail } from '#shared/tools/inbound-webhooks/receive-email.ts'
import type { EmailAction } from '#shared/tools/inbound-webhooks/rows.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import {
  allowed,
  emailFrom,
  type InboundWebhooks,
  signEmail,
  startInboundWebhooks,
} from '#tests/support/tools/inbound-webhooks.ts'

const minute = 60_000
const hour = 60 * minute
const log = createLog({ function: 'test' })

let hooks: InboundWebhooks

beforeAll(async () => {
  hooks = await startInboundWebhooks()
})
afterAll(() => hooks.close())

interface Delivery {
  id: string
  sender: string
  at: number
  table?: Table
}

async function deliver({ id, sender, at, table = hooks.table }: Delivery): Promise<EmailAction> {
  const text = emailFrom(sender)
  const input = { headers: signEmail(text, id, at), body: Buffer.from(text) }
  return receiveEmail({ ...hooks.services, table, log, allowedSenders: [sender] }, input, at)
}

const received = { received: true, action: 'processed' }

const newSender = () => `${randomUUID()}@example.com`

describe('at most ten emails of one sender are processed in an hour', () => {
  it('the eleventh email of a sender is not processed until the first is an hour old; emails of another sender are', async () => {
    const [sender, start] = [newSender(), Date.now()]
    const send = (n: number, at: number) =>
      deliver({ id: `${sender}-${n}`, sender, at: start + at })
    for (let n = 0; n < 10; n++) expect(await send(n, n * minute)).toBe('processed')
    expect(await send(10, 59 * minute)).toBe('rate_limited')
    expect(await deliver({ id: randomUUID(), sender: newSender(), at: start })).toBe('processed')
    expect(await send(11, hour)).toBe('processed')
    expect(await send(12, hour)).toBe('rate_limited')
    // Repeats of earlier emails get the same response and are not counted.
    expect(await send(10, 3 * hour)).toBe('rate_limited')
    expect(await send(0, 3 * hour)).toBe('processed')
    for (let n = 20; n < 30; n++) expect(await send(n, 3 * hour)).toBe('processed')
  })

  it('ten of forty concurrent emails are processed, each delivered twice', async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID())
    const sent = [...ids, ...ids]
    const answers = await Promise.all(
      sent.map(async (id) => [id, await hooks.send(id, emailFrom('bob@example.com'))] as const),
    )
    const actions = new Map(
      answers.map(([id, [status, body]]) => {
        expect([status, body]).toEqual([200, { received: true, action: expect.any(String) }])
        return [id, body] as const
      }),
    )
    const processed = [...actions.values()].filter((body) => isDeepStrictEqual(body, received))
    expect(processed).toHaveLength(10)
    for (const [id, [, body]] of answers) expect(body).toEqual(actions.get(id))
  })

  it('at most ten emails are processed for any early, late, repeated and concurrent deliveries', async () => {
    const delivery = fc.record({ n: fc.nat({ max: 30 }), other: fc.boolean() })
    const batch = fc.record({
      pause: fc.integer({ min: 0, max: 40 }),
      deliveries: fc.array(delivery, { minLength: 1, maxLength: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (batches) => {
        const senders = [newSender(), newSender()]
        const first = new Map<string, { sender: string; at: number; action: EmailAction }>()
        let at = Date.now()
        for (const { pause, deliveries } of batches) {
          at += pause * minute
          const answers = await Promise.all(
            deliveries.map(async ({ n, other }) => {
              const sender = senders[Number(other)] ?? ''
              const id = `${sender}-${n}`
              return { id, sender, at, action: await deliver({ id, sender, at }) }
            }),
          )
          for (const { id, ...answer } of answers) {
            expect(answer.action).toBe((first.get(id) ?? answer).action)
            if (!first.has(id)) first.set(id, answer)
          }
        }
        for (const { sender, at: end, action } of first.values()) {
          const inHour = [...first.values()].filter(
            (one) =>
              one.sender === sender &&
              one.action === 'processed' &&
              one.at > end - hour &&
              one.at <= end,
          )
          expect(inHour.length).toBeLessThanOrEqual(10)
          if (action === 'rate_limited') expect(inHour).toHaveLength(10)
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('a process that is killed', () => {
  it.each(
    [0, 1, 2].flatMap((requests) => [
      { requests, after: false },
      { requests, after: true },
    ]),
  )(
    'a process that is killed after $requests requests to the table (the next one done: $after) loses nothing and counts once',
    async ({ requests, after }) => {
      const [sender, at, id] = [newSender(), Date.now(), randomUUID()]
      const death = { calls: requests, isLastCarriedOut: after }
      const dying = killedProcess(death).reach(hooks.table)
      await expect(deliver({ id, sender, at, table: dying })).rejects.toThrow(Killed)
      for (let i = 0; i < 2; i++) expect(await deliver({ id, sender, at })).toBe('processed')
      const more = Array.from({ length: 10 }, () => randomUUID())
      const actions = []
      for (const one of more) actions.push(await deliver({ id: one, sender, at }))
      expect(actions.filter((action) => action.includes('processed'))).toHaveLength(9)
    },
  )

  it('makes three requests to the table for an email, and one for an unknown sender’s', async () => {
    const [sender, at] = [newSender(), Date.now()]
    const three = killedProcess({ calls: 3 }).reach(hooks.table)
    expect(await deliver({ id: randomUUID(), sender, at, table: three })).toBe('processed')
    const one = { ...hooks.services, table: killedProcess({ calls: 1 }).reach(hooks.table), log }
    const text = emailFrom('eve@evil.com')
    const input = { headers: signEmail(text, randomUUID()), body: Buffer.from(text) }
    expect(one.allowedSenders).toContain(allowed)
    expect(await receiveEmail(one, input)).toBe('rejected')
  })
})
