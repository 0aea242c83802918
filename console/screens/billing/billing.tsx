import type { Billing } from '../../../clients/typescript/index.ts'
import { isOpen, title } from '../../base/plan.ts'
import { platform } from '../../base/platform.ts'
import { query } from '../../base/router.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Head, Skeleton } from '../../ui/parts.tsx'
import { Plans } from './plans.tsx'
import { Storage } from './storage.tsx'

/** `/billing`. */
export default function Billing() {
  const { data, error } = useLoad('billing', (signal) => platform.billing.get({ signal }))
  const checkout = query.value.get('checkout')
  return (
    <>
      <Head title="Plan and billing" lead={data === undefined ? '…' : summaryOf(data)} />
      <div class="stack">
        <Fault error={error} />
        {checkout === 'success' && (
          <p class="news" role="status">
            Thank you. Your purchase is active when the payment is confirmed.
          </p>
        )}
        {checkout === 'cancelled' && (
          <p class="news" role="status">
            The checkout was cancelled. Nothing was charged.
          </p>
        )}
        {data === undefined && error === undefined && <Skeleton />}
        {data !== undefined && (
          <>
            <Usage {...data} />
            <Awake {...data} />
            <Storage paidGb={data.storageGb} />
            <Plans billing={data} />
          </>
        )}
      </div>
    </>
  )
}

function summaryOf(billing: Billing): string {
  const plan = title(billing.currentPlan)
  if (billing.trial !== null) return `${plan}, on trial until ${day(billing.trial.endsAt)}.`
  if (isOpen(billing)) return `${plan}, active.`
  if (billing.subscriptionStatus === 'past_due')
    return `${plan}; the last payment did not arrive, or is disputed.`
  if (billing.subscriptionStatus === 'canceled') return `${plan}, ended.`
  return 'No plan yet.'
}

function Usage({ usage }: Billing) {
  return (
    <section class="card" aria-labelledby="tokens">
      <h2 id="tokens">Tokens this month</h2>
      <p>
        {usage.used.toLocaleString('en')} used
        {usage.quota === null ? ', without a quota' : ` of ${usage.quota.toLocaleString('en')}`}.
        Resets on {day(usage.resetsAt)}.
      </p>
      {usage.quota !== null && usage.quota > 0 && (
        <div class="meter">
          <span style={{ inlineSize: `${Math.min(1, usage.used / usage.quota) * 100}%` }} />
        </div>
      )}
    </section>
  )
}

/** Empty if there is no limit, as on one machine. */
function Awake({ awakeAgents: { current, limit } }: Billing) {
  if (limit === null) return null
  return (
    <section class="card" aria-labelledby="awake">
      <h2 id="awake">Agents awake now</h2>
      <p>
        {current} of {limit}.{' '}
        {current < limit
          ? 'A sleeping agent wakes up for the next message.'
          : 'When another agent wakes up, the one that is idle the longest goes to sleep.'}
      </p>
    </section>
  )
}

/** Formats a day: 1 December 2026. */
function day(iso: string): string {
  return new Date(iso).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
}
