import type * as z from 'zod'
import { newSeed } from '#shared/platform/ids.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { logStreamRows } from './rows.ts'

export type LogStream = z.output<ReturnType<(typeof logStreamRows)['declared']['schema']>>

/** A stream that has not renewed its row for this time has ended, or its reader is suspended. */
const leaseSeconds = 60

export const renewEveryMs = 20_000

function keyOf({ agentId, id }: LogStream) {
  return { agentId, streamId: id }
}

function expiry(now: number): number {
  return Math.ceil(now / 1000) + leaseSeconds
}

/** Stores that a stream of an agent's log is open. */
export async function openStream(
  { table }: { table: Table },
  { agentId }: { agentId: string },
  now = Date.now(),
): Promise<LogStream> {
  const stream: LogStream = { id: newSeed(now), agentId, lines: 0 }
  await table.put(logStreamRows.put(keyOf(stream), stream, { expiresAt: expiry(now) }))
  return stream
}

/**
 * Renews a stream's row.
 * @returns false if a caller has ended the stream
 */
export async function renewStream(
  { table }: { table: Table },
  { stream }: { stream: LogStream },
  now = Date.now(),
): Promise<boolean> {
  return tryWrite(
    table.update(logStreamRows.key(keyOf(stream)), {
      set: { lines: stream.lines, expiresAt: expiry(now) },
      if: 'attribute_exists(pk)',
    }),
  )
}

/** Deletes the row of a stream. */
export async function closeStream(
  { table }: { table: Table },
  { stream }: { stream: LogStream },
): Promise<void> {
  await table.delete(logStreamRows.key(keyOf(stream)))
}

/** Lists the open streams of one agent, or of all agents. */
export async function listStreams(
  { table }: { table: Table },
  { agentId }: { agentId?: string } = {},
): Promise<LogStream[]> {
  const found = await allItems((from) =>
    table.query({
      pk: logStreamRows.pk({}),
      ...(agentId !== undefined && { beginsWith: logStreamRows.prefix({ agentId }) }),
      ...from,
    }),
  )
  return found.map(logStreamRows.parse)
}

/** Ends every stream of an agent. Each one stops within seconds. */
export async function stopStreams(
  { table }: { table: Table },
  { agentId }: { agentId: string },
): Promise<void> {
  const streams = await listStreams({ table }, { agentId })
  await Promise.all(streams.map((stream) => closeStream({ table }, { stream })))
}
