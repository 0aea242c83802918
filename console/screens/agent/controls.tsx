import { useEffect } from 'preact/hooks'
import type { AgentDetail } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StopInstead } from './stop-instead.tsx'
import type { TabProps } from './tab.ts'

type Action = 'start' | 'stop' | 'restart' | 'repair'

/** The actions on an agent's container. Actions without an effect are disabled. */
export function Controls({ agent, reload }: TabProps) {
  const { busy, error, setError, attempt } = useAttempt()
  const { up, down } = possibleFrom(agent)

  const ask = async (action: Action) => {
    await platform.agents[action](agent.id)
    reload()
  }

  const run = (action: Action) => attempt(() => ask(action), action)

  useEffect(() => {
    // The agent was started elsewhere, so the error of an earlier start no longer matters.
    if (up) setError(undefined)
  }, [up, setError])

  return (
    <>
      <button
        type="button"
        class={`button ${down ? 'primary' : ''}`}
        disabled={!down}
        data-busy={busy === 'start'}
        onClick={() => run('start')}
      >
        <Icon name="play" />
        Start
      </button>
      <Confirm
        action="Stop"
        question={`Stop ${agent.name}?`}
        disabled={!up}
        onConfirm={() => ask('stop')}
        face={
          <>
            <Icon name="stop" />
            Stop
          </>
        }
      >
        Its current work is interrupted. Memory, skills and conversations are kept.
      </Confirm>
      <button
        type="button"
        class="button"
        disabled={!up}
        data-busy={busy === 'restart'}
        onClick={() => run('restart')}
      >
        <Icon name="restart" />
        Restart
      </button>
      <button
        type="button"
        class="button"
        data-busy={busy === 'repair'}
        onClick={() => run('repair')}
      >
        <Icon name="repair" />
        Repair
      </button>
      <Fault error={error} />
      {down && <StopInstead error={error} agent={agent} start={() => run('start')} />}
    </>
  )
}

function possibleFrom({ status }: AgentDetail): { up: boolean; down: boolean } {
  const up = status === 'running' || status === 'provisioning' || status === 'pending'
  return { up, down: !up }
}
