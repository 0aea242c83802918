import { useState } from 'preact/hooks'
import type { Channel } from '../../../../clients/typescript/index.ts'
import { Form } from '../../../ui/form.tsx'
import { agents } from '../client.ts'
import { ChannelFields, enteredIn } from './channel-fields.tsx'
import { kinds } from './kinds.ts'
import { NewSecret } from './made-channel.tsx'

interface ChannelChangeProps {
  agentId: string
  channel: Channel
  onSaved(): void
}

/** Changes a channel's fields, and rotates the secret of a webhook. */
export function ChannelChange({ agentId, channel, onSaved }: ChannelChangeProps) {
  const { id, kind, settings } = channel
  const { fields } = kinds[kind]
  const [round, setRound] = useState(0)
  const [secret, setSecret] = useState<string>()

  async function change(body: object) {
    const changed = await agents.channels.update(agentId, id, body)
    setSecret(changed.secret)
    setRound(round + 1)
    onSaved()
  }

  return (
    <>
      {fields.length > 0 && (
        <Form
          key={round}
          action="Save"
          onSend={(values) => change(enteredIn(fields, values, false))}
          aside={<span role="status">{round > 0 && 'Saved.'}</span>}
        >
          <ChannelFields fields={fields} settings={settings} />
        </Form>
      )}
      {kind === 'webhook' && (
        <Form action="New secret" onSend={() => change({ rotateSecret: true })}>
          {secret !== undefined && <NewSecret secret={secret} />}
        </Form>
      )}
    </>
  )
}
