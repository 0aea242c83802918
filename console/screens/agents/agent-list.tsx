import { agentPath } from '../../app/agents.ts'
import type { AgentItem } from '../../app/shapes.ts'
import { Ago, State } from '../../ui/parts.tsx'

/** Agents by name, each with its state. */
export function AgentList({ agents }: { agents: readonly AgentItem[] }) {
  return (
    <ul class="list">
      {agents.map(({ id, name, status, createdAt }) => (
        <li key={id}>
          <div class="list-main">
            <a href={agentPath(id)}>{name}</a>
            <p class="meta">
              made <Ago at={createdAt} />
            </p>
          </div>
          <State of={status} />
        </li>
      ))}
    </ul>
  )
}
