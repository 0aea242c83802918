import type { Connection } from '../../../../clients/typescript/index.ts'
import { InputError } from '../../../base/words.ts'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { agents } from '../client.ts'
import { leaveFor } from './leave.ts'

interface ConnectionFormProps {
  agentId: string
  onMade(connection: Connection): void
  onCancel(): void
}

/** Connects an agent to an MCP server. If the server requires a sign-in, the browser opens its page. */
export function ConnectionForm({ agentId, onMade, onCancel }: ConnectionFormProps) {
  async function connect({
    name = '',
    url = '',
    client = '',
    secret = '',
  }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Enter a name.')
    if (url.trim() === '') throw new InputError('Enter the server’s address.')
    const id = client.trim()
    if (id === '' && secret !== '') throw new InputError('Enter the client ID of this secret.')
    const made = await agents.connections.create(agentId, {
      name: name.trim(),
      url: url.trim(),
      ...(id !== '' && { client: { id, ...(secret !== '' && { secret }) } }),
    })
    if (made.authorizeUrl !== undefined) await leaveFor(made.authorizeUrl)
    onMade(made)
  }

  return (
    <Form
      action="Connect"
      again
      onSend={connect}
      class="card"
      aside={
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      <Field
        label="Name"
        name="name"
        autocomplete="off"
        maxLength={32}
        placeholder="github"
        hint="Small letters, digits and hyphens. The agent’s tools begin with it."
      />
      <Field
        label="Address"
        name="url"
        autocomplete="off"
        placeholder="https://mcp.example.com/mcp"
        hint="The address of a remote MCP server. A sign-in there may follow."
      />
      <details class="fold">
        <summary>A client that you have registered at the server</summary>
        <p class="hint">
          Only for servers that let no client register itself. Register the address{' '}
          <code>{`${location.origin}/api/connections/callback`}</code> there.
        </p>
        <Field label="Client ID" name="client" autocomplete="off" maxLength={512} />
        <Field
          label="Client secret"
          name="secret"
          type="password"
          autocomplete="off"
          maxLength={1024}
          hint="Leave empty for none."
        />
      </details>
    </Form>
  )
}
