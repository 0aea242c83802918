import { useState } from 'preact/hooks'
import type { CreatedChannel, NewChannel } from '../../../../clients/typescript/index.ts'
import { Form } from '../../../ui/form.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { agents } from '../client.ts'
import { ChannelFields, enteredIn } from './channel-fields.tsx'
import { type Kind, kindNames, kinds } from './kinds.ts'
import { Steps } from './steps.tsx'

interface ChannelFormProps {
  agentId: string
  onMade(channel: CreatedChannel): void
  onCancel(): void
}

/** Creates a channel, with the steps at its service. */
export function ChannelForm({ agentId, onMade, onCancel }: ChannelFormProps) {
  const [kind, setKind] = useState<Kind>(kindNames[0] ?? 'webhook')
  const { before, fields, name } = kinds[kind]

  async function create(values: Record<string, string>) {
    const body = { kind, ...enteredIn(fields, values, true) } as NewChannel
    onMade(await agents.channels.create(agentId, body))
  }

  return (
    <div class="card stack">
      <Segments
        label="Kind of channel"
        name="kind"
        options={kindNames.map((each) => ({ value: each, label: kinds[each].name }))}
        chosen={kind}
        onChoose={(value: Kind) => setKind(value)}
      />
      <Steps of={before} />
      <Form
        key={kind}
        action={`Create ${name} channel`}
        onSend={create}
        aside={
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        }
      >
        <ChannelFields fields={fields} />
      </Form>
    </div>
  )
}
