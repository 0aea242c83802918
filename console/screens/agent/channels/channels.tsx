import { useState } from 'preact/hooks'
import type { CreatedChannel } from '../../../../clients/typescript/index.ts'
import { Fault } from '../../../ui/fault.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'
import { ChannelForm } from './channel-form.tsx'
import { ChannelItem } from './channel-item.tsx'
import { MadeChannel } from './made-channel.tsx'

/** The channels of an agent. */
export function Channels({ agent: { id } }: TabProps) {
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<CreatedChannel>()
  const { data, error, reload } = useLoad(
    `channels ${id}`,
    (signal) => agents.channels.list(id, { signal }),
    () => 15_000,
  )
  return (
    <section class="stack" aria-labelledby="channels">
      <div class="head">
        <h2 id="channels">Channels</h2>
        {!making && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              setMade(undefined)
              setMaking(true)
            }}
          >
            <Icon name="plus" />
            New channel
          </button>
        )}
      </div>
      <p class="meta">
        Messages wake the agent, and its answers go back. It answers strangers only after you have
        approved them.
      </p>
      <Fault error={error} />
      {making && (
        <ChannelForm
          agentId={id}
          onCancel={() => setMaking(false)}
          onMade={(channel) => {
            setMaking(false)
            setMade(channel)
            reload()
          }}
        />
      )}
      {made !== undefined && <MadeChannel channel={made} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data?.length === 0 && !making && <p class="meta">No channels yet.</p>}
      {data !== undefined && data.length > 0 && (
        <ul class="list" aria-label="Channels">
          {data.map((channel) => (
            <ChannelItem key={channel.id} agentId={id} channel={channel} reload={reload} />
          ))}
        </ul>
      )}
    </section>
  )
}
