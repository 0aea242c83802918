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

/** Connects an agent to an MCP server. If the server requires a sign-in, its page follows. */
export function ConnectionForm({ agentId, onMade, onCancel }: ConnectionFormProps) {
  async function connect({ name = '', url = '' }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Enter a name.')
    if (url.trim() === '') throw new InputError('Enter the server’s address.')
    const made = await agents.connections.create(agentId, { name: name.trim(), url: url.trim() })
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
        hint="The address of a remote MCP server. Its page for signing in follows, if it has one."
      />
    </Form>
  )
}
