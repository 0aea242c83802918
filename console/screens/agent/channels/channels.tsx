import { useState } from 'preact/hooks'
import type { CreatedChannel } from '../../../../clients/typescript/index.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'
import { ChannelForm } from './channel-form.tsx'
import { ChannelItem } from './channel-item.tsx'
import { MadeChannel } from './made-channel.tsx'

/** The channels of an agent. */
export function Channels({ agent: { id } }: TabProps) {
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<CreatedChannel>()
  const channels = useLoad(
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
      {making && (
        <ChannelForm
          agentId={id}
          onCancel={() => setMaking(false)}
          onMade={(channel) => {
            setMaking(false)
            setMade(channel)
            channels.reload()
          }}
        />
      )}
      {made !== undefined && <MadeChannel channel={made} />}
      <LoadedList of={channels} label="Channels" none="No channels yet.">
        {(channel) => (
          <ChannelItem key={channel.id} agentId={id} channel={channel} reload={channels.reload} />
        )}
      </LoadedList>
    </section>
  )
}
