import { type Engine, secondsNow } from '../engine.ts'
import { Fault, noSuch } from '../fault.ts'
import { newSecretId } from '../ids.ts'
import type { Line, SessionRecord } from '../store/records.ts'

export interface NewSession {
  mode: 'payment' | 'subscription'
  currency: string
  lines: Line[]
  clientReferenceId: string | null
  customer: string | null
  customerEmail: string | null
  metadata: Record<string, string>
  innerMetadata: Record<string, string>
  trialDays: number | null
  successUrl: string
  cancelUrl: string | null
}

const openSeconds = 24 * 3600

/** Creates a session that is open for a day. @throws Fault if the customer does not exist or the mode cannot sell a line */
export function createSession(engine: Engine, input: NewSession): SessionRecord {
  const { mode, lines, customer } = input
  if (customer !== null && engine.customers.find(customer) === undefined)
    throw noSuch('customer', customer, 'customer')
  if (mode === 'payment' && lines.some(({ interval }) => interval !== null))
    throw new Fault(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      { param: 'line_items' },
    )
  if (mode === 'subscription' && (lines.length !== 1 || lines[0]?.interval === null))
    throw new Fault('The stand-in sells a subscription of one recurring price.', {
      param: 'line_items',
    })
  const created = secondsNow(engine)
  return engine.sessions.put({
    ...input,
    id: newSecretId('cs_test'),
    created,
    expiresAt: created + openSeconds,
    status: 'open',
    paymentStatus: 'unpaid',
    subscription: null,
    payment: null,
    invoice: null,
  })
}
