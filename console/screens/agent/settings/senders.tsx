import { SenderList } from '../sender-list.tsx'

/** Lists the senders of the bot in an agent's container. The tab Channels lists the senders of other channels. */
export function Senders({ agentId }: { agentId: string }) {
  return (
    <section class="stack" aria-labelledby="senders-discord">
      <div>
        <h2 id="senders-discord">Senders of the Discord bot</h2>
        <p class="meta">The bot answers all other senders only with a code.</p>
      </div>
      <SenderList agentId={agentId} channelId="discord" />
    </section>
  )
}
