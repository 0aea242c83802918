import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { Fault } from '../../ui/fault.tsx'
import { Area, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'
import type { TabProps } from './tab.ts'

interface Config {
  systemPrompt?: string | null
  model?: string | null
  sleepAfterMinutes?: number | null
}

/** An agent's config; what is saved reaches its container by a restart. */
export default function Settings({ agent, reload }: TabProps) {
  const [saved, setSaved] = useState(false)
  const { data, error } = useLoad(
    `config ${agent.id}`,
    async (signal) =>
      (await platform.get<{ config: Config }>(`/api/agents/${agent.id}/config`, { signal })).config,
  )
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton />

  async function save({ systemPrompt = '', model = '', sleep = '' }: Record<string, string>) {
    setSaved(false)
    const config = {
      systemPrompt: systemPrompt === '' ? null : systemPrompt,
      model: model.trim() === '' ? null : model.trim(),
      sleepAfterMinutes: sleep.trim() === '' ? null : Number(sleep),
    }
    await platform.put(`/api/agents/${agent.id}/config`, { config })
    setSaved(true)
    reload()
  }

  return (
    <Form
      action="Save"
      onSend={save}
      class="card"
      aside={
        <span class="meta" role="status">
          {saved ? 'Saved. The agent starts again with it.' : ''}
        </span>
      }
    >
      <Area
        label="System prompt"
        name="systemPrompt"
        hint="What it is told before every conversation."
        defaultValue={data.systemPrompt ?? ''}
      />
      <Field
        label="Model"
        name="model"
        hint="Empty: the platform’s choice for each task."
        autocomplete="off"
        defaultValue={data.model ?? ''}
      />
      <Field
        label="Sleep after minutes without work"
        name="sleep"
        inputMode="numeric"
        hint="Empty: it never sleeps."
        autocomplete="off"
        defaultValue={data.sleepAfterMinutes?.toString() ?? ''}
      />
    </Form>
  )
}
