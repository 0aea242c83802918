import { useState } from 'preact/hooks'
import type { Channel } from '../../../../clients/typescript/index.ts'
import { plural } from '../../../base/words.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Ago } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import { SenderList } from '../sender-list.tsx'
import { ChannelAddress } from './channel-address.tsx'
import { ChannelChange } from './channel-change.tsx'
import { Deliveries } from './deliveries.tsx'
import { kinds, nameOf } from './kinds.ts'
import { Steps } from './steps.tsx'
import '../../../ui/runs.css'

type Part = 'setup' | 'senders' | 'deliveries'

interface ChannelItemProps {
  agentId: string
  channel: Channel
  /** Loads the channels again. */
  reload(): void
}

/** A channel with the number of senders who wait for a decision. */
export function ChannelItem({ agentId, channel, reload }: ChannelItemProps) {
  const { id, kind, createdAt, waiting } = channel
  const [shown, setShown] = useState<Part>()
  const name = nameOf(channel)

  const toggle = (part: Part, label: string) => (
    <button
      type="button"
      class="button small"
      aria-label={`${label} of ${name}`}
      aria-expanded={shown === part}
      onClick={() => setShown(shown === part ? undefined : part)}
    >
      {label}
    </button>
  )

  return (
    <li class="task">
      <div class="list-main">
        <strong>{name}</strong>
        <p class="meta">
          {kinds[kind].name}; created <Ago at={createdAt} />
        </p>
        {waiting > 0 && (
          <p class="state" data-state="pending">
            {plural(waiting, 'sender')} waiting
          </p>
        )}
      </div>
      {toggle('setup', 'Setup')}
      {kind !== 'webhook' && toggle('senders', 'Senders')}
      {toggle('deliveries', 'Deliveries')}
      <Confirm
        action="Delete"
        question={`Delete ${name}?`}
        class="small"
        onConfirm={async () => {
          await agents.channels.delete(agentId, id)
          reload()
        }}
      >
        The agent can no longer be reached there.
      </Confirm>
      {shown !== undefined && (
        <div class="task-more stack">
          {shown === 'setup' && (
            <>
              <Steps of={kinds[kind].after} />
              <ChannelAddress of={channel} />
              <ChannelChange agentId={agentId} channel={channel} onSaved={reload} />
            </>
          )}
          {shown === 'senders' && (
            <SenderList agentId={agentId} channelId={id} onDecided={reload} />
          )}
          {shown === 'deliveries' && <Deliveries agentId={agentId} channelId={id} />}
        </div>
      )}
    </li>
  )
}
