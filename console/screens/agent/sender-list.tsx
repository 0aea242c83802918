import { useState } from 'preact/hooks'
import type { Sender } from '../../../clients/typescript/index.ts'
import { InputError } from '../../base/words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { LoadedList } from '../../ui/loaded-list.tsx'
import { agents } from './client.ts'

const words = {
  pending: ({ code }: Sender) => (code === null ? 'Pending' : `Pending, code ${code}`),
  approved: () => 'Approved',
  blocked: () => 'Blocked',
}

interface SenderListProps {
  agentId: string
  channelId: string
  onDecided?(): void
}

/** The senders of a channel or of a bot inside an agent's container, whom the owner approves or blocks. */
export function SenderList({ agentId, channelId, onDecided }: SenderListProps) {
  const senders = useLoad(
    `senders ${agentId} ${channelId}`,
    (signal) => agents.senders.list(agentId, channelId, { signal }),
    () => 15_000,
  )
  const [round, setRound] = useState(0)
  const [notice, setNotice] = useState('')

  async function decide(sender: string, decision: 'approve' | 'block') {
    const answer = await agents.senders.decide(agentId, channelId, sender, { decision })
    const may = answer.state === 'approved' ? 'can write to the agent' : 'is blocked'
    const from = answer.applied ? 'from now on' : 'from the agent’s next start'
    setNotice(`${answer.name ?? answer.id} ${may} ${from}.`)
    senders.reload()
    onDecided?.()
  }

  return (
    <>
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
          hint="The code that they got as an answer, or their id at the chat service."
        />
      </Form>
    </>
  )
}
