import { platform } from '../../../base/platform.ts'
import { InputError } from '../../../base/words.ts'
import { Field } from '../../../ui/field.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Ago } from '../../../ui/parts.tsx'
import { NamedSecrets } from './named-secrets.tsx'

/** Environment variables of the agent's programs. The platform never returns the values. */
export function Credentials({ agentId }: { agentId: string }) {
  const stored = useLoad(`credentials ${agentId}`, (signal) =>
    platform.credentials.list(agentId, { signal }),
  )

  async function add({ key = '', value = '' }: Record<string, string>) {
    if (key.trim() === '' || value === '') throw new InputError('Enter a name and a value.')
    await platform.credentials.set(agentId, key.trim(), value)
  }

  return (
    <NamedSecrets
      id="credentials"
      title="Credentials that the agent reads"
      lead="Environment variables, from its next start."
      kept={stored}
      nameOf={({ key }) => key}
      about={({ updatedAt }) => (
        <>
          Set <Ago at={updatedAt} />
        </>
      )}
      removal={{
        action: 'Delete',
        effect: 'The agent no longer has this variable after its next start.',
        remove: (key) => platform.credentials.set(agentId, key, null),
      }}
      adding={{ action: 'Save variable', add }}
    >
      <Field
        label="Variable"
        name="key"
        autocomplete="off"
        placeholder="WEATHER_TOKEN"
        hint="Capital letters, digits and _. A variable with the same name is replaced."
      />
      <Field
        label="Secret value"
        name="value"
        type="password"
        autocomplete="off"
        hint="Stored encrypted and never shown again."
      />
    </NamedSecrets>
  )
}
