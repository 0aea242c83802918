import type { ConnectionRequest } from '../../../../clients/typescript/index.ts'
import { size } from '../../../base/size.ts'
import { Fault } from '../../../ui/fault.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Ago, Skeleton } from '../../../ui/parts.tsx'
import { Table } from '../../../ui/table.tsx'
import { agents } from '../client.ts'

const decisions = { allow: 'allowed', ask: 'asked', deny: 'denied' } as const

/** The newest 100 requests of the agent over its connections. */
export function Requests({ agentId }: { agentId: string }) {
  const { data, error } = useLoad(
    `connection requests ${agentId}`,
    (signal) => agents.connectionRequests.list(agentId, { limit: 100 }, { signal }),
    () => 15_000,
  )
  return (
    <section class="stack" aria-labelledby="requests">
      <h2 id="requests">Requests</h2>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton lines={1} />}
      {data?.length === 0 && <p class="meta">No requests in the last 30 days.</p>}
      {data !== undefined && data.length > 0 && <Rows of={data} />}
    </section>
  )
}

function Rows({ of }: { of: readonly ConnectionRequest[] }) {
  return (
    <Table
      caption="Requests of the last 30 days"
      rows={of}
      bounded
      id={({ at, connection, tool }) => `${at} ${connection} ${tool}`}
      columns={[
        { name: 'Time', cell: ({ at }) => <Ago at={at} /> },
        { name: 'Connection', cell: ({ connection }) => connection },
        { name: 'Tool', cell: ({ tool, method }) => <code>{tool ?? method}</code> },
        { name: 'Policy', cell: ({ decision }) => decision !== null && decisions[decision] },
        { name: 'Status', figures: true, cell: ({ status }) => status ?? 'no answer' },
        {
          name: 'Duration',
          figures: true,
          cell: ({ ms }) => ms !== null && `${ms.toLocaleString('en')} ms`,
        },
        { name: 'Size', figures: true, cell: ({ bytes }) => bytes !== null && size(bytes) },
      ]}
    />
  )
}
