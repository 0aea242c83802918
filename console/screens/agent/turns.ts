import { useEffect, useRef, useState } from 'preact/hooks'
import { eventsOf } from '../../app/events.ts'
import { platform, PlatformError } from '../../app/platform.ts'
import { heed } from '../../app/session.ts'
import type { AgentDetail } from '../../app/shapes.ts'

export interface Turn {
  id: string
  from: 'user' | 'agent'
  text: string
}

interface Turns {
  /** What was said since the page is open. */
  turns: Turn[]
  active: boolean
  error: unknown
  say(text: string): void
  /** Ends the answer under way; what came stays. */
  stop(): void
}

/** Says things to an agent, one at a time, and shows its answers as they come. */
export function useTurns(agent: AgentDetail, reload: () => void): Turns {
  const [turns, setTurns] = useState<Turn[]>([])
  const [waiting, setWaiting] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [active, setActive] = useState(false)
  const answering = useRef<AbortController | undefined>(undefined)

  const add = (turn: Turn) => setTurns((before) => [...before, turn])
  const extend = (id: string, text: string) =>
    setTurns((before) =>
      before.map((turn) => (turn.id === id ? { ...turn, text: turn.text + text } : turn)),
    )

  async function answer(message: string, signal: AbortSignal) {
    const id = crypto.randomUUID()
    let begun = false
    const response = await platform.open(
      '/api/chat',
      { agentId: agent.id, message, stream: true },
      { signal },
    )
    for await (const { event, data } of eventsOf(response)) {
      const said = JSON.parse(data) as { content?: string; reply?: string; error?: string }
      if (event === 'error') throw new PlatformError(502, said.error ?? 'The answer broke off')
      const text = event === 'delta' ? said.content : begun ? undefined : said.reply
      if (text === undefined) continue
      if (!begun) add({ id, from: 'agent', text })
      else extend(id, text)
      begun = true
    }
  }

  // A message that was written while the agent starts goes out once it runs.
  const { status } = agent
  useEffect(() => {
    if (waiting === undefined || status === 'pending' || status === 'provisioning') return
    setWaiting(undefined)
    const ending = new AbortController()
    answering.current = ending
    answer(waiting, ending.signal)
      .catch((error: unknown) => {
        if (ending.signal.aborted) return
        heed(error)
        setError(error)
        reload()
      })
      .finally(() => setActive(false))
  }, [waiting, status])

  useEffect(() => () => answering.current?.abort(), [])

  return {
    turns,
    active,
    error,
    say(text) {
      add({ id: crypto.randomUUID(), from: 'user', text })
      setError(undefined)
      setActive(true)
      setWaiting(text)
    },
    stop() {
      answering.current?.abort()
      setWaiting(undefined)
      setActive(false)
    },
  }
}
