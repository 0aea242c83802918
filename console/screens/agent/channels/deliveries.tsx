import type { ChannelDelivery } from '../../../../clients/typescript/index.ts'
import { Fault } from '../../../ui/fault.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Ago, Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'

const states: Readonly<Record<ChannelDelivery['state'], readonly [color: string, words: string]>> =
  {
    waiting: ['pending', 'waiting'],
    sent: ['running', 'sent'],
    failed: ['error', 'failed'],
    unknown: ['error', 'perhaps sent: it was interrupted, and is not sent again'],
  }

/** The newest messages that a channel sent. */
export function Deliveries({ agentId, channelId }: { agentId: string; channelId: string }) {
  const { data, error } = useLoad(
    `deliveries ${channelId}`,
    (signal) => agents.channels.deliveries(agentId, channelId, {}, { signal }),
    () => 15_000,
  )
  if (data === undefined)
    return error === undefined ? <Skeleton lines={1} /> : <Fault error={error} />
  if (data.length === 0) return <p class="meta">No answers yet.</p>
  return (
    <ul class="runs" aria-label="Deliveries">
      {data.map(({ id, at, chat, text, state, reason }) => (
        <li key={id}>
          <p>{text}</p>
          <p class="meta">
            <span class="state" data-state={states[state][0]}>
              {states[state][1]}
            </span>{' '}
            to {chat}, <Ago at={at} />
            {reason !== null && `. ${reason}`}
          </p>
        </li>
      ))}
    </ul>
  )
}
