import { useState } from 'preact/hooks'
import type { Sender } from '../../../../clients/typescript/index.ts'
import { InputError } from '../../../base/words.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import { agents } from '../client.ts'

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

const words = {
  pending: ({ code }: Sender) => `Pending, code ${code}`,
  approved: () => 'Approved',
  blocked: () => 'Blocked',
}

function BotSenders({ agentId, bot }: { agentId: string; bot: Bot }) {
  const [round, setRound] = useState(0)
  const [notice, setNotice] = useState('')
  const senders = useLoad(
    `senders ${agentId} ${bot}`,
    (signal) => agents.senders.list(agentId, bot, { signal }),
    () => 15_000,
  )

  async function decide(sender: string, decision: 'approve' | 'block') {
    const answer = await agents.senders.decide(agentId, bot, sender, { decision })
    const may = answer.state === 'approved' ? 'can write to the bot' : 'is blocked'
    const from = answer.applied ? 'from now on' : 'from the agent’s next start'
    setNotice(`${answer.name ?? answer.id} ${may} ${from}.`)
    senders.reload()
  }

  return (
    <section class="stack" aria-labelledby={`senders-${bot}`}>
      <div>
        <h2 id={`senders-${bot}`}>Senders of the {bots[bot]} bot</h2>
        <p class="meta">The bot answers all other senders only with a code.</p>
      </div>
      <LoadedList of={senders}>
        {(sender) => {
          const { id, name, state } = sender
          return (
            <li key={id}>
              <div class="list-main">
                <strong>{name ?? id}</strong>
                <p class="meta">
                  {name !== null && `${id}. `}
                  {words[state](sender)}
                </p>
              </div>
              {state !== 'approved' && (
                <Confirm
                  action="Approve"
                  question={`Approve ${name ?? id}?`}
                  class="small"
                  onConfirm={() => decide(id, 'approve')}
                >
                  They can chat with the agent. Its answers count toward your usage.
                </Confirm>
              )}
              {state !== 'blocked' && (
                <Confirm
                  action="Block"
                  question={`Block ${name ?? id}?`}
                  class="small"
                  onConfirm={() => decide(id, 'block')}
                >
                  The agent no longer answers them.
                </Confirm>
              )}
            </li>
          )
        }}
      </LoadedList>
      <Form
        key={round}
        again={round > 0}
        action="Approve sender"
        class="card"
        aside={
          <span class="meta" role="status">
            {notice}
          </span>
        }
        onSend={async ({ sender = '' }) => {
          if (sender.trim() === '') throw new InputError('Enter the code or the sender’s id.')
          await decide(sender.trim(), 'approve')
          setRound((before) => before + 1)
        }}
      >
        <Field
          label="Code or sender id"
          name="sender"
          autocomplete="off"
          hint="The code that the bot sent them, or their id at the chat service."
        />
      </Form>
    </section>
  )
}
