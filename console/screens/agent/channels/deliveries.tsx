import type { ChannelDelivery } from '../../../../clients/typescript/index.ts'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import { Ago } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'

const states: Readonly<Record<ChannelDelivery['state'], readonly [color: string, words: string]>> =
  {
    waiting: ['pending', 'waiting'],
    sent: ['running', 'sent'],
    failed: ['error', 'failed'],
    unknown: ['error', 'perhaps sent'],
  }

/** The newest messages that a channel sent. */
export function Deliveries({ agentId, channelId }: { agentId: string; channelId: string }) {
  const deliveries = useLoad(
    `deliveries ${channelId}`,
    (signal) => agents.channels.deliveries(agentId, channelId, {}, { signal }),
    () => 15_000,
  )
  return (
    <LoadedList of={deliveries} label="Deliveries" none="No messages yet.">
      {({ id, at, chat, text, state, reason }) => (
        <li key={id}>
          <div class="list-main">
            <p>{text}</p>
            <p class="meta">
              <span class="state" data-state={states[state][0]}>
                {states[state][1]}
              </span>{' '}
              to {chat}, <Ago at={at} />
              {reason !== null && `. ${reason}`}
            </p>
            {state === 'unknown' && (
              <p class="meta">If it is not in the chat, ask the agent to write it again.</p>
            )}
          </div>
        </li>
      )}
    </LoadedList>
  )
}
