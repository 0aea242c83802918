import { useEffect, useRef, useState } from 'preact/hooks'
import { now as platformNow } from '../../../base/clock.ts'
import { dollarsIn } from '../../../base/dollars.ts'
import { InputError } from '../../../base/words.ts'
import { Area } from '../../../ui/area.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'
import { Changes } from './changes.tsx'
import {
  changesOf,
  changeOf,
  conflictsOf,
  isCap,
  textsOf as textsOfConfig,
  type Texts,
} from './config.ts'
import { Deletion } from './deletion.tsx'
import { Senders } from './senders.tsx'
import { Sleep } from './sleep.tsx'

/** An agent's config. Saving restarts its container. */
export default function Settings({ agent, reload }: TabProps) {
  const { data, error, set } = useLoad(
    `config ${agent.id}`,
    async (signal) => {
      const askedAt = platformNow()
      return { config: await agents.config.get(agent.id, { signal }), askedAt }
    },
    () => 15_000,
  )
  if (data === undefined) return error === undefined ? <Skeleton /> : <Fault error={error} />
  return (
    <div class="stack">
      <Config
        agent={agent}
        {...data}
        onSaved={(config) => {
          set({ config, askedAt: platformNow() })
          reload()
        }}
      />
      {'discordBotToken' in data.config && <Senders agentId={agent.id} />}
      <Deletion agent={agent} />
    </div>
  )
}

interface ConfigProps {
  agent: TabProps['agent']
  config: Record<string, unknown>
  /** The time of the request, in epoch milliseconds. Values saved later are newer. */
  askedAt: number
  onSaved(config: Record<string, unknown>): void
}

/** The form, with its changes before they are saved, also against changes that others saved first. */
function Config({ agent, config, askedAt, onSaved }: ConfigProps) {
  const [resting, setResting] = useState(agent.sleepAfterMinutes)
  const textsOf = (values: ConfigProps['config'], after = resting) => textsOfConfig(values, after)
  const [base, setBase] = useState(() => textsOf(config))
  const [draft, setDraft] = useState(base)
  const [theirs, setTheirs] = useState<Texts>()
  const [saved, setSaved] = useState('')
  const knownAt = useRef(0)
  const changes = changesOf(base, draft)
  const restarts = changes.some(({ name }) => !isCap(name))
  const isBehind =
    askedAt >= knownAt.current && changesOf(theirs ?? base, textsOf(config)).length > 0
  const isUntouched = changes.length === 0 && theirs === undefined

  useEffect(() => {
    if (!isBehind || !isUntouched) return
    // The form has no changes, so others' changes are simply shown.
    setSaved('')
    setBase(textsOf(config))
    setDraft(textsOf(config))
  }, [config, isBehind, isUntouched])

  useEffect(() => setResting(agent.sleepAfterMinutes), [agent.sleepAfterMinutes])

  function write(change: Partial<Texts>) {
    setSaved('')
    setDraft((before) => ({ ...before, ...change }))
  }

  async function save() {
    setSaved('')
    for (const { name, to } of changes) if (isCap(name)) dollarsIn(to)
    const change = changeOf(changes)
    if (Number.isNaN(change['sleepAfterMinutes']))
      throw new InputError('Enter a number of minutes, or choose that it never sleeps.')
    const now = textsOf(await agents.config.get(agent.id))
    knownAt.current = platformNow()
    // A user who has seen the conflict and saves again overwrites it.
    if (conflictsOf(changes, theirs ?? base, now).length > 0) {
      setTheirs(now)
      throw new InputError(
        'Someone else has saved other settings. Review the changes below and save again to overwrite them.',
      )
    }
    const after =
      changes.length === 0
        ? config
        : await agents.config.update(
            agent.id,
            { config: change },
            { apply: restarts ? 'true' : 'false' },
          )
    knownAt.current = platformNow()
    // The agent is loaded again after this. Until then, this is the known value.
    const restingNow = change['sleepAfterMinutes'] === null ? null : resting
    setResting(restingNow)
    const texts = textsOf(after, restingNow)
    setBase(texts)
    setDraft(texts)
    setTheirs(undefined)
    setSaved(restarts ? 'Saved. The agent restarts to apply it.' : 'Saved.')
    onSaved(after)
  }

  return (
    <Form
      action="Save"
      onSend={save}
      class="card"
      aside={
        <span class="meta" role="status">
          {changes.length === 0 ? saved : ''}
        </span>
      }
    >
      <Area
        label="System prompt"
        name="systemPrompt"
        hint="Sent to the model before every conversation."
        value={draft.systemPrompt}
        onInput={({ currentTarget: { value } }) => write({ systemPrompt: value })}
      />
      <Field
        label="Model"
        name="model"
        hint="Leave empty to let the platform choose per task."
        autocomplete="off"
        value={draft.model}
        onInput={({ currentTarget: { value } }) => write({ model: value })}
      />
      <Sleep
        texts={{ base: base.sleepAfterMinutes, draft: draft.sleepAfterMinutes }}
        resting={agent.sleepAfterMinutes}
        onWrite={(sleepAfterMinutes) => write({ sleepAfterMinutes })}
      />
      <div class="columns">
        <Cap
          label="Spend cap in US dollars per month"
          value={draft.spendCapUsd}
          hint="The agent’s model calls are rejected when it is reached."
          onWrite={(spendCapUsd) => write({ spendCapUsd })}
        />
        <Cap
          label="Spend cap in US dollars per day"
          value={draft.spendCapUsdPerDay}
          hint="Days begin at midnight UTC."
          onWrite={(spendCapUsdPerDay) => write({ spendCapUsdPerDay })}
        />
      </div>
      {isBehind && !isUntouched && (
        <p class="news" role="status">
          Someone else has saved other settings. Before saving, you can review both.
        </p>
      )}
      <Changes
        changes={theirs === undefined ? changes : changesOf(theirs, { ...theirs, ...own(changes) })}
        isConflict={theirs !== undefined}
      />
      {theirs !== undefined && (
        <p>
          <button
            type="button"
            class="button"
            onClick={() => {
              setBase(theirs)
              setDraft(theirs)
              setTheirs(undefined)
            }}
          >
            Use their changes
          </button>
        </p>
      )}
    </Form>
  )
}

function Cap({
  onWrite,
  ...field
}: {
  label: string
  value: string
  hint: string
  onWrite(text: string): void
}) {
  return (
    <Field
      {...field}
      inputMode="decimal"
      autocomplete="off"
      placeholder="No cap"
      onInput={({ currentTarget: { value } }) => onWrite(value)}
    />
  )
}

function own(changes: ReturnType<typeof changesOf>): Partial<Texts> {
  return Object.fromEntries(changes.map(({ name, to }) => [name, to]))
}
