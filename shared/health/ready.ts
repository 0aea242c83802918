import type * as z from 'zod'
import type { Log } from '../platform/log.ts'
import type { Table } from '../platform/table/port.ts'
import type { Readiness } from './schema.ts'

export type Probe = () => Promise<unknown>

/** Runs every probe side by side; one that throws is a check that fails. */
export async function readiness(
  probes: Record<string, Probe>,
  log: Log,
): Promise<z.input<typeof Readiness>> {
  const results = await Promise.all(
    Object.entries(probes).map(async ([name, probe]) => {
      try {
        await probe()
        return [name, true] as const
      } catch (error) {
        log.warn('not ready', { check: name, error })
        return [name, false] as const
      }
    }),
  )
  const ready = results.every(([, good]) => good)
  return { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(results) }
}

/** Whether the table answers; what it answers does not matter. */
export function tableProbe(table: Table): Probe {
  return () => table.get({ pk: 'health', sk: 'ready' }, { consistent: false })
}
