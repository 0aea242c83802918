import { useState } from 'preact/hooks'
import type { ScheduledTask } from '../../../clients/typescript/index.ts'
import { agentPath } from '../../base/agents.ts'
import { platform } from '../../base/platform.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TaskTimes } from '../../ui/task-times.tsx'
import { type TaskAgent, TaskForm } from './task-form.tsx'
import { TaskRuns } from './task-runs.tsx'
import { NextRuns, When } from './times.tsx'
import '../../ui/runs.css'

interface TaskItemProps {
  task: ScheduledTask
  agents: readonly TaskAgent[]
  reload(): void
}

/** A scheduled task: its next run, its runs, and its actions. */
export function TaskItem({ task, agents, reload }: TaskItemProps) {
  const [open, setOpen] = useState(false)
  const [editing, setEditing] = useState(false)
  const [round, setRound] = useState(0)
  const { busy, error, attempt } = useAttempt()
  const agent = agents.find(({ id }) => id === task.agentId)

  const change = (name: 'run' | 'switch', work: () => Promise<unknown>) =>
    attempt(async () => {
      await work()
      reload()
    }, name)

  return (
    <li class="task">
      <div class="list-main">
        <strong>{task.name}</strong>
        <p class="meta">
          <When {...task} />
        </p>
        <p class="meta">
          {agent === undefined ? 'Agent deleted' : <a href={agentPath(agent.id)}>{agent.name}</a>}
          <TaskTimes {...task} />
        </p>
      </div>
      <button
        type="button"
        class="button small"
        aria-disabled={busy !== undefined}
        data-busy={busy === 'run'}
        onClick={() =>
          change('run', async () => {
            await platform.tasks.run(task.id)
            setOpen(true)
            setRound((before) => before + 1)
          })
        }
      >
        <Icon name="play" />
        Run now
      </button>
      <button
        type="button"
        class="button small"
        aria-expanded={open}
        onClick={() => setOpen((before) => !before)}
      >
        {open ? 'Less' : 'More'}
      </button>
      {(error !== undefined || open) && (
        <div class="task-more stack">
          <Fault error={error} />
          {open && !editing && (
            <>
              <div class="columns">
                <section aria-label="Prompt">
                  <h3>Prompt</h3>
                  <p class="said">{task.prompt}</p>
                </section>
                <section aria-label="Next five runs">
                  <h3>Next five runs</h3>
                  {task.enabled ? <NextRuns {...task} /> : <p class="meta">Disabled.</p>}
                </section>
              </div>
              <section aria-label="History">
                <h3>History</h3>
                <TaskRuns taskId={task.id} round={round} />
              </section>
              <div class="row">
                <button type="button" class="button small" onClick={() => setEditing(true)}>
                  Edit
                </button>
                <button
                  type="button"
                  class="button small"
                  aria-disabled={busy !== undefined}
                  data-busy={busy === 'switch'}
                  onClick={() =>
                    change('switch', () =>
                      platform.tasks.update(task.id, { enabled: !task.enabled }),
                    )
                  }
                >
                  {task.enabled ? 'Disable' : 'Enable'}
                </button>
                <Confirm
                  action="Delete"
                  question={`Delete ${task.name}?`}
                  class="small"
                  onConfirm={async () => {
                    await platform.tasks.delete(task.id)
                    reload()
                  }}
                >
                  The task does not run again. A run in progress continues.
                </Confirm>
              </div>
            </>
          )}
          {open && editing && (
            <TaskForm
              task={task}
              agents={agents}
              onCancel={() => setEditing(false)}
              onDone={() => {
                setEditing(false)
                reload()
              }}
            />
          )}
        </div>
      )}
    </li>
  )
}
