import { useState } from 'preact/hooks'
import type { ScheduledTask } from '../../../clients/typescript/index.ts'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Loaded } from '../../ui/load.ts'
import { Empty } from '../../ui/parts.tsx'
import { type TaskAgent, TaskForm } from './task-form.tsx'
import { TaskItem } from './task-item.tsx'
import './automation.css'

/** Scheduled tasks of all agents. */
export function Schedules({
  agents,
  tasks: { data, error, reload },
}: {
  agents: readonly TaskAgent[]
  tasks: Loaded<ScheduledTask[]>
}) {
  const [making, setMaking] = useState(false)
  const begin = (
    <button type="button" class="button small" onClick={() => setMaking(true)}>
      <Icon name="plus" />
      New schedule
    </button>
  )
  return (
    <section class="stack" aria-labelledby="schedules">
      <div class="head">
        <h2 id="schedules">Schedules</h2>
        {!making && data !== undefined && data.length > 0 && begin}
      </div>
      <Fault error={error} />
      {making && (
        <TaskForm
          agents={agents}
          onCancel={() => setMaking(false)}
          onDone={() => {
            setMaking(false)
            reload()
          }}
        />
      )}
      {data?.length === 0 && !making && (
        <Empty icon="clock" title="No schedules yet" step={begin}>
          A schedule sends the same prompt to an agent every morning, every hour, or at any time you
          choose.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <ul class="list">
          {data.map((task) => (
            <TaskItem key={task.id} task={task} agents={agents} reload={reload} />
          ))}
        </ul>
      )}
    </section>
  )
}
