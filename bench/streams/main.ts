/**
 * Sends 500 concurrent streams of 8 s through the AI gateway as a service with one CPU: measures its memory, its CPU time and
 * the delay of the first byte, and checks that every stream is complete. `--quick`: 50 streams. Fails if a stream is
 * incomplete or the memory is over its limit.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleService } from '../gateway/bundle.ts'
import { createCallers, type Kind, requestText } from '../gateway/callers.ts'
import { startChild } from '../gateway/child.ts'
import type { LoadResult } from '../gateway/load/main.ts'
import { cpuSeconds } from '../gateway/rounds.ts'

const quick = process.argv.includes('--quick')
const streams = quick ? 50 : 500
/** Each connection sends three requests in this time, because a stream takes 8 s; with `--quick` one. */
const seconds = quick ? 1 : 20
const maxMb = 1024

const file = (path: string) => join(import.meta.dirname, '../gateway', path)
const dir = await mkdtemp(join(tmpdir(), 'bench-streams-'))
const items = join(dir, 'items.json')
const callers = await createCallers(32)
await writeFile(items, JSON.stringify(callers.items))
const load = startChild(1, file('load/main.ts'))
const provider = startChild(1, file('upstream/main.ts'))
const { port } = (await provider.next()) as { port: number }
const service = startChild(
  0,
  file('service/main.ts'),
  [await bundleService(), `http://127.0.0.1:${port}/v1`],
  { BENCH_ITEMS: items, NODE_OPTIONS: '--max-semi-space-size=32' },
)
try {
  const { port: servicePort } = (await service.next()) as { port: number }
  const ask = (at: number, count: number, time: number, kind: Kind = 'long') => {
    const requests = Array.from({ length: count }, (_, i) =>
      requestText(callers.keys[i % callers.keys.length] ?? '', kind),
    )
    return load.ask<LoadResult>({ port: at, requests, seconds: time })
  }
  // The compiler optimizes during the first seconds.
  await ask(servicePort, 32, quick ? 1 : 5, 'stream')
  const direct = await ask(port, streams, 0)
  const before = cpuSeconds(service.process.pid)
  const asked = ask(servicePort, streams, seconds)
  let most = 0
  const looks = setInterval(() => service.process.send?.('memory'), 250)
  service.process.on('message', (answer: unknown) => {
    most = Math.max(most, (answer as { rssMb: number }).rssMb)
  })
  const { answers, events, firstByteP50, p50, p99, refused } = await asked
  clearInterval(looks)
  const cpu = cpuSeconds(service.process.pid) - before
  const whole = Object.keys(refused).length === 0 && events === answers * 31
  process.stdout.write(
    [
      `${answers} streams, ${streams} at a time: ${whole ? 'all complete' : `INCOMPLETE: ${events} events, ${JSON.stringify(refused)}`}`,
      `each takes ${p50.toFixed(0)} ms (p99 ${p99.toFixed(0)}); directly from the provider ${direct.p50.toFixed(0)} ms`,
      `first byte after ${firstByteP50.toFixed(1)} ms, directly from the provider ${direct.firstByteP50.toFixed(1)} ms (all begin at once)`,
      `processor time ${((cpu / answers) * 1000).toFixed(1)} ms a stream`,
      `memory ${most.toFixed(0)} MB at most   limit ${maxMb} MB${most <= maxMb ? '' : '  MISSED'}`,
      '',
    ].join('\n'),
  )
  process.exitCode = whole && most <= maxMb ? 0 : 1
} finally {
  await Promise.all([service.stop(), provider.stop(), load.stop()])
  await rm(dir, { recursive: true, force: true })
}
