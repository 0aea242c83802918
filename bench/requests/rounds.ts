import type { Child } from '../gateway/child.ts'
import type { Load, LoadResult } from '../gateway/load/main.ts'
import { cpuSeconds } from '../gateway/rounds.ts'

/** A server, with its process. */
export interface Target {
  name: string
  pid: number
  settings?: Asked
  gateway: Asked
}

/** The port of a server, and the requests that callers send in turn. */
interface Asked {
  port: number
  requests: readonly string[]
}

export const loads = [
  { name: 'settings at 1', of: 'settings', connections: 1 },
  { name: 'settings at 32', of: 'settings', connections: 32 },
  { name: 'gateway at 1', of: 'gateway', connections: 1 },
  { name: 'gateway at 32', of: 'gateway', connections: 32 },
] as const

export type LoadName = (typeof loads)[number]['name']

export type Result = LoadResult & { cpuMs: number }

/** The results of one round by load, then by target. */
export type Measured = Map<LoadName, Map<string, Result>>

export async function measureRound(
  load: Child,
  targets: readonly Target[],
  seconds: number,
): Promise<Measured> {
  const round: Measured = new Map()
  for (const { name, of, connections } of loads) {
    const results = new Map<string, Result>()
    round.set(name, results)
    for (const target of targets) {
      const source = target[of]
      if (source === undefined) continue
      const requests = Array.from(
        { length: connections },
        (_, i) => source.requests[i % source.requests.length] ?? '',
      )
      const before = cpuSeconds(target.pid)
      const options: Load = { port: source.port, requests, seconds }
      const result = await load.ask<LoadResult | { error: string }>(options)
      if ('error' in result) throw new Error(`${target.name}, ${name}: ${result.error}`)
      const cpuMs = ((cpuSeconds(target.pid) - before) / result.answers) * 1000
      results.set(target.name, { ...result, cpuMs })
    }
  }
  return round
}
