import { useEffect, useState } from 'preact/hooks'
import type { AgentDetail } from '../../../../clients/typescript/index.ts'
import { isUnderWay, type Turn } from './turn.ts'

/** Shows what the next message waits for. */
export function AgentStatus({ agent, turns }: { agent: AgentDetail; turns: readonly Turn[] }) {
  const last = turns.at(-1)
  const isAsked = last !== undefined && isUnderWay(last)
  // An agent that answers is awake, even if the last known state is asleep.
  if (last?.state === 'answering') return null
  const words = wordsOf(agent, isAsked)
  const step = isAsked ? stepOf(agent) : undefined
  if (words !== undefined && step !== undefined) return <Waking words={words} step={step} />
  if (words !== undefined)
    return (
      <p class="meta" role="status">
        {words}
      </p>
    )
  if (last?.state !== 'sent') return null
  return (
    <p class="meta thinking" role="status">
      Thinking
    </p>
  )
}

/** Returns the step, of three, that a message waits for. The last one is the answer. */
function stepOf({ status, stopReason }: AgentDetail): number | undefined {
  if (status === 'pending' || status === 'provisioning') return 2
  return status === 'stopped' && stopReason?.code === 'Asleep' ? 1 : undefined
}

/** Shows the step and its duration. */
function Waking({ words, step }: { words: string; step: number }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedAt = performance.now()
    const timer = setInterval(
      () => setSeconds(Math.floor((performance.now() - startedAt) / 1000)),
      1000,
    )
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="waking">
      <p class="meta" role="status">
        {words}
      </p>
      <progress aria-label="Progress until the answer" max={3} value={step} />
      {/* Hidden from screen readers, which would announce every second. */}
      <span class="meta" aria-hidden="true">
        {seconds} s
      </span>
    </div>
  )
}

function wordsOf({ status, stopReason }: AgentDetail, isAsked: boolean): string | undefined {
  switch (status) {
    case 'pending':
    case 'provisioning':
      return isAsked ? 'The agent is starting. Your message is sent when it runs.' : undefined
    case 'stopped':
      if (stopReason?.code !== 'Asleep') return 'The agent is stopped. Start it to chat.'
      return isAsked
        ? 'The agent is waking up. It answers in a moment.'
        : 'The agent is asleep. It wakes up when you send a message.'
    case 'error':
      return 'The agent has failed. Repair it to chat.'
    default:
      return undefined
  }
}
