import type { Billing, Plan } from '../../../clients/typescript/index.ts'
import { isOpen, title } from '../../base/plan.ts'
import { plural } from '../../base/words.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import { buy } from './checkout.ts'
import './plans.css'

/** The plans, each with its button. */
export function Plans({ billing }: { billing: Billing }) {
  const { busy, error, attempt } = useAttempt()
  const current = isOpen(billing) ? billing.currentPlan : undefined

  return (
    <div class="stack wide">
      <Fault error={error} />
      <ul class="plans">
        {billing.plans.map((plan) => (
          <li key={plan.name} class="card">
            <h2>
              {title(plan.name)}
              {plan.name === current && <small class="meta">Your plan</small>}
            </h2>
            <p class="price">
              {money(plan)} <small>a month</small>
            </p>
            <ul>
              <li>{plural(plan.limits.agents, 'agent')}</li>
              {plan.limits.awakeAgents < plan.limits.agents && (
                <li>
                  {plan.limits.awakeAgents} awake at the same time; the others sleep until needed
                </li>
              )}
              <li>{plural(plan.limits.skills, 'skill')} each</li>
              <li>
                {plan.limits.monthlyTokens === null
                  ? 'Unlimited tokens'
                  : `${plan.limits.monthlyTokens.toLocaleString('en')} tokens a month`}
              </li>
              <li>{plan.limits.storageGb} GB of files</li>
              <li>
                {plan.container.cpu} vCPU and {plan.container.memoryGb} GB an agent
              </li>
            </ul>
            {(plan.name !== current || billing.trial !== null) && (
              <button
                type="button"
                class={`button ${current === undefined && plan.name === 'solo' ? 'primary' : ''}`}
                aria-disabled={busy !== undefined}
                data-busy={busy === plan.name}
                onClick={() => attempt(() => buy(plan.name), plan.name)}
              >
                Choose {title(plan.name)}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function money({ price, currency }: Plan): string {
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    maximumFractionDigits: Number.isInteger(price) ? 0 : 2,
  }).format(price)
}
