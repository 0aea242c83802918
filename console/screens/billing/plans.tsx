import { useState } from 'preact/hooks'
import { heed } from '../../app/session.ts'
import type { BillingState, PlanItem } from '../../app/shapes.ts'
import { plural } from '../../app/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { buy } from './checkout.ts'

/** The plans on offer, each with its button. */
export function Plans({ billing }: { billing: BillingState }) {
  const [busy, setBusy] = useState<string>()
  const [error, setError] = useState<unknown>()

  async function choose(name: PlanItem['name']) {
    if (busy !== undefined) return
    setBusy(name)
    setError(undefined)
    try {
      await buy(name)
    } catch (error) {
      heed(error)
      setError(error)
      setBusy(undefined)
    }
  }

  return (
    <div class="stack wide">
      <Fault error={error} />
      <ul class="plans">
        {billing.plans.map((plan) => (
          <li key={plan.name} class="card">
            <h2>{title(plan.name)}</h2>
            <p class="price">
              {money(plan)} <small>a month</small>
            </p>
            <ul>
              <li>{plural(plan.limits.agents, 'agent')}</li>
              <li>{plural(plan.limits.skills, 'skill')} each</li>
              <li>
                {plan.limits.monthlyTokens === null
                  ? 'Tokens without a quota'
                  : `${plan.limits.monthlyTokens.toLocaleString('en')} tokens a month`}
              </li>
              <li>
                {plan.container.cpu} vCPU and {plan.container.memoryGb} GB an agent
              </li>
            </ul>
            <button
              type="button"
              class={`button ${plan.name === 'solo' ? 'primary' : ''}`}
              aria-disabled={busy !== undefined}
              data-busy={busy === plan.name}
              onClick={() => choose(plan.name)}
            >
              Choose {title(plan.name)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

export function title(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

function money({ price, currency }: PlanItem): string {
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    maximumFractionDigits: Number.isInteger(price) ? 0 : 2,
  }).format(price)
}
