import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { completionEvent } from './event.ts'
import { logLine } from './log-line.ts'
import { recordEvents } from './record-events.ts'

/**
 * Writes one row as a completion would, to test that usage is recorded. It reserves no quota.
 * @throws PlatformError 500 with status `error` if the write fails
 */
export async function writeTestUsage(
  { table, log }: { table: Table; log: Log },
  { userId }: { userId: string },
) {
  const event = completionEvent({
    userId,
    agentId: null,
    model: 'test',
    provider: 'test',
    inputTokens: 10,
    outputTokens: 5,
    costUsd: 0,
    estimated: false,
    success: true,
    durationMs: 1,
    endpoint: '/api/test-usage',
  })
  try {
    await recordEvents({ table }, { events: [event] })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log.error(`[UsageLogger] Failed to log usage: ${message}`)
    const text = 'Failed to write a test row'
    throw new PlatformError('internal', text, {
      details: { status: 'error', message: text },
      cause: error,
    })
  }
  log.info(logLine(event))
  return event
}
