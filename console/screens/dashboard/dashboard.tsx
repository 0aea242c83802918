import { useEffect } from 'preact/hooks'
import type { Billing } from '../../../clients/typescript/index.ts'
import { listAgents, pollInterval } from '../../base/agents.ts'
import { now } from '../../base/clock.ts'
import { usd } from '../../base/figures.ts'
import { isOpen, takeCheckoutOrigin, title } from '../../base/plan.ts'
import { platform } from '../../base/platform.ts'
import { go, query } from '../../base/router.ts'
import { user } from '../../base/session.ts'
import { plural } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { AgentList } from '../agents/agent-list.tsx'

/** `/dashboard`. Checkouts return here and continue on the page that started them. */
export function Dashboard() {
  const checkout = query.value.get('checkout')
  useEffect(() => {
    if (checkout !== null)
      go(`${takeCheckoutOrigin()}?checkout=${encodeURIComponent(checkout)}`, { replace: true })
  }, [checkout])
  return checkout === null ? <Overview /> : <Skeleton />
}

function Overview() {
  const agents = useLoad('agents', listAgents, (list) =>
    pollInterval(list.map(({ status }) => status)),
  )
  const billing = useLoad('billing', (signal) => platform.billing.get({ signal }))
  const costs = useLoad('costs', (signal) => platform.fleet.costs({ signal }))
  const running = agents.data?.filter(({ status }) => status === 'running').length
  const failing = agents.data?.filter(({ status }) => status === 'error').length ?? 0
  return (
    <>
      <Head title={`Hello, ${user.value?.name ?? ''}`} lead={today()} />
      <div class="stack">
        <Fault error={agents.error ?? billing.error ?? costs.error} />
        {failing > 0 && (
          <Fault
            error={`${plural(failing, 'agent')} could not be kept running. Open it to see why.`}
          />
        )}
        {agents.data?.length === 0 ? (
          <Begin billing={billing.data} />
        ) : (
          <>
            <dl class="columns figures">
              <div class="card figure">
                <dt>Running now</dt>
                <dd>
                  {running ?? '–'} <small>of {agents.data?.length ?? '–'}</small>
                </dd>
              </div>
              <div class="card figure">
                <dt>Spent this month</dt>
                <dd>{costs.data === undefined ? '–' : usd(costs.data.totalSpend)}</dd>
              </div>
              <Tokens billing={billing.data} />
              <div class="card figure">
                <dt>Plan</dt>
                <dd>{billing.data === undefined ? '–' : title(billing.data.currentPlan)}</dd>
              </div>
            </dl>
            <section class="stack" aria-labelledby="your-agents">
              <div class="head">
                <h2 id="your-agents">Your agents</h2>
                <a class="button small" href="/agents/new">
                  <Icon name="plus" />
                  New agent
                </a>
              </div>
              {agents.data === undefined ? (
                <Skeleton />
              ) : (
                <AgentList agents={agents.data} costs={costs.data?.costs} />
              )}
            </section>
          </>
        )}
      </div>
    </>
  )
}

function Begin({ billing }: { billing: Billing | undefined }) {
  return (
    <Empty
      icon="agent"
      title="No agents yet"
      step={
        <a class="button primary" href="/welcome">
          {billing !== undefined && isOpen(billing) ? 'Create your first agent' : 'Choose a plan'}
        </a>
      }
    >
      Choose a plan and name your first agent. It answers a few seconds later.
    </Empty>
  )
}

function Tokens({ billing }: { billing: Billing | undefined }) {
  const usage = billing?.usage
  const share = usage?.quota ? Math.min(1, usage.used / usage.quota) : 0
  return (
    <div class="card figure">
      <dt>Tokens this month</dt>
      <dd>
        {usage?.used.toLocaleString('en') ?? '–'}{' '}
        <small>
          {usage === undefined || usage.quota === null
            ? ''
            : `of ${usage.quota.toLocaleString('en')}`}
        </small>
        {usage?.quota ? (
          <div class="meter">
            <span style={{ inlineSize: `${share * 100}%` }} />
          </div>
        ) : null}
      </dd>
    </div>
  )
}

function today(): string {
  return new Date(now()).toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  })
}
