import { useRef, useState } from 'preact/hooks'
import type { Key } from '../../../clients/typescript/index.ts'
import { usd } from '../../base/figures.ts'
import { platform } from '../../base/platform.ts'
import { InputError, plural } from '../../base/words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Ago } from '../../ui/parts.tsx'
import { LimitFields, limitsIn } from './limit-fields.tsx'

/** A key, with its form while it is edited. */
export function KeyItem({ of: key, onChange }: { of: Key; onChange(): void }) {
  const [editing, setEditing] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)

  async function save({ name = '', ...limits }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Enter a name.')
    await platform.keys.update(key.id, { name, limits: limitsIn(limits) })
    setEditing(false)
    edit.current?.focus()
    onChange()
  }

  return (
    <li>
      <div class="list-main">
        <strong>{key.name}</strong>
        <p class="meta">
          <code>{key.keyPreview}</code> {key.scopes.join(', ')}; made <Ago at={key.createdAt} />,{' '}
          {key.lastUsed === null ? (
            'never used'
          ) : (
            <>
              last used <Ago at={key.lastUsed} />
            </>
          )}
          {key.expiresAt !== null && (
            <>
              , expires <Ago at={key.expiresAt} />
            </>
          )}
        </p>
        {key.limits !== null && <p class="meta">{limitWords(key.limits)}</p>}
      </div>
      <button
        ref={edit}
        type="button"
        class="button small"
        aria-label={`Edit ${key.name}`}
        aria-expanded={editing}
        onClick={() => setEditing(!editing)}
      >
        Edit
      </button>
      <Confirm
        action="Revoke"
        question={`Revoke ${key.name}?`}
        class="small"
        onConfirm={async () => {
          await platform.keys.delete(key.id)
          onChange()
        }}
      >
        Programs that use this key lose access immediately.
      </Confirm>
      {editing && (
        <Form action="Save" onSend={save} class="edit" again>
          <Field
            label="Name"
            name="name"
            autocomplete="off"
            maxLength={64}
            defaultValue={key.name}
          />
          <LimitFields limits={key.limits} />
        </Form>
      )}
    </li>
  )
}

function limitWords(limits: NonNullable<Key['limits']>): string {
  const { models, requestsPerMinute, usdPerDay, usdPerMonth, routing } = limits
  const most = [
    requestsPerMinute !== undefined && `${plural(requestsPerMinute, 'model call')} per minute`,
    usdPerDay !== undefined && `${usd(usdPerDay)} per day`,
    usdPerMonth !== undefined && `${usd(usdPerMonth)} per month`,
    models !== undefined && `the models ${models.join(', ')}`,
  ].filter((words) => words !== false)
  return [
    ...(most.length === 0 ? [] : [`At most ${most.join('; ')}`]),
    ...(routing === undefined ? [] : ['Chooses its providers']),
  ].join('. ')
}
