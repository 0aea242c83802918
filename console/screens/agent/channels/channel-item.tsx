import { useState } from 'preact/hooks'
import type { Channel } from '../../../../clients/typescript/index.ts'
import { plural } from '../../../base/words.ts'
import { Ago } from '../../../ui/parts.tsx'
import { SenderList, useSenders } from '../sender-list.tsx'
import { ChannelAddress } from './channel-address.tsx'
import { kinds, nameOf } from './kinds.ts'
import { Steps } from './steps.tsx'
import '../../../ui/runs.css'

type Part = 'setup' | 'senders'

/** A channel with the number of senders who wait for a decision. */
export function ChannelItem({ agentId, channel }: { agentId: string; channel: Channel }) {
  const { id, kind, createdAt } = channel
  const [shown, setShown] = useState<Part>()
  const senders = useSenders(agentId, id)
  const waiting = senders.data?.filter(({ state }) => state === 'pending').length ?? 0
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
      {shown !== undefined && (
        <div class="task-more stack">
          {shown === 'setup' && (
            <>
              <Steps of={kinds[kind].after} />
              <ChannelAddress of={channel} />
            </>
          )}
          {shown === 'senders' && <SenderList agentId={agentId} channelId={id} senders={senders} />}
        </div>
      )}
    </li>
  )
}
