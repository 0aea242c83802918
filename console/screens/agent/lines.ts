import { useEffect, useState } from 'preact/hooks'
import { eventsOf } from '../../app/events.ts'
import { platform } from '../../app/platform.ts'
import { heed } from '../../app/session.ts'

export interface Line {
  /** Counts up over everything that was read, so that a line keeps its number when earlier ones are let go. */
  number: number
  text: string
}

const mostLines = 20_000

/** Milliseconds before a stream that broke off is opened again. */
const again = 1500

interface LogEvent {
  type: 'connected' | 'line' | 'exit'
  text?: string
  code?: number | null
}

/** Lines of an agent's log as they are written, over restarts and broken connections, while the tab is seen. */
export function useLines(agentId: string): { lines: readonly Line[]; error: unknown } {
  const [lines, setLines] = useState<readonly Line[]>([])
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    let place: string | undefined
    let number = 0
    let fresh: Line[] = []
    let drawing: number | undefined
    let timer: number | undefined
    let reading: AbortController | undefined

    const draw = () => {
      drawing = undefined
      const added = fresh
      fresh = []
      setLines((before) => [...before, ...added].slice(-mostLines))
    }
    const show = (text: string) => {
      fresh.push({ number: number++, text })
      // Many lines come at once: they are drawn together.
      drawing ??= requestAnimationFrame(draw)
    }

    async function read(signal: AbortSignal) {
      const response = await platform.stream(`/api/logs/${agentId}/stream?tail=1000`, {
        signal,
        ...(place !== undefined && { headers: { 'last-event-id': place } }),
      })
      setError(undefined)
      for await (const { id, data } of eventsOf(response)) {
        place = id ?? place
        const event = JSON.parse(data) as LogEvent
        if (event.type === 'line') show(event.text ?? '')
        if (event.type === 'exit')
          show(`– the container ended with code ${event.code ?? 'unknown'}`)
      }
    }
    const open = () => {
      clearTimeout(timer)
      if (document.hidden || reading !== undefined) return
      const own = new AbortController()
      reading = own
      read(own.signal)
        .catch((cause: unknown) => {
          if (own.signal.aborted) return
          heed(cause)
          setError(cause)
        })
        .finally(() => {
          if (reading === own) reading = undefined
          if (!own.signal.aborted) timer = setTimeout(open, again)
        })
    }
    const close = () => {
      reading?.abort()
      reading = undefined
      clearTimeout(timer)
    }
    const seen = () => (document.hidden ? close() : open())
    document.addEventListener('visibilitychange', seen)
    open()
    return () => {
      document.removeEventListener('visibilitychange', seen)
      close()
      if (drawing !== undefined) cancelAnimationFrame(drawing)
    }
  }, [agentId])

  return { lines, error }
}
