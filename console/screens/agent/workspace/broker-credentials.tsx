import type { BrokerRequest } from '../../../../clients/typescript/index.ts'
import { InputError } from '../../../base/words.ts'
import { Fault } from '../../../ui/fault.tsx'
import { Field } from '../../../ui/field.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Ago } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import { NamedSecrets } from './named-secrets.tsx'

/** Credentials that the agent uses through the platform for certain hosts and cannot read. */
export function BrokerCredentials({ agentId }: { agentId: string }) {
  const stored = useLoad(`broker ${agentId}`, (signal) =>
    agents.brokerCredentials.list(agentId, { signal }),
  )
  const uses = useLoad(
    `broker requests ${agentId}`,
    (signal) => agents.brokerRequests.list(agentId, { limit: 200 }, { signal }),
    () => 15_000,
  )

  async function add(values: Record<string, string>) {
    const { name = '', hosts = '', header = '', value = '' } = values
    if ([name, hosts, header, value].some((each) => each.trim() === ''))
      throw new InputError('Enter a name, the hosts, the header and the value.')
    await agents.brokerCredentials.create(agentId, {
      name: name.trim(),
      hosts: hosts.split(/[\s,]+/).filter(Boolean),
      header: header.trim(),
      value,
    })
  }

  return (
    <>
      {stored.error === undefined && <Fault error={uses.error} />}
      <NamedSecrets
        id="broker"
        title="Credentials that the agent cannot read"
        lead="The platform adds them to the agent’s requests to the allowed hosts only."
        kept={stored}
        nameOf={({ name }) => name}
        about={({ name, hosts, createdAt }) => (
          <>
            {hosts.join(', ')}; added <Ago at={createdAt} />
            {uses.data !== undefined && (
              <LastUse use={uses.data.find((each) => each.name === name)} />
            )}
          </>
        )}
        removal={{
          action: 'Delete',
          effect: 'The agent can no longer send requests with it.',
          remove: (name) => agents.brokerCredentials.delete(agentId, name),
        }}
        adding={{ action: 'Save credential', add }}
      >
        <Field
          label="Name"
          name="name"
          autocomplete="off"
          placeholder="weather"
          hint="The agent uses this name. A credential with the same name is replaced."
        />
        <Field
          label="Allowed hosts"
          name="hosts"
          autocomplete="off"
          placeholder="api.example.com"
          hint="At most ten, separated by commas."
        />
        <Field
          label="Header"
          name="header"
          autocomplete="off"
          defaultValue="authorization: Bearer {value}"
        />
        <Field
          label="Value"
          name="value"
          type="password"
          autocomplete="off"
          hint="Stored encrypted and never shown again."
        />
      </NamedSecrets>
    </>
  )
}

function LastUse({ use }: { use: BrokerRequest | undefined }) {
  if (use === undefined) return <>, not used in 30 days</>
  return (
    <>
      , last used <Ago at={use.at} /> ({use.method} {use.host},{' '}
      {use.status === null ? 'no answer' : `answered ${use.status}`})
    </>
  )
}
