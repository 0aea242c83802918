import { readFileSync } from 'node:fs'
import type { Kind } from './callers.ts'
import type { Load, LoadResult } from './load/main.ts'
import type { Running, Target } from './targets.ts'

/** One target's results of a round: many connections, one connection, many with a slow provider, one with a stream. */
export interface Results {
  many: LoadResult & { cpuMicroseconds: number }
  one: LoadResult
  slow: LoadResult
  stream: LoadResult
}

/** The results of a round by target. */
export type Round = Map<string, Results>

export const concurrency = 32

export async function measureRound(
  running: Running,
  keys: readonly string[],
  seconds: number,
): Promise<Round> {
  const round: Round = new Map()
  const { direct, ours, service, bare, floor, embedded, peer } = running
  const others = 'missing' in peer ? [embedded] : [peer, embedded]
  for (const target of [direct, ours, service, bare, floor, ...others])
    round.set(target.name, await measure(running, target, keys, seconds))
  return round
}

/** Targets that have refused to stream; the peer does on this runtime. */
const refusing = new Set<string>()

/** Measures one target under all loads. */
export async function measure(
  { load }: Running,
  target: Target,
  keys: readonly string[],
  seconds: number,
): Promise<Results> {
  const run = async (kind: Kind, connections: number, time = seconds): Promise<LoadResult> => {
    const requests = Array.from({ length: connections }, (_, i) =>
      target.request(keys[i % keys.length] ?? '', kind),
    )
    const options: Load = { port: target.port, requests, seconds: time }
    const result = await load.ask<LoadResult | { error: string }>(options)
    if ('error' in result) throw new Error(`${target.name}, ${kind}: ${result.error}`)
    return result
  }
  const before = cpuSeconds(target.child.process.pid)
  const many = await run('fast', concurrency)
  const cpuMicroseconds = ((cpuSeconds(target.child.process.pid) - before) / many.answers) * 1e6
  const stream = await run('stream', 1, refusing.has(target.name) ? 0 : seconds)
  if (stream.events === 0) refusing.add(target.name)
  return {
    many: { ...many, cpuMicroseconds },
    one: await run('fast', 1),
    slow: await run('slow', concurrency),
    stream,
  }
}

/** Returns the CPU time of a process on all cores, in the kernel's ticks of 10 ms; 0 without /proc. */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
