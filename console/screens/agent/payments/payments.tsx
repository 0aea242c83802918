import type { WalletOfList } from '../../../../clients/typescript/index.ts'
import { useLoad } from '../../../ui/load.ts'
import type { TabProps } from '../tab.ts'
import { wallets } from './client.ts'
import { MandateCard } from './mandate.tsx'
import { Statement } from './statement.tsx'
import { WalletCard } from './wallet.tsx'

/** The mandate, the wallet and the payments of an agent. */
export default function Payments({ agent }: TabProps) {
  const { id } = agent
  const wallet = useLoad<WalletOfList | null>(
    `wallet ${id}`,
    async (signal) => {
      const all = await wallets.list({ signal })
      return all.find(({ agentId }) => agentId === id) ?? null
    },
    () => 15_000,
  )
  return (
    <div class="stack">
      <MandateCard agentId={id} />
      <WalletCard agentId={id} of={wallet} />
      <Statement agent={agent} chainId={wallet.data?.chain_id} />
    </div>
  )
}
