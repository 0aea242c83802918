import { agentPath, listAgents } from '../../base/agents.ts'
import { isOpen } from '../../base/plan.ts'
import { platform } from '../../base/platform.ts'
import { go, query } from '../../base/router.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Head, Skeleton } from '../../ui/parts.tsx'
import { AgentForm } from '../agents/agent-form.tsx'
import { Plans } from '../billing/plans.tsx'

/**
 * `/welcome`: choose a plan, create an agent, send a message. Each step is derived from the account, so the user can
 * leave and continue later.
 */
export default function Welcome() {
  const checkout = query.value.get('checkout')
  const { data, error } = useLoad(
    'welcome',
    async (signal) => {
      const [billing, agents] = await Promise.all([
        platform.billing.get({ signal }),
        listAgents(signal),
      ])
      return { billing, agents }
    },
    // The payment's confirmation can arrive a moment after the user.
    ({ billing }) => (checkout === 'success' && !isOpen(billing) ? 1500 : undefined),
  )
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton />
  const first = data.agents[0]
  const paid = isOpen(data.billing)
  return (
    <>
      <Head
        title={paid ? 'Name your first agent' : 'Choose a plan'}
        lead={
          paid
            ? 'Step 2 of 2. You can change everything about it later.'
            : 'Step 1 of 2. Change or end it whenever you like.'
        }
      />
      {checkout === 'cancelled' && !paid && (
        <p class="news" role="status">
          The checkout was cancelled. Nothing was charged.
        </p>
      )}
      {checkout === 'success' && !paid && (
        <p class="news" role="status">
          Thank you. Waiting for the confirmation of the payment.
        </p>
      )}
      {paid ? (
        <AgentForm
          billing={data.billing}
          onCreated={(id) => go(agentPath(id, 'chat'), { replace: true })}
        />
      ) : (
        <Plans billing={data.billing} />
      )}
      {first !== undefined && (
        <p class="meta">
          You have agents already. <a href="/agents">Go to them</a>
        </p>
      )}
      {first === undefined && (
        <p class="meta">
          <a href="/dashboard">Look around first</a>
        </p>
      )}
    </>
  )
}
