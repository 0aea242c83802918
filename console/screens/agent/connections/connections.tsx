import { useState } from 'preact/hooks'
import { query } from '../../../base/router.ts'
import { InputError } from '../../../base/words.ts'
import { Fault } from '../../../ui/fault.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'
import { ConnectionForm } from './connection-form.tsx'
import { ConnectionItem } from './connection-item.tsx'
import { Requests } from './requests.tsx'
import { signInFault } from './words.ts'

/** The MCP servers that an agent may use, and its requests. A sign-in ends here, with `?error=` if it failed. */
export function Connections({ agent: { id } }: TabProps) {
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState(query.value.get('connection'))
  const fault = query.value.get('error')
  const connections = useLoad(
    `connections ${id}`,
    (signal) => agents.connections.list(id, { signal }),
    () => 15_000,
  )
  return (
    <div class="stack">
      <section class="stack" aria-labelledby="connections">
        <div class="head">
          <h2 id="connections">Connections</h2>
          {!making && (
            <button type="button" class="button small" onClick={() => setMaking(true)}>
              <Icon name="plus" />
              New connection
            </button>
          )}
        </div>
        <p class="meta">
          An agent uses the tools of an MCP server with your sign-in there, and never holds its
          tokens. It may use no tool until you allow it.
        </p>
        {fault !== null && <Fault error={new InputError(signInFault(fault))} />}
        {making && (
          <ConnectionForm
            agentId={id}
            onCancel={() => setMaking(false)}
            onMade={({ name }) => {
              setMaking(false)
              setMade(name)
              connections.reload()
            }}
          />
        )}
        <LoadedList of={connections} label="Connections" none="No connections yet.">
          {(connection) => (
            <ConnectionItem
              key={connection.name}
              agentId={id}
              connection={connection}
              isOpen={connection.name === made}
              reload={connections.reload}
            />
          )}
        </LoadedList>
      </section>
      <Requests agentId={id} />
    </div>
  )
}
