import { useEffect, useMemo, useRef } from 'preact/hooks'
import { query } from '../../../base/router.ts'
import { Compose } from '../../../ui/compose.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Skeleton } from '../../../ui/parts.tsx'
import { useSticky } from '../../../ui/sticky.ts'
import type { TabProps } from '../tab.ts'
import { AgentStatus } from './agent-status.tsx'
import { Conversation } from './conversation.ts'
import { usePrices } from './cost.ts'
import { Earlier } from './earlier.tsx'
import { Topics } from './topics.tsx'
import { TurnView } from './turn-view.tsx'
import '../../../ui/chat.css'

/** The polling interval for messages from elsewhere, in milliseconds. */
const every = 15_000

/** The conversation with the agent about the topic in the URL. */
export default function Chat({ agent, reload }: TabProps) {
  const topic = query.value.get('topic') ?? 'default'
  return <Talk key={topic} agent={agent} reload={reload} topic={topic} />
}

function Talk({ agent, reload, topic }: TabProps & { topic: string }) {
  const talk = useMemo(() => new Conversation({ agentId: agent.id, topic }), [agent.id, topic])
  useEffect(() => {
    void talk.look()
    const timer = setInterval(() => document.hidden || void talk.look(), every)
    return () => {
      clearInterval(timer)
      talk.close()
    }
  }, [talk])
  const isComing = agent.status === 'pending' || agent.status === 'provisioning'
  useEffect(() => {
    if (!isComing) talk.release()
  }, [talk, isComing])

  const turns = talk.turns.value
  const active = talk.active.value
  const wasActive = useRef(active)
  useEffect(() => {
    // The agent may have woken up or ended.
    if (wasActive.current !== active) reload()
    wasActive.current = active
  }, [active, reload])
  const isAwaited = active && agent.status !== 'running'
  useEffect(() => {
    if (!isAwaited) return undefined
    // Polled more often while the agent wakes up.
    const timer = setInterval(() => document.hidden || reload(), 2000)
    return () => clearInterval(timer)
  }, [isAwaited, reload])
  const log = useRef<HTMLDivElement>(null)
  const { isAtEnd, toEnd } = useSticky(log, turns)
  const prices = usePrices(turns ?? [])

  function say(text: string) {
    toEnd()
    talk.say(text, isComing)
  }

  return (
    <div class="card talk">
      <Topics agentId={agent.id} topic={topic} count={turns?.length} />
      <div
        ref={log}
        class="conversation"
        role="log"
        aria-label="Conversation"
        aria-busy={active}
        tabIndex={0}
      >
        {turns === undefined && talk.error.value === undefined && <Skeleton />}
        <Earlier history={talk.history} log={log} first={turns?.[0]?.key} />
        {turns?.length === 0 && (
          <p class="meta">
            {talk.history.hasEarlier.value ? 'No recent messages.' : 'No messages yet. Say hello.'}
          </p>
        )}
        {turns?.map((turn, i) => (
          <TurnView
            key={turn.key}
            turn={turn}
            prices={prices}
            onRetry={i === turns.length - 1 ? () => say(turn.question) : undefined}
          />
        ))}
        <AgentStatus agent={agent} turns={turns ?? []} />
      </div>
      {!isAtEnd && (
        <button type="button" class="button small to-end" onClick={toEnd}>
          <Icon name="down" />
          Latest
        </button>
      )}
      <Fault error={talk.error.value} />
      <Compose
        draft={talk.notes.read().draft}
        maxLength={32_000}
        isBusy={active}
        isStopping={turns?.some(({ state }) => state === 'stopping') === true}
        onDraft={(draft) => talk.notes.note({ draft })}
        onSay={say}
        onStop={() => void talk.stop()}
      />
    </div>
  )
}
