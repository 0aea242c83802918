import { useState } from 'preact/hooks'
import type { OperatedQueue } from '../../../clients/typescript/index.ts'
import { count } from '../../base/figures.ts'
import { plural } from '../../base/words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Skeleton } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'
import { operator } from './client.ts'
import { More } from './fleet.tsx'
import { usePages } from './pages.ts'

/** Queues, model providers and users. */
export function PlatformOverview() {
  return (
    <div class="stack">
      <Queues />
      <Providers />
      <Users />
    </div>
  )
}

function Queues() {
  const [news, setNews] = useState('')
  const { data, error, reload } = useLoad('queues', (signal) => operator.queues.list({ signal }))

  async function redrive(name: string) {
    const { moved, dead } = await operator.queues.redrive(name)
    setNews(`${plural(moved, 'message')} moved back to ${name}; ${count(dead)} left.`)
    reload()
  }

  const deed = ({ name, dead }: OperatedQueue) =>
    dead === 0 ? null : (
      <Confirm
        action="Redrive"
        question={`Redrive ${name}?`}
        class="small"
        onConfirm={() => redrive(name)}
      >
        {plural(dead, 'message')} in the dead-letter queue will be retried. Fix the cause first.
      </Confirm>
    )
  return (
    <section class="stack" aria-labelledby="queues">
      <h2 id="queues">Queues</h2>
      <Fault error={error} />
      {news !== '' && (
        <p class="news" role="status">
          {news}
        </p>
      )}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <Table
          caption="All queues"
          columns={[
            { name: 'Queue', cell: ({ name }) => name },
            { name: 'Waiting', figures: true, cell: ({ waiting }) => count(waiting) },
            { name: 'Dead letters', figures: true, cell: ({ dead }) => count(dead) },
            { name: 'Action', cell: deed },
          ]}
          rows={data.toSorted((one, other) => other.dead - one.dead)}
          id={({ name }) => name}
          bounded
        />
      )}
    </section>
  )
}

function Providers() {
  const { data, error } = useLoad('providers', (signal) => operator.providers.list({ signal }))
  return (
    <section class="stack" aria-labelledby="providers">
      <h2 id="providers">Model providers</h2>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <Table
          caption="All model providers"
          columns={[
            { name: 'Provider', cell: ({ name }) => name },
            { name: 'Host', cell: ({ host }) => host },
            {
              name: 'State',
              cell: ({ healthy, standIn }) => (
                <span class="state" data-state={healthy ? 'running' : 'error'}>
                  {healthy ? 'answers' : 'does not answer'}
                  {standIn && ', a stand-in'}
                </span>
              ),
            },
            { name: 'Checked', cell: ({ checkedAt }) => <Ago at={checkedAt} /> },
          ]}
          rows={data}
          id={({ name }) => name}
        />
      )}
    </section>
  )
}

function Users() {
  const { items, error, more } = usePages('users', async (cursor, signal) => {
    const { users, nextCursor } = await operator.users.list({ cursor }, { signal })
    return { items: users, nextCursor }
  })
  return (
    <section class="stack" aria-labelledby="users">
      <h2 id="users">Users</h2>
      <Fault error={error} />
      {items === undefined && error === undefined && <Skeleton />}
      {items !== undefined && (
        <Table
          caption="All users"
          columns={[
            { name: 'Email', cell: ({ email }) => email },
            { name: 'Name', cell: ({ name }) => name },
            { name: 'Plan', cell: (each) => `${each.plan}, ${each.subscriptionStatus}` },
            {
              name: 'Agents',
              figures: true,
              cell: ({ id, agents }) => (
                <a href={`/operator/fleet?user=${encodeURIComponent(id)}`}>{count(agents)}</a>
              ),
            },
            {
              name: 'Account',
              cell: ({ isAdmin, emailVerified }) =>
                isAdmin ? 'administrator' : emailVerified ? 'verified' : 'not verified',
            },
            { name: 'Since', cell: ({ createdAt }) => <Ago at={createdAt} /> },
          ]}
          rows={items}
          id={({ id }) => id}
        />
      )}
      {more !== undefined && <More onMore={more} />}
    </section>
  )
}
