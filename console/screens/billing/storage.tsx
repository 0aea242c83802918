import type { Storage as StorageView } from '../../../clients/typescript/index.ts'
import { agentPath, listAgents } from '../../base/agents.ts'
import { platform } from '../../base/platform.ts'
import { size } from '../../base/size.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'
import { manageStorage } from './checkout.ts'

/**
 * The storage that the files of the agents use.
 * @param paidGb the storage that the user pays for in addition to the plan
 */
export function Storage({ paidGb }: { paidGb: number }) {
  const { busy, error: refusal, attempt } = useAttempt()
  const { data, error } = useLoad('storage', (signal) => platform.storage.get({ signal }))
  return (
    <section class="card" aria-labelledby="storage">
      <h2 id="storage">Storage for files</h2>
      <Fault error={error ?? refusal} />
      {data === undefined && error === undefined && <Skeleton lines={1} />}
      {data !== undefined && <Used {...data} />}
      <p class="row">
        {paidGb > 0 && `You pay for ${paidGb} GB in addition to the plan. `}
        <button
          type="button"
          class="button"
          aria-disabled={busy !== undefined}
          data-busy={busy === 'storage'}
          onClick={() => attempt(manageStorage, 'storage')}
        >
          {paidGb > 0 ? 'Cancel storage' : 'Add 50 GB for £39 a month'}
        </button>
      </p>
    </section>
  )
}

function Used({ usedBytes, quotaBytes, agents }: StorageView) {
  const names = useLoad('agents', listAgents)
  const used = agents.filter(({ bytes }) => bytes > 0)
  return (
    <>
      <p>
        {size(usedBytes)} of {size(quotaBytes)} used. {advice(usedBytes, quotaBytes)}
      </p>
      {quotaBytes > 0 && (
        <div class="meter">
          <span style={{ inlineSize: `${Math.min(1, usedBytes / quotaBytes) * 100}%` }} />
        </div>
      )}
      {used.length > 0 && names.data !== undefined && (
        <ul class="storage" aria-label="Storage by agent">
          {used
            .toSorted((one, other) => other.bytes - one.bytes)
            .map(({ agentId, bytes }) => (
              <li key={agentId} class="row">
                <div class="list-main">
                  <a href={agentPath(agentId, 'files')}>
                    {names.data?.find(({ id }) => id === agentId)?.name ?? agentId}
                  </a>
                </div>
                {size(bytes)}
              </li>
            ))}
        </ul>
      )}
      <Fault error={names.error} />
    </>
  )
}

/** Agents do not start above this part of the storage: contract.md 16. */
const startsUpTo = 1.2

function advice(used: number, quota: number): string {
  if (used > quota * startsUpTo)
    return 'Agents do not start until less than 120 % is used. Delete files, or add storage.'
  return used > 0 && used >= quota ? 'Delete files, or add storage.' : ''
}
