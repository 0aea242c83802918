import { useState } from 'preact/hooks'
import type { Connection } from '../../../../clients/typescript/index.ts'
import { plural } from '../../../base/words.ts'
import { useAttempt } from '../../../ui/attempt.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Ago } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import { leaveFor } from './leave.ts'
import { Tools } from './tools.tsx'
import { stateColors, stateNames } from './words.ts'
import '../../../ui/runs.css'

interface ConnectionItemProps {
  agentId: string
  connection: Connection
  /** True if its tools are shown at first. */
  isOpen: boolean
  /** Loads the connections again. */
  reload(): void
}

/** A connection with its state and its tools. */
export function ConnectionItem({ agentId, connection, isOpen, reload }: ConnectionItemProps) {
  const { name, url, state, reason, createdAt, tools, leftOut } = connection
  const [open, setOpen] = useState(isOpen)
  const { busy, error, attempt } = useAttempt()
  const allowed = tools.filter((tool) => tool.allowed).length

  const signIn = () =>
    attempt(async () => {
      const { authorizeUrl } = await agents.connections.authorize(agentId, name)
      if (authorizeUrl !== undefined) await leaveFor(authorizeUrl)
      reload()
    })

  return (
    <li class="task">
      <div class="list-main">
        <strong>{name}</strong>{' '}
        <span class="state" data-state={stateColors[state]}>
          {stateNames[state]}
        </span>
        <p class="meta">
          {url}; added <Ago at={createdAt} />
        </p>
        {reason !== undefined && <p class="meta">{reason}</p>}
        {tools.length > 0 && (
          <p class="meta">
            {allowed} of {plural(tools.length, 'tool')} allowed
          </p>
        )}
        {leftOut.map((tool) => (
          <p class="meta" key={tool.name}>
            The agent does not get <code>{tool.name}</code>: {tool.reason}
          </p>
        ))}
      </div>
      <button
        type="button"
        class={`button small ${state === 'connected' ? '' : 'primary'}`}
        aria-disabled={busy !== undefined}
        data-busy={busy !== undefined}
        onClick={signIn}
      >
        {actions[state]}
      </button>
      {tools.length > 0 && (
        <button
          type="button"
          class="button small"
          aria-label={`Tools of ${name}`}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          Tools
        </button>
      )}
      <Confirm
        action="Delete"
        question={`Delete ${name}?`}
        class="small"
        onConfirm={async () => {
          await agents.connections.delete(agentId, name)
          reload()
        }}
      >
        The agent can no longer use its tools. The platform’s access at the server is revoked.
      </Confirm>
      {(error !== undefined || (open && tools.length > 0)) && (
        <div class="task-more stack">
          <Fault error={error} />
          {open && tools.length > 0 && (
            <Tools agentId={agentId} connection={connection} onSaved={reload} />
          )}
        </div>
      )}
    </li>
  )
}

const actions: Readonly<Record<Connection['state'], string>> = {
  pending: 'Sign in',
  connected: 'Read tools again',
  'signed-out': 'Sign in again',
  failed: 'Try again',
}
