import { useState } from 'preact/hooks'
import type { Agent, FleetCosts } from '../../../clients/typescript/index.ts'
import { agentPath } from '../../base/agents.ts'
import { count, usd } from '../../base/figures.ts'
import { Ago, State } from '../../ui/parts.tsx'

/** The number of agents rendered per step. */
const step = 100

interface AgentListProps {
  agents: readonly Agent[]
  /** Costs of this month, if they are shown. */
  costs?: FleetCosts['costs'] | undefined
}

/** Lists agents by name, with their states. */
export function AgentList({ agents, costs }: AgentListProps) {
  const [most, setMost] = useState(step)
  return (
    <>
      <ul class="list">
        {agents.slice(0, most).map(({ id, name, status, createdAt }) => (
          <li key={id}>
            <div class="list-main">
              <a href={agentPath(id)}>{name}</a>
              <p class="meta">
                created <Ago at={createdAt} />
                {costOf(id, costs)}
              </p>
            </div>
            <State of={status} />
          </li>
        ))}
      </ul>
      {agents.length > most && (
        <p class="row">
          <button type="button" class="button" onClick={() => setMost(most + step)}>
            Show more
          </button>
          <span class="meta">
            {count(most)} of {count(agents.length)}
          </span>
        </p>
      )}
    </>
  )
}

function costOf(id: string, costs: AgentListProps['costs']): string {
  const cost = costs?.find(({ agentId }) => agentId === id)?.cost
  return cost ? `, ${usd(cost)} this month` : ''
}
