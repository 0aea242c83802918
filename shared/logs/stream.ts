import { newSeed } from '../platform/ids.ts'
import { allItems } from '../platform/table/pages.ts'
import { ConditionFailed, type Item, type Key, type Table } from '../platform/table/port.ts'

/** One reader's stream, as a row that it renews while it lives; taking the row away ends it, wherever it runs. */
export interface LogStream {
  id: string
  agentId: string
  /** Lines sent so far. */
  lines: number
}

/** A stream that has not renewed its row for this long is gone, or its reader has fallen asleep. */
const leaseSeconds = 60

export const renewEveryMs = 20_000

const partition = 'log-streams'

export function streamKey({ agentId, id }: Pick<LogStream, 'agentId' | 'id'>): Key {
  return { pk: partition, sk: `${agentId}#${id}` }
}

function expiry(now: number): number {
  return Math.ceil(now / 1000) + leaseSeconds
}

export async function openStream(
  table: Table,
  agentId: string,
  now = Date.now(),
): Promise<LogStream> {
  const stream: LogStream = { id: newSeed(now), agentId, lines: 0 }
  await table.put({ ...streamKey(stream), ...stream, expiresAt: expiry(now) })
  return stream
}

/** @returns whether the stream may go on: somebody may have ended it */
export async function renewStream(
  table: Table,
  stream: LogStream,
  now = Date.now(),
): Promise<boolean> {
  try {
    await table.update(streamKey(stream), {
      set: { lines: stream.lines, expiresAt: expiry(now) },
      if: 'attribute_exists(pk)',
    })
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

export async function closeStream(table: Table, stream: LogStream): Promise<void> {
  await table.delete(streamKey(stream))
}

/** The streams that are alive: of one agent, or of every agent. */
export async function listStreams(table: Table, agentId?: string): Promise<LogStream[]> {
  const found = await allItems((from) =>
    table.query({
      pk: partition,
      ...(agentId !== undefined && { beginsWith: `${agentId}#` }),
      ...from,
    }),
  )
  return found.map(toStream)
}

function toStream({ id, agentId, lines }: Item): LogStream {
  return { id: String(id), agentId: String(agentId), lines: Number(lines) }
}

/** Ends every stream of an agent; each notices within seconds. */
export async function stopStreams(table: Table, agentId: string): Promise<void> {
  const streams = await listStreams(table, agentId)
  await Promise.all(streams.map((stream) => closeStream(table, stream)))
}
