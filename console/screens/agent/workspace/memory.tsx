import { useState } from 'preact/hooks'
import { platform } from '../../../base/platform.ts'
import { InputError } from '../../../base/words.ts'
import { Area } from '../../../ui/area.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import type { TabProps } from '../tab.ts'

/** The agent's memory. */
export function Memory({ agent }: Pick<TabProps, 'agent'>) {
  const [round, setRound] = useState(0)
  const { data, error, reload } = useLoad(
    `memory ${agent.id}`,
    async (signal) => (await platform.memory.get(agent.id, { signal })).memory,
  )

  async function keep(key: string, memory: string | null) {
    await platform.memory.write({ agentId: agent.id, memory: { [key]: memory } })
    reload()
  }

  async function add({ key = '', note = '' }: Record<string, string>) {
    if (key.trim() === '' || note === '') throw new InputError('Enter a name and a text.')
    await keep(key.trim(), note)
    setRound((before) => before + 1)
  }

  return (
    <div class="stack">
      <section class="stack" aria-labelledby="memory">
        <h2 id="memory">Memory</h2>
        <LoadedList
          of={{ data: data && Object.entries(data), error }}
          none="No notes yet. The agent’s own notes and yours appear here."
          lines={3}
        >
          {([key, value]) => (
            <li key={key}>
              <div class="list-main">
                <strong>{key}</strong>
                <p class="meta">{typeof value === 'string' ? value : JSON.stringify(value)}</p>
              </div>
              <Confirm
                action="Delete"
                question={`Delete ${key}?`}
                class="small"
                onConfirm={() => keep(key, null)}
              >
                The agent no longer has this note from its next turn.
              </Confirm>
            </li>
          )}
        </LoadedList>
      </section>
      {(data ?? error) !== undefined && (
        <Form key={round} again={round > 0} action="Add note" onSend={add} class="card">
          <h2>New note</h2>
          <Field label="Note name" name="key" autocomplete="off" />
          <Area label="Note" name="note" rows={4} />
        </Form>
      )}
    </div>
  )
}
