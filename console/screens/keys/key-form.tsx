import { useState } from 'preact/hooks'
import { now } from '../../base/clock.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Choice } from '../../ui/area.tsx'
import { Checks } from '../../ui/checks.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { type Scope, scopeWords } from '../connect/scope-words.ts'
import { LimitFields, limitsIn } from './limit-fields.tsx'

const lives = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

const dayMs = 86_400_000

/** Creates a key with scopes, an expiry and limits. */
export function KeyForm({ onMade }: { onMade(key: string): void }) {
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'chat', 'write'])

  async function create({ name = '', days = '', ...given }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Enter a name.')
    if (scopes.length === 0) throw new InputError('Choose at least one permission.')
    const { key } = await platform.keys.create({
      name,
      scopes: [...scopes],
      limits: limitsIn(given),
      ...(days !== '' && { expiresAt: new Date(now() + Number(days) * dayMs).toISOString() }),
    })
    onMade(key)
  }

  return (
    <Form action="Create key" onSend={create} class="card">
      <Field label="Name" name="name" autocomplete="off" maxLength={64} />
      <Checks
        legend="Permissions"
        options={Object.entries(scopeWords).map(([scope, words]) => ({
          value: scope as Scope,
          label: `${scope}: ${words}`,
        }))}
        chosen={scopes}
        onChange={setScopes}
      />
      <Choice label="Expires" name="days">
        {lives.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Choice>
      <LimitFields />
    </Form>
  )
}
