import { listAgents } from '../../base/agents.ts'
import { platform } from '../../base/platform.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { ActiveRuns } from './active-runs.tsx'
import { Schedules } from './schedules.tsx'
import { Swarms } from './swarms.tsx'

/** `/automation`. */
export default function Automation() {
  const { data: agents, error } = useLoad('agents', listAgents)
  const tasks = useLoad(
    'tasks',
    (signal) => platform.tasks.list({}, { signal }),
    () => 20_000,
  )
  const swarms = useLoad('swarms', (signal) => platform.swarms.list({ signal }))
  // All three are shown together, so that none moves another on the page.
  const isHere = [agents ?? error, tasks.data ?? tasks.error, swarms.data ?? swarms.error].every(
    (each) => each !== undefined,
  )
  return (
    <>
      <Head title="Automation" lead="Schedules and swarms of agents." />
      <div class="stack">
        <Fault error={error} />
        {!isHere && <Skeleton lines={6} />}
        {isHere && agents?.length === 0 && (
          <Empty
            icon="clock"
            title="Automation requires an agent"
            step={
              <a class="button primary" href="/agents/new">
                Create an agent
              </a>
            }
          >
            An agent can get prompts on a schedule, or together with others in a swarm.
          </Empty>
        )}
        {isHere && agents !== undefined && agents.length > 0 && (
          <>
            <ActiveRuns agents={agents} />
            <Schedules agents={agents} tasks={tasks} />
            <Swarms agents={agents} swarms={swarms} />
          </>
        )}
      </div>
    </>
  )
}
