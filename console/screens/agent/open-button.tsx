import { platform } from '../../base/platform.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import type { TabProps } from './tab.ts'

/** Opens the agent's host in another tab, with a link that is valid once. */
export function OpenButton({ agent }: Pick<TabProps, 'agent'>) {
  const { busy, error, attempt } = useAttempt()

  const open = () =>
    attempt(async () => {
      const { url } = await platform.agents.createTicket(agent.id)
      // The agent's page is untrusted and must not get a reference to this window.
      window.open(url, '_blank', 'noopener')
    })

  return (
    <>
      <button
        type="button"
        class="button small"
        aria-disabled={busy !== undefined}
        data-busy={busy !== undefined}
        onClick={open}
      >
        Open agent page
      </button>
      <Fault error={error} />
    </>
  )
}
