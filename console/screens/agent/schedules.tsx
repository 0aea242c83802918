import { platform } from '../../base/platform.ts'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'
import { Schedules } from '../automation/schedules.tsx'
import type { TabProps } from './tab.ts'

/** The agent's scheduled tasks. */
export default function AgentSchedules({ agent }: TabProps) {
  const tasks = useLoad(
    `tasks ${agent.id}`,
    (signal) => platform.tasks.list({ agentId: agent.id }, { signal }),
    () => 20_000,
  )
  if (tasks.data === undefined && tasks.error === undefined) return <Skeleton />
  return <Schedules agents={[agent]} tasks={tasks} />
}
