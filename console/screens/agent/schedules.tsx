import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { Wrong } from '../../app/words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Area, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Skeleton } from '../../ui/parts.tsx'
import type { TabProps } from './tab.ts'

interface Task {
  id: string
  name: string
  cronSchedule: string
  timezone: string
  prompt: string
  enabled: boolean
  lastRun: string | null
  lastStatus: string | null
  nextRun: string | null
}

/** Prompts that the agent is sent by the clock. */
export default function Schedules({ agent }: TabProps) {
  const [round, setRound] = useState(0)
  const { data, error, reload } = useLoad(
    `tasks ${agent.id}`,
    async (signal) =>
      (
        await platform.get<{ tasks: Task[] }>(
          `/api/scheduled-tasks?agentId=${encodeURIComponent(agent.id)}`,
          { signal },
        )
      ).tasks,
    () => 20_000,
  )

  async function add({ name = '', cronSchedule = '', prompt = '' }: Record<string, string>) {
    if ([name, cronSchedule, prompt].some((value) => value.trim() === ''))
      throw new Wrong('Give the schedule a name, a time and a prompt.')
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    await platform.post('/api/scheduled-tasks', {
      agentId: agent.id,
      name,
      cronSchedule,
      prompt,
      timezone: timeZone,
    })
    setRound((before) => before + 1)
    reload()
  }

  return (
    <div class="stack">
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data?.length === 0 && (
        <p class="meta">Nothing is scheduled. The agent can be sent a prompt by the clock.</p>
      )}
      {data !== undefined && data.length > 0 && (
        <ul class="list">
          {data.map((task) => (
            <li key={task.id}>
              <div class="list-main">
                <strong>{task.name}</strong>
                <p class="meta">
                  <code>{task.cronSchedule}</code> {task.timezone}
                  {task.enabled && task.nextRun !== null && (
                    <>
                      , next <Ago at={task.nextRun} />
                    </>
                  )}
                  {!task.enabled && ', switched off'}
                  {task.lastRun !== null && (
                    <>
                      , last <Ago at={task.lastRun} /> ({task.lastStatus})
                    </>
                  )}
                </p>
              </div>
              <button
                type="button"
                class="button small"
                onClick={async () => {
                  await platform.put('/api/scheduled-tasks', {
                    taskId: task.id,
                    enabled: !task.enabled,
                  })
                  reload()
                }}
              >
                {task.enabled ? 'Switch off' : 'Switch on'}
              </button>
              <Confirm
                action="Delete"
                question={`Delete ${task.name}?`}
                class="small"
                onConfirm={async () => {
                  await platform.delete('/api/scheduled-tasks', { taskId: task.id })
                  reload()
                }}
              >
                It is not run again. A run that is under way ends as it will.
              </Confirm>
            </li>
          ))}
        </ul>
      )}
      <Form key={round} action="Add schedule" onSend={add} class="card">
        <Field label="Name" name="name" autocomplete="off" />
        <Field
          label="When"
          name="cronSchedule"
          autocomplete="off"
          placeholder="0 9 * * 1-5"
          hint="Minute, hour, day, month, weekday, in your time zone."
        />
        <Area label="Prompt" name="prompt" />
      </Form>
    </div>
  )
}
