import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { deliveryModes } from '../delivery/events.ts'
import type { Engine } from '../engine.ts'
import { Fault, noSuch } from '../fault.ts'
import { toDispute } from '../objects/dispute.ts'
import { toCharge } from '../objects/payment.ts'
import { toSession } from '../objects/session.ts'
import { toSubscription } from '../objects/subscription.ts'
import { cancel, changePlan, endTrial, failPayment, renew } from '../verbs/change-subscription.ts'
import { closeDispute, dispute } from '../verbs/dispute.ts'
import { pay } from '../verbs/pay.ts'
import { refund } from '../verbs/refund.ts'

const amount = z.int().min(1)
const bodies = {
  refund: z.object({ amount: amount.optional() }),
  dispute: z.object({
    amount: amount.optional(),
    status: z.enum(['warning_needs_response', 'needs_response']).default('needs_response'),
  }),
  close: z.object({ status: z.enum(['won', 'lost']) }),
  change: z.object({ name: z.string().min(1), amount }),
  mode: z.object({ mode: z.enum(deliveryModes) }),
  release: z.object({ order: z.enum(['oldest', 'newest']).default('oldest') }),
}

/** Controls for tests: what happens at the provider, and how webhooks are delivered. Not part of Stripe's API. */
export function controls(engine: Engine): Hono {
  const api = new Hono()

  api.get('/', (c) =>
    c.json({
      mode: engine.events.mode(),
      sessions: engine.sessions.list().map((one) => toSession(engine, one)),
      subscriptions: engine.subscriptions.list().map(toSubscription),
      disputes: engine.disputes.list().map(toDispute),
      charges: engine.payments.list().map(toCharge),
      events: engine.events.list(),
    }),
  )

  api.post('/sessions/:id/pay', (c) =>
    c.json(toSession(engine, pay(engine, c.req.param()).session)),
  )

  api.post('/payments/:id/refund', async (c) => {
    const body = await read(c, bodies.refund)
    return c.json(toCharge(refund(engine, c.req.param('id'), body.amount)))
  })

  api.post('/payments/:id/dispute', async (c) => {
    const body = await read(c, bodies.dispute)
    return c.json(toDispute(dispute(engine, c.req.param('id'), body)))
  })

  api.post('/disputes/:id/close', async (c) => {
    const { status } = await read(c, bodies.close)
    return c.json(toDispute(closeDispute(engine, c.req.param('id'), status)))
  })

  const verbs = { renew, 'end-trial': endTrial, 'fail-payment': failPayment, cancel }
  for (const [name, act] of Object.entries(verbs))
    api.post(`/subscriptions/:id/${name}`, (c) =>
      c.json(toSubscription(act(engine, c.req.param('id')))),
    )

  api.post('/subscriptions/:id/change-plan', async (c) => {
    const plan = await read(c, bodies.change)
    return c.json(toSubscription(changePlan(engine, c.req.param('id'), plan)))
  })

  api.put('/delivery', async (c) => {
    const { mode } = await read(c, bodies.mode)
    engine.events.setMode(mode)
    return c.json({ mode })
  })

  api.post('/delivery/release', async (c) => {
    engine.events.release((await read(c, bodies.release)).order)
    return c.json({ released: true })
  })

  api.post('/events/:id/deliver', (c) => {
    const id = c.req.param('id')
    if (!engine.events.deliver(id)) throw noSuch('event', id)
    return c.json({ id })
  })

  return api
}

/** Reads a JSON body; an empty body is an empty object. */
async function read<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  const text = await c.req.text()
  const parsed = schema.safeParse(text === '' ? {} : tryJson(text))
  if (parsed.success) return parsed.data
  throw new Fault(z.prettifyError(parsed.error))
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
