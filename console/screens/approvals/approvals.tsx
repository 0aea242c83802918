import { useState } from 'preact/hooks'
import type { Agent, Approval } from '../../../clients/typescript/index.ts'
import { listAgents } from '../../base/agents.ts'
import { pageLength, takeApprovals } from '../../base/approvals.ts'
import { go, query } from '../../base/router.ts'
import { visible } from '../../base/visible.ts'
import { Choice } from '../../ui/area.tsx'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { ApprovalState } from './approval-state.tsx'
import { kindOf, stateNames } from './words.ts'

type State = Approval['state']

const states = Object.keys(stateNames) as State[]

/** `/approvals`: the pending ones first. */
export default function Approvals() {
  const state = states.find((each) => each === query.value.get('state'))
  const agentId = query.value.get('agent') ?? undefined
  const [wanted, setWanted] = useState(pageLength)
  const agents = useLoad('agents', listAgents)
  const { data, error } = useLoad(
    `approvals ${state} ${agentId} ${wanted}`,
    async (signal) => {
      const [pending, all] = await Promise.all([
        state === undefined ? takeApprovals({ state: 'pending', agentId }, pageLength, signal) : [],
        takeApprovals({ state, agentId }, wanted, signal),
      ])
      const waiting = new Set(pending.map(({ id }) => id))
      return { all: [...pending, ...all.filter(({ id }) => !waiting.has(id))], read: all.length }
    },
    () => 10_000,
  )
  const isFiltered = state !== undefined || agentId !== undefined
  return (
    <>
      <Head title="Approvals" lead="What your agents ask before they do it.">
        <Filters state={state} agentId={agentId} agents={agents.data ?? []} />
      </Head>
      <div class="stack">
        <Fault error={error ?? agents.error} />
        {data === undefined && error === undefined && <Skeleton />}
        {data?.all.length === 0 && isFiltered && <p class="meta">No matching approvals.</p>}
        {data?.all.length === 0 && !isFiltered && (
          <Empty icon="check" title="No approvals yet">
            Requests that an agent’s policy asks you about wait here for 24 hours. By default, a
            policy asks nothing.
          </Empty>
        )}
        {data !== undefined && data.all.length > 0 && (
          <ul class="list" aria-label="Approvals">
            {data.all.map((each) => (
              <Item key={each.id} approval={each} agents={agents.data} />
            ))}
          </ul>
        )}
        {data?.read === wanted && (
          <p>
            <button type="button" class="button" onClick={() => setWanted(wanted + pageLength)}>
              Show more
            </button>
          </p>
        )}
      </div>
    </>
  )
}

function Item({ approval, agents }: { approval: Approval; agents: Agent[] | undefined }) {
  const { id, agentId, summary, createdAt, expiresAt, state } = approval
  return (
    <li>
      <div class="list-main">
        <a href={`/approvals/${id}`}>{visible(summary)}</a>
        <p class="meta">
          {kindOf(approval)} by {agents?.find((each) => each.id === agentId)?.name ?? agentId},{' '}
          <Ago at={createdAt} />
          {state === 'pending' && (
            <>
              ; expires <Ago at={expiresAt} />
            </>
          )}
        </p>
      </div>
      <ApprovalState of={state} />
    </li>
  )
}

function Filters(props: {
  state: State | undefined
  agentId: string | undefined
  agents: readonly Agent[]
}) {
  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(query.value)
    if (value === '') next.delete(name)
    else next.set(name, value)
    go(`/approvals${next.size === 0 ? '' : `?${next.toString()}`}`, { replace: true })
  }
  return (
    <>
      <Choice label="State" value={props.state ?? ''} onChoose={(value) => filter('state', value)}>
        <option value="">any</option>
        {states.map((each) => (
          <option key={each} value={each}>
            {stateNames[each]}
          </option>
        ))}
      </Choice>
      <Choice
        label="Agent"
        value={props.agentId ?? ''}
        onChoose={(value) => filter('agent', value)}
      >
        <option value="">any</option>
        {props.agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
    </>
  )
}
