/** The load generator: keeps a number of connections busy with sequential requests and times every response. */
import { connect, type Socket } from 'node:net'
import { createReader } from './reader.ts'

export interface Load {
  port: number
  /** Whole HTTP requests, one per connection. */
  requests: readonly string[]
  seconds: number
}

/** All times in milliseconds. */
export interface LoadResult {
  perSecond: number
  p50: number
  p95: number
  p99: number
  /** The time to the first part of the body. */
  firstByteP50: number
  /** The time of streamed chunks from the provider's socket to this program. */
  chunkP50: number
  answers: number
  /** The number of responses with a status other than 200, by status. */
  refused: Record<number, number>
  events: number
  /** Events that arrived in one piece with the event before. */
  merged: number
}

interface Counts {
  latencies: number[]
  firstBytes: number[]
  chunkDelays: number[]
  refused: Record<number, number>
  events: number
  merged: number
}

function quantile(values: number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN
}

function countEvents(text: string, counts: Counts): void {
  const events = text.match(/^data: /gm)?.length ?? 0
  counts.events += events
  counts.merged += Math.max(0, events - 1)
  const sent = /"(?:content|text|delta)":"(\d+)"/.exec(text)?.[1]
  if (sent !== undefined)
    counts.chunkDelays.push(Number(process.hrtime.bigint() - BigInt(sent)) / 1e6)
}

/** Sends requests on one connection until the time is over. */
function work(socket: Socket, request: string, until: number, counts: Counts): Promise<void> {
  return new Promise((resolve, reject) => {
    let started = 0
    let first = 0
    const send = () => {
      first = 0
      started = performance.now()
      socket.write(request)
    }
    const read = createReader({
      piece(text) {
        if (first === 0) counts.firstBytes.push((first = performance.now()) - started)
        if (/^(?:data|event): /.test(text)) countEvents(text, counts)
      },
      end(status) {
        const now = performance.now()
        counts.latencies.push(now - started)
        if (status !== 200) counts.refused[status] = (counts.refused[status] ?? 0) + 1
        if (now < until) send()
        else resolve()
      },
    })
    socket.on('data', read)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
    send()
  })
}

async function run({ port, requests, seconds }: Load): Promise<LoadResult> {
  const sockets = await Promise.all(
    requests.map(
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
          socket.once('error', reject)
        }),
    ),
  )
  const counts: Counts = {
    latencies: [],
    firstBytes: [],
    chunkDelays: [],
    refused: {},
    events: 0,
    merged: 0,
  }
  const started = performance.now()
  const until = started + seconds * 1000
  await Promise.all(sockets.map((socket, i) => work(socket, requests[i] ?? '', until, counts)))
  const elapsed = (performance.now() - started) / 1000
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
  const { latencies, firstBytes, chunkDelays, ...rest } = counts
  return {
    perSecond: latencies.length / elapsed,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    firstByteP50: quantile(firstBytes, 0.5),
    chunkP50: quantile(chunkDelays, 0.5),
    answers: latencies.length,
    ...rest,
  }
}

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
