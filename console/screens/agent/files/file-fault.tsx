import { PlatformError } from '../../../base/platform.ts'
import { size } from '../../../base/size.ts'
import { Fault } from '../../../ui/fault.tsx'

/** Shows an error of a change of files. If the storage is full, says how full, and where to get more. */
export function FileFault({ error }: { error: unknown }) {
  if (!(error instanceof PlatformError) || error.code !== 'STORAGE_LIMIT_REACHED')
    return <Fault error={error} />
  const { used, quota } = error.details
  return (
    <div class="fault" role="alert">
      <p>
        The storage is full: {size(Number(used))} of {size(Number(quota))} are used. Delete files,
        or add storage under <a href="/billing">Plan and billing</a>.
      </p>
    </div>
  )
}
