import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { type AgentPayment, agentPaymentKey, type PaymentRef } from '../payment.ts'
import { agentPaymentRows, paymentsDue } from '../rows.ts'
import { paymentChecks } from '../topic.ts'

type Held = PaymentRef & Pick<AgentPayment, 'attempts'>

/** The checks of a payment until the chain has decided it. */
export const checkWork = workItems({
  rows: agentPaymentRows,
  key: agentPaymentKey as (held: Held) => ReturnType<typeof agentPaymentKey>,
  id: ({ paymentId }: Held) => paymentId,
  due: paymentsDue,
  fence: counter('attempts', ({ attempts }: Held) => attempts),
  topic: paymentChecks,
  message: ({ agentId, paymentId, attempts }: Held) => ({
    agentId,
    paymentId,
    attempt: attempts + 1,
  }),
  leaseMs: 60_000,
  lostMs: 30_000,
})
