import type { Agent, Run } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago } from '../../ui/parts.tsx'

const kinds: Record<Run['kind'], string> = {
  turn: 'Conversation',
  task: 'Scheduled run',
  swarm: 'Swarm',
  video: 'Video',
  split: 'Payment split',
  provisioning: 'Start of an agent',
}

const cancellable = new Set<Run['kind']>(['turn', 'task', 'swarm'])

/** Shows current runs with a button to cancel each. Empty without runs. */
export function ActiveRuns({ agents }: { agents: readonly Agent[] }) {
  const { data, error, reload } = useLoad(
    'active runs',
    (signal) => platform.runs.list({ state: 'active' }, { signal }),
    (runs) => (runs.length > 0 ? 3000 : 10_000),
  )
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined || data.length === 0) return null
  return (
    <section class="stack" aria-labelledby="under-way">
      <h2 id="under-way">Active runs</h2>
      <ul class="list">
        {data.map((run) => (
          <li key={run.id}>
            <div class="list-main">
              <strong>{kinds[run.kind]}</strong>
              <p class="meta">
                {agents.find(({ id }) => id === run.agentId)?.name ?? ''}{' '}
                {run.startedAt !== null && (
                  <>
                    since <Ago at={run.startedAt} />
                  </>
                )}
              </p>
            </div>
            {run.state === 'cancelling' && <span class="meta">ending…</span>}
            {run.state === 'active' && cancellable.has(run.kind) && (
              <Confirm
                action="Cancel run"
                question={`Cancel this ${kinds[run.kind].toLowerCase()}?`}
                class="small"
                onConfirm={async () => {
                  await platform.runs.cancel(run.id, 'cancelled in the console')
                  reload()
                }}
              >
                Usage so far is charged.
              </Confirm>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
