import { useState } from 'preact/hooks'
import { platform } from '../../../base/platform.ts'
import { size } from '../../../base/size.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import { Ago } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'

/** The agent's restore points. */
export function Snapshots({ agent, reload }: TabProps) {
  const [round, setRound] = useState(0)
  const [asked, setAsked] = useState<{ before: string; point: string }>()
  const loaded = useLoad(
    `snapshots ${agent.id}`,
    (signal) => agents.snapshots.list(agent.id, { signal }),
    () => 20_000,
  )

  async function make({ name = '' }: Record<string, string>) {
    await agents.snapshots.create(agent.id, name.trim() === '' ? {} : { name })
    setRound((before) => before + 1)
    loaded.reload()
  }

  async function restore(snapshotId: string, point: string) {
    const before = await lastRestored(agent.id)
    await platform.agents.restore(agent.id, { snapshotId })
    setAsked({ before, point })
    reload()
  }

  return (
    <section class="stack" aria-labelledby="snapshots">
      <div>
        <h2 id="snapshots">Restore points</h2>
        <p class="meta">
          Each contains the settings, memory, skills, schedules, conversations and files. The
          platform creates one every day, which is kept for seven days, and one before each update,
          restore and deletion.
        </p>
      </div>
      <Form
        key={round}
        again={round > 0}
        action="Create restore point"
        onSend={make}
        class="card inline"
      >
        <Field label="Name (optional)" name="name" autocomplete="off" maxLength={100} />
      </Form>
      {asked !== undefined && (
        <Progress key={asked.before} agentId={agent.id} {...asked} onDone={loaded.reload} />
      )}
      <LoadedList of={loaded} lines={3}>
        {({ id, name, createdAt, bytes }) => (
          <li key={id}>
            <div class="list-main">
              <strong>{name ?? 'Created by the platform'}</strong>
              <p class="meta">
                <Ago at={createdAt} />, {size(bytes)}
              </p>
            </div>
            <Confirm
              action="Restore"
              question={`Restore ${name ?? 'this restore point'}?`}
              class="small"
              onConfirm={() => restore(id, name ?? 'the restore point')}
            >
              {agent.name} returns to its state of {new Date(createdAt).toLocaleString()}. Every
              note, skill, schedule, message, file and setting that was added or changed since then
              is lost, and its current work is interrupted. A restore point of its current state is
              created first. Credentials do not change.
            </Confirm>
          </li>
        )}
      </LoadedList>
    </section>
  )
}

/** Returns when the agent was last restored. Empty if never. */
async function lastRestored(agentId: string, signal?: AbortSignal): Promise<string> {
  const events = await platform.agents.events(agentId, { limit: 50 }, { signal })
  return events.find(({ kind }) => kind === 'restored')?.at ?? ''
}

/** Shows whether a restore is finished. */
function Progress(props: { agentId: string; before: string; point: string; onDone(): void }) {
  const { agentId, before, point, onDone } = props
  const { data = before, error } = useLoad(
    `restored ${agentId} ${before}`,
    async (signal) => {
      const at = await lastRestored(agentId, signal)
      if (at > before) onDone()
      return at
    },
    (at) => (at > before ? undefined : 2000),
  )
  return (
    <>
      <Fault error={error} />
      <p class="news" role="status">
        {data > before ? `Restored ${point}.` : `Restoring ${point}…`}
      </p>
    </>
  )
}
