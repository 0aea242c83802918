import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { leaveIfSignedOut } from '../../app/session.ts'
import { Fault } from '../../ui/fault.tsx'
import type { TabProps } from './tab.ts'

/** Opens the agent's own page in another tab, by a link that is good once. */
export function OpenButton({ agent }: Pick<TabProps, 'agent'>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  async function open() {
    if (busy) return
    setBusy(true)
    setError(undefined)
    try {
      const { url } = await platform.agents.createTicket(agent.id)
      // Its page is not the platform's: it must not hold this one by the hand.
      window.open(url, '_blank', 'noopener')
    } catch (cause) {
      leaveIfSignedOut(cause)
      setError(cause)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <button
        type="button"
        class="button small"
        aria-disabled={busy}
        data-busy={busy}
        onClick={open}
      >
        Open its page
      </button>
      <Fault error={error} />
    </>
  )
}
