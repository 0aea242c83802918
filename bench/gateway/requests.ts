import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createReader } from './load/reader.ts'
import type { TableTrace } from './table/traced.ts'
import type { Running, Target } from './targets.ts'

type Requests = TableTrace['requests']

/** The table requests of one completed chat. */
export interface TableRequests {
  /** The requests before the provider received the question. */
  before: Requests
  /** The requests from then until everything was recorded. */
  after: Requests
}

const recordMs = 100

/** Counts the requests with each of the tables, after a first call, which records the use of the key as one per minute does. */
export async function countRequests(
  running: Running,
  keys: readonly string[],
): Promise<{ memory: TableRequests; embedded: TableRequests[] }> {
  const key = keys[0] ?? ''
  for (const target of [running.ours, running.embedded]) await countOnce(running, target, key)
  const embedded: TableRequests[] = []
  for (let i = 0; i < 11; i++) embedded.push(await countOnce(running, running.embedded, key))
  return { memory: await countOnce(running, running.ours, key), embedded }
}

async function countOnce(
  { provider }: Running,
  { child, port, request }: Target,
  key: string,
): Promise<TableRequests> {
  const read = (recording: boolean) => child.ask<Requests>({ recording })
  await read(true)
  const socket = connect(port, '127.0.0.1')
  const held = provider.next()
  const answered = new Promise<void>((resolve) => {
    socket.on('data', createReader({ piece: () => {}, end: () => resolve() }))
  })
  socket.write(request(key, 'held'))
  await held
  const before = await read(true)
  provider.process.send?.('go on')
  await answered
  // The response is complete before its usage is recorded.
  await wait(recordMs)
  socket.destroy()
  return { before, after: await read(false) }
}
