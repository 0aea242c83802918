import { useEffect, useState } from 'preact/hooks'
import type { Withdrawal } from '../../../../clients/typescript/index.ts'
import { take } from '../../../base/take.ts'
import { visible } from '../../../base/visible.ts'
import { useLoad } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'
import { Ago } from '../../../ui/parts.tsx'
import { usdc } from './amounts.ts'
import { Transaction } from './chain.tsx'
import { withdrawals } from './client.ts'
import { WithdrawForm } from './withdraw-form.tsx'

const stateNames: Readonly<Record<Withdrawal['state'], string>> = {
  queued: 'waiting',
  processing: 'being paid',
  completed: 'paid',
  failed: 'failed',
}

const colors: Readonly<Record<Withdrawal['state'], string>> = {
  queued: 'pending',
  processing: 'pending',
  completed: 'running',
  failed: 'error',
}

const pageLength = 10

interface WithdrawalsProps {
  agentId: string
  chainId: number
  /** Called once a withdrawal of this page is final. */
  onPaid(): void
}

/** Takes USDC out of an agent's wallet, and lists what was taken out. */
export function Withdrawals({ agentId, chainId, onPaid }: WithdrawalsProps) {
  const [wanted, setWanted] = useState(pageLength)
  /** The id of the last withdrawal of this page. */
  const [last, setLast] = useState<string>()
  const list = useLoad(
    `withdrawals ${agentId} ${wanted}`,
    (signal) => take(withdrawalsOf(agentId, signal), wanted),
    (all) => (all.some(isOpen) ? 2000 : 15_000),
  )
  const current = list.data?.find(({ id }) => id === last)
  const isFinal = current !== undefined && !isOpen(current)
  useEffect(() => {
    if (isFinal) onPaid()
  }, [isFinal, onPaid])

  return (
    <>
      <h3 id="withdraw">Withdraw</h3>
      <WithdrawForm
        agentId={agentId}
        onSent={(id) => {
          setLast(id)
          list.reload()
        }}
        notice={
          current && `The withdrawal of ${usdc(current.amount)} is ${stateNames[current.state]}.`
        }
      />
      <h3>Withdrawals</h3>
      <LoadedList of={list}>
        {(each) => (
          <li key={each.id}>
            <div class="list-main">
              <strong>
                {usdc(each.amount)} to <code>{each.to}</code>
              </strong>
              <p class="meta">
                <Ago at={each.createdAt} />
                {each.txHash !== null && (
                  <>
                    , <Transaction hash={each.txHash} chainId={chainId} />
                  </>
                )}
                {each.reason !== null && `; ${visible(each.reason)}`}
              </p>
            </div>
            <span class="state" data-state={colors[each.state]}>
              {stateNames[each.state]}
            </span>
          </li>
        )}
      </LoadedList>
      {list.data?.length === wanted && (
        <p>
          <button type="button" class="button" onClick={() => setWanted(wanted + pageLength)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}

function isOpen({ state }: Withdrawal): boolean {
  return state === 'queued' || state === 'processing'
}

/** Returns the withdrawals of an agent, newest first. */
async function* withdrawalsOf(agentId: string, signal: AbortSignal): AsyncGenerator<Withdrawal> {
  for await (const each of withdrawals.list({ limit: 100 }, { signal }))
    if (each.agentId === agentId) yield each
}
