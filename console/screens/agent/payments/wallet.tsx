import type { WalletOfList } from '../../../../clients/typescript/index.ts'
import { useAttempt } from '../../../ui/attempt.ts'
import { Copy } from '../../../ui/copy.tsx'
import { Fault } from '../../../ui/fault.tsx'
import type { Loaded } from '../../../ui/load.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { usdc } from './amounts.ts'
import { chainName } from './chain.tsx'
import { wallets } from './client.ts'
import { Withdrawals } from './withdrawals.tsx'

/** The wallet of an agent: its address, its balance, and the way to take money out. */
export function WalletCard({ agentId, of }: { agentId: string; of: Loaded<WalletOfList | null> }) {
  const { data, error, reload } = of
  return (
    <section class="card stack" aria-labelledby="wallet">
      <h2 id="wallet">Wallet</h2>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data === null && <NoWallet agentId={agentId} onCreated={reload} />}
      {data && (
        <>
          <Funding of={data} />
          <Withdrawals agentId={agentId} chainId={data.chain_id} onPaid={reload} />
        </>
      )}
    </section>
  )
}

function NoWallet({ agentId, onCreated }: { agentId: string; onCreated(): void }) {
  const { busy, error, attempt } = useAttempt()
  return (
    <>
      <p>The agent has no wallet yet. It pays from its own wallet only.</p>
      <Fault error={error} />
      <p>
        <button
          type="button"
          class="button"
          aria-disabled={busy !== undefined}
          data-busy={busy !== undefined}
          onClick={() =>
            attempt(async () => {
              await wallets.create({ agentId })
              onCreated()
            })
          }
        >
          Create wallet
        </button>
      </p>
    </>
  )
}

function Funding({
  of: { address, balance_usdc: balance, chain_id: chainId },
}: {
  of: WalletOfList
}) {
  const chain = chainName(chainId)
  return (
    <>
      <dl class="facts">
        <dt>Balance</dt>
        <dd>{balance === null ? 'unknown: the chain does not answer' : usdc(balance)}</dd>
        <dt>Chain</dt>
        <dd>{chain}</dd>
        <dt>Address</dt>
        <dd>
          <code>{address}</code> <Copy text={address} label="Copy address" />
        </dd>
      </dl>
      <p class="meta">
        To fund the agent, send USDC on {chain} to this address, and nothing else. Payments need no
        ETH; a withdrawal needs a little ETH in the wallet.
      </p>
    </>
  )
}
