import { SenderList, useSenders } from '../sender-list.tsx'

const bots = { telegram: 'Telegram', discord: 'Discord' }

type Bot = keyof typeof bots

/** The senders of an agent's bots. */
export function Senders({ agentId, config }: { agentId: string; config: Record<string, unknown> }) {
  return (
    <>
      {'telegramToken' in config && <BotSenders agentId={agentId} bot="telegram" />}
      {'discordBotToken' in config && <BotSenders agentId={agentId} bot="discord" />}
    </>
  )
}

function BotSenders({ agentId, bot }: { agentId: string; bot: Bot }) {
  const senders = useSenders(agentId, bot)
  return (
    <section class="stack" aria-labelledby={`senders-${bot}`}>
      <div>
        <h2 id={`senders-${bot}`}>Senders of the {bots[bot]} bot</h2>
        <p class="meta">The bot answers all other senders only with a code.</p>
      </div>
      <SenderList agentId={agentId} channelId={bot} senders={senders} />
    </section>
  )
}
