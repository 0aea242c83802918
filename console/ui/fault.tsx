import { useState } from 'preact/hooks'
import { words } from '../base/words.ts'
import { retryFailed, isOfLoading } from './failures.ts'
import { Icon } from './icon.tsx'

/** Shows an error and announces it to screen readers. A failed load has a button to retry. */
export function Fault({ error }: { error: unknown }) {
  const [asked, setAsked] = useState<unknown>()
  if (error === undefined || error === null) return null
  return (
    <div class="fault" role="alert">
      <Icon name="alert" />
      <p>{typeof error === 'string' ? error : words(error)}</p>
      {isOfLoading(error) && (
        <button
          type="button"
          class="button small"
          data-busy={asked === error}
          onClick={() => {
            setAsked(error)
            retryFailed()
          }}
        >
          Try again
        </button>
      )}
    </div>
  )
}
