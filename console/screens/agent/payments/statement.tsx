import { useState } from 'preact/hooks'
import type { AgentDetail, AgentPayment } from '../../../../clients/typescript/index.ts'
import { agentPath } from '../../../base/agents.ts'
import { now } from '../../../base/clock.ts'
import { csvOf } from '../../../base/csv.ts'
import { go, query } from '../../../base/router.ts'
import { take } from '../../../base/take.ts'
import { Choice } from '../../../ui/area.tsx'
import { useAttempt } from '../../../ui/attempt.ts'
import { Fault } from '../../../ui/fault.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { Table } from '../../../ui/table.tsx'
import { agents } from '../client.ts'
import { exactUsd } from './amounts.ts'
import { Short, Transaction } from './chain.tsx'

/** The number of payments of a page, which is the maximum of a request. */
const pageLength = 100

const stateNames: Readonly<Record<AgentPayment['state'], string>> = {
  held: 'held, not sent yet',
  sent: 'sent, not settled yet',
  settled: 'paid',
  returned: 'not taken, returned',
}

const colors: Readonly<Record<AgentPayment['state'], string | undefined>> = {
  held: 'pending',
  sent: 'pending',
  settled: 'running',
  returned: undefined,
}

const columns = ['id', 'at', 'host', 'payee', 'usd', 'state', 'txHash', 'approvalId'] as const

interface StatementProps {
  agent: Pick<AgentDetail, 'id' | 'createdAt'>
  chainId: number | undefined
}

/** An agent's payments of a month, newest first. The month is in the URL. */
export function Statement({ agent: { id, createdAt }, chainId }: StatementProps) {
  const months = monthsSince(createdAt)
  const [current = ''] = months
  const month = months.find((each) => each === query.value.get('month')) ?? current
  const [wanted, setWanted] = useState(pageLength)
  const { data, error } = useLoad(
    `payments ${id} ${month} ${wanted}`,
    (signal) => takePayments(id, { month, most: wanted, signal }),
    () => (month === current ? 15_000 : undefined),
  )
  const saving = useAttempt()

  const save = () =>
    saving.attempt(async () => {
      const all = await takePayments(id, { month, most: Number.POSITIVE_INFINITY })
      saveFile(`payments-${id}-${month}.csv`, csvOf(columns, all), 'text/csv')
    })

  return (
    <section class="card stack" aria-labelledby="payments">
      <div class="head">
        <h2 id="payments">Payments</h2>
        <div class="head-actions">
          <button
            type="button"
            class="button"
            aria-disabled={saving.busy !== undefined}
            data-busy={saving.busy !== undefined}
            onClick={save}
          >
            <Icon name="down" />
            Download CSV
          </button>
        </div>
      </div>
      <Choice
        label="Month"
        value={month}
        onChoose={(value) => {
          setWanted(pageLength)
          go(`${agentPath(id, 'payments')}?month=${value}`)
        }}
      >
        {months.map((each) => (
          <option key={each} value={each}>
            {monthName(each)}
          </option>
        ))}
      </Choice>
      <Fault error={error ?? saving.error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data?.length === 0 && <p class="meta">No payments in {monthName(month)}.</p>}
      {data !== undefined && data.length > 0 && <Payments of={data} chainId={chainId} />}
      {data?.length === wanted && (
        <p>
          <button type="button" class="button" onClick={() => setWanted(wanted + pageLength)}>
            Show more
          </button>
        </p>
      )}
    </section>
  )
}

function Payments({ of, chainId }: { of: readonly AgentPayment[]; chainId: number | undefined }) {
  return (
    <Table
      caption="Payments of the month"
      rows={of}
      id={(payment) => payment.id}
      columns={[
        {
          name: 'Time',
          cell: ({ at }) => <time dateTime={at}>{new Date(at).toLocaleString()}</time>,
        },
        { name: 'Amount', figures: true, cell: ({ usd }) => exactUsd(usd) },
        { name: 'Host', cell: ({ host }) => host },
        { name: 'Payee', cell: ({ payee }) => <Short of={payee} /> },
        { name: 'State', cell: ({ state }) => <State of={state} /> },
        {
          name: 'Transaction',
          cell: ({ txHash }) => txHash !== null && <Transaction hash={txHash} chainId={chainId} />,
        },
        {
          name: 'Approval',
          cell: ({ approvalId }) =>
            approvalId !== null && <a href={`/approvals/${approvalId}`}>Approval</a>,
        },
      ]}
    />
  )
}

function State({ of }: { of: AgentPayment['state'] }) {
  return (
    <span class="state" data-state={colors[of]}>
      {stateNames[of]}
    </span>
  )
}

/** Returns up to `most` payments of a month, newest first. */
function takePayments(
  agentId: string,
  { month, most, signal }: { month: string; most: number; signal?: AbortSignal },
): Promise<AgentPayment[]> {
  const filters = { month, limit: pageLength }
  return take(agents.payments.list(agentId, filters, { signal }), most)
}

/** Returns the months in UTC since a time as `2026-11`, newest first. */
function monthsSince(iso: string): string[] {
  const months: string[] = []
  const date = new Date(now())
  date.setUTCDate(1)
  do {
    months.push(date.toISOString().slice(0, 7))
    date.setUTCMonth(date.getUTCMonth() - 1)
  } while (date.toISOString().slice(0, 7) >= iso.slice(0, 7))
  return months
}

function monthName(month: string): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(`${month}-01`).toLocaleDateString('en', format)
}
