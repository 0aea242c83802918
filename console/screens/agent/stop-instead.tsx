import type { AgentDetail } from '../../../clients/typescript/index.ts'
import { platform, PlatformError } from '../../base/platform.ts'
import { Confirm } from '../../ui/confirm.tsx'

interface StopInsteadProps {
  /** The error of the agent's start. */
  error: unknown
  agent: AgentDetail
  /** Starts the agent and reports its error. */
  start(): Promise<void>
}

/** If the plan's limit of awake agents is reached, lists them with a button that stops one and starts this agent. */
export function StopInstead({ error, agent, start }: StopInsteadProps) {
  return awakeIn(error).map(({ id, name }) => (
    <Confirm
      key={id}
      action={`Stop ${name}`}
      question={`Stop ${name} and start ${agent.name}?`}
      onConfirm={async () => {
        await platform.agents.stop(id)
        await start()
      }}
    >
      The current work of {name} is interrupted. Its memory, skills and conversations are kept.
    </Confirm>
  ))
}

function awakeIn(error: unknown): { id: string; name: string }[] {
  if (!(error instanceof PlatformError) || error.code !== 'AWAKE_LIMIT_REACHED') return []
  return error.details['awake'] as { id: string; name: string }[]
}
