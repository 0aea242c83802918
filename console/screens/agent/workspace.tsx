import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { Wrong } from '../../app/words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Area, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'
import type { TabProps } from './tab.ts'

/** What the agent remembers. */
export default function Workspace({ agent }: TabProps) {
  const [round, setRound] = useState(0)
  const { data, error, reload } = useLoad(
    `memory ${agent.id}`,
    async (signal) =>
      (
        await platform.get<{ memory: Record<string, unknown> }>(
          `/api/memory?agentId=${encodeURIComponent(agent.id)}`,
          { signal },
        )
      ).memory,
  )

  async function keep(key: string, memory: string | null) {
    await platform.post('/api/memory', { agentId: agent.id, memory: { [key]: memory } })
    reload()
  }

  async function add({ key = '', note = '' }: Record<string, string>) {
    if (key.trim() === '' || note === '') throw new Wrong('Give the note a name and a text.')
    await keep(key.trim(), note)
    setRound((before) => before + 1)
  }

  const notes = Object.entries(data ?? {})
  return (
    <div class="stack">
      <section class="stack" aria-labelledby="memory">
        <h2 id="memory">Memory</h2>
        <Fault error={error} />
        {data === undefined && error === undefined && <Skeleton />}
        {data !== undefined && notes.length === 0 && (
          <p class="meta">It remembers nothing yet. What it notes down, and what you add, stays.</p>
        )}
        {notes.length > 0 && (
          <ul class="list">
            {notes.map(([key, value]) => (
              <li key={key}>
                <div class="list-main">
                  <strong>{key}</strong>
                  <p class="meta">{typeof value === 'string' ? value : JSON.stringify(value)}</p>
                </div>
                <Confirm
                  action="Forget"
                  question={`Forget ${key}?`}
                  class="small"
                  onConfirm={() => keep(key, null)}
                >
                  The agent no longer knows it from its next turn on.
                </Confirm>
              </li>
            ))}
          </ul>
        )}
      </section>
      <Form key={round} action="Add note" onSend={add} class="card">
        <Field label="Name of the note" name="key" autocomplete="off" />
        <Area label="Note" name="note" />
      </Form>
    </div>
  )
}
