import type { AgentDetail } from '../../../clients/typescript/index.ts'
import { platform, PlatformError } from '../../app/platform.ts'
import { Confirm } from '../../ui/confirm.tsx'

interface StopInsteadProps {
  /** What the start of the agent was refused with. */
  error: unknown
  agent: AgentDetail
  /** Starts the agent, and tells what it is refused with this time. */
  start(): Promise<void>
}

/** Where a plan lets no more agents be awake: the agents that are, each with a button that stops it and starts this one. */
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
      What {name} is doing ends. Its memory, skills and conversations stay.
    </Confirm>
  ))
}

function awakeIn(error: unknown): { id: string; name: string }[] {
  if (!(error instanceof PlatformError) || error.code !== 'AWAKE_LIMIT_REACHED') return []
  return error.details['awake'] as { id: string; name: string }[]
}
