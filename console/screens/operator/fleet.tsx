import type { OperatedAgent } from '../../../clients/typescript/index.ts'
import { go, query } from '../../base/router.ts'
import { Choice } from '../../ui/area.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Ago, Skeleton, State } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'
import { operator } from './client.ts'
import { usePages } from './pages.ts'

const states = ['pending', 'provisioning', 'running', 'stopped', 'error'] as const

/** Agents of all users and their incidents. */
export function Fleet() {
  return (
    <div class="stack">
      <Agents />
      <Incidents />
    </div>
  )
}

function Agents() {
  const status = states.find((each) => each === query.value.get('status'))
  const failing = query.value.get('failing') === 'true'
  const userId = query.value.get('user') ?? undefined
  const { items, error, more } = usePages(
    `agents ${status} ${failing} ${userId}`,
    async (cursor, signal) => {
      const filters = { status, failing: failing ? ('true' as const) : undefined, userId, cursor }
      const { agents, nextCursor } = await operator.agents.list(filters, { signal })
      return { items: agents, nextCursor }
    },
  )
  return (
    <section class="stack" aria-labelledby="all-agents">
      <div class="head">
        <h2 id="all-agents">Agents</h2>
        <Filters status={status} failing={failing} />
      </div>
      {userId !== undefined && (
        <p class="meta">
          Agents of user <code>{userId}</code>. <a href="/operator/fleet">Show all</a>
        </p>
      )}
      <Fault error={error} />
      {items === undefined && error === undefined && <Skeleton />}
      {items?.length === 0 && <p class="meta">No matching agents.</p>}
      {items !== undefined && items.length > 0 && (
        <Table
          caption="Agents of all users"
          columns={[
            { name: 'Agent', cell: nameOf },
            { name: 'State', cell: ({ status }) => <State of={status} /> },
            { name: 'Watchdog', cell: ({ watchdog }) => watchdog.replace('_', ' ') },
            { name: 'Container', cell: ({ health }) => health },
            { name: 'Owner', cell: ownerOf },
            { name: 'Plan', cell: ({ plan }) => plan },
            { name: 'Model', cell: ({ model }) => model },
            { name: 'Made', cell: ({ createdAt }) => <Ago at={createdAt} /> },
          ]}
          rows={items}
          id={({ id }) => id}
        />
      )}
      {more !== undefined && <More onMore={more} />}
    </section>
  )
}

function nameOf({ name, id }: OperatedAgent) {
  return (
    <>
      {name}
      <br />
      <code>{id}</code>
    </>
  )
}

function ownerOf({ userId }: Pick<OperatedAgent, 'userId'>) {
  if (userId === null) return 'the platform'
  return (
    <a href={`/operator/fleet?user=${encodeURIComponent(userId)}`}>
      <code>{userId}</code>
    </a>
  )
}

function Filters({ status, failing }: { status: string | undefined; failing: boolean }) {
  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(query.value)
    if (value === '') next.delete(name)
    else next.set(name, value)
    go(`/operator/fleet?${next.toString()}`, { replace: true })
  }
  return (
    <div class="row">
      <Choice label="State" value={status ?? ''} onChoose={(value) => filter('status', value)}>
        <option value="">any</option>
        {states.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Choice>
      <span class="checks">
        <label>
          <input
            type="checkbox"
            checked={failing}
            onChange={({ currentTarget: { checked } }) => filter('failing', checked ? 'true' : '')}
          />
          Only failing
        </label>
      </span>
    </div>
  )
}

function Incidents() {
  const all = query.value.get('incidents') === 'all'
  const { items, error, more } = usePages(`incidents ${all}`, async (cursor, signal) => {
    const filters = { open: all ? ('false' as const) : ('true' as const), cursor }
    const { incidents, nextCursor } = await operator.incidents.list(filters, { signal })
    return { items: incidents, nextCursor }
  })
  return (
    <section class="stack" aria-labelledby="all-incidents">
      <div class="head">
        <h2 id="all-incidents">Incidents</h2>
        <a class="button small" href={`/operator/fleet${all ? '' : '?incidents=all'}`}>
          {all ? 'Show open only' : 'Show resolved too'}
        </a>
      </div>
      <Fault error={error} />
      {items === undefined && error === undefined && <Skeleton />}
      {items?.length === 0 && <p class="meta">No incidents. Agents are checked every minute.</p>}
      {items !== undefined && items.length > 0 && (
        <Table
          caption="Incidents of all users’ agents"
          columns={[
            { name: 'Agent', cell: ({ agentName }) => agentName },
            { name: 'Cause', cell: ({ cause }) => cause },
            { name: 'Step', cell: (each) => `${each.step.replaceAll('_', ' ')}, ${each.attempt}` },
            { name: 'Seen', cell: ({ at }) => <Ago at={at} /> },
            {
              name: 'Over',
              cell: ({ resolvedAt }) => (resolvedAt === null ? 'no' : <Ago at={resolvedAt} />),
            },
            { name: 'Owner', cell: ownerOf },
          ]}
          rows={items}
          id={(each) => `${each.agentId} ${each.at} ${each.step}`}
        />
      )}
      {more !== undefined && <More onMore={more} />}
    </section>
  )
}

/** Loads the next page of a list. */
export function More({ onMore }: { onMore(): Promise<void> }) {
  return (
    <p>
      <button type="button" class="button" onClick={onMore}>
        Show more
      </button>
    </p>
  )
}
