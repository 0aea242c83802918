import { useState } from 'preact/hooks'
import type { Agent, ScheduledTask } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Area, Choice } from '../../ui/area.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { cronWords } from './cron-words.ts'
import { NextRuns } from './times.tsx'

/** An agent that can have scheduled tasks. */
export type TaskAgent = Pick<Agent, 'id' | 'name'>

interface TaskFormProps {
  /** The task to change. Without it, a new one is created. */
  task?: ScheduledTask
  agents: readonly TaskAgent[]
  onDone(): void
  onCancel(): void
}

const presets = [
  ['0 9 * * 1-5', 'Weekdays at 09:00'],
  ['0 8 * * *', 'Every day at 08:00'],
  ['0 * * * *', 'Every hour'],
  ['0 9 * * 1', 'Mondays at 09:00'],
] as const

/** Creates or changes a scheduled task. */
export function TaskForm({ task, agents, onDone, onCancel }: TaskFormProps) {
  const [cronSchedule, setCron] = useState(task?.cronSchedule ?? presets[0][0])
  const [timezone, setTimezone] = useState(
    task?.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  )

  async function send({ name = '', agentId = '', prompt = '' }: Record<string, string>) {
    if ([name, prompt, cronSchedule].some((each) => each.trim() === ''))
      throw new InputError('Enter a name, a time and a prompt.')
    const fields = { name, agentId, prompt, cronSchedule, timezone }
    if (task === undefined) await platform.tasks.create(fields)
    else await platform.tasks.update(task.id, fields)
    onDone()
  }

  return (
    <Form
      action={task === undefined ? 'Create schedule' : 'Save schedule'}
      onSend={send}
      class={task === undefined ? 'card' : ''}
      aside={
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      <div class="columns">
        <Field
          label="Name"
          name="name"
          autocomplete="off"
          maxLength={100}
          defaultValue={task?.name ?? ''}
        />
        <Choice label="Agent" name="agentId">
          {agents.map(({ id, name }) => (
            <option key={id} value={id} selected={id === task?.agentId}>
              {name}
            </option>
          ))}
        </Choice>
      </div>
      <div class="columns">
        <Field
          label="When"
          name="cronSchedule"
          autocomplete="off"
          value={cronSchedule}
          hint={cronWords(cronSchedule) ?? 'Minute, hour, day, month, weekday.'}
          onInput={({ currentTarget }) => setCron(currentTarget.value)}
        />
        <Field
          label="Time zone"
          name="timezone"
          autocomplete="off"
          value={timezone}
          hint="Such as Europe/London."
          onInput={({ currentTarget }) => setTimezone(currentTarget.value)}
        />
      </div>
      <div class="row">
        {presets.map(([expression, words]) => (
          <button
            key={expression}
            type="button"
            class="button small"
            onClick={() => setCron(expression)}
          >
            {words}
          </button>
        ))}
      </div>
      <NextRuns cronSchedule={cronSchedule} timezone={timezone} />
      <Area
        label="Prompt"
        name="prompt"
        hint="Sent to the agent each time."
        defaultValue={task?.prompt ?? ''}
      />
    </Form>
  )
}
