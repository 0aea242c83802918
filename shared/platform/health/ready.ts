import type * as z from 'zod'
import type { Log } from '../log.ts'
import type { Table } from '../table/port.ts'
import type { TargetCheck, HealthProbe } from './check.ts'
import type { Readiness } from './schema.ts'

/** Runs all checks concurrently. */
export async function readiness(
  looks: Record<string, TargetCheck>,
  log: Log,
): Promise<z.input<typeof Readiness>> {
  const checks = await Promise.all(
    Object.entries(looks).map(async ([name, look]) => [name, await look(log)] as const),
  )
  const ready = checks.every(([, good]) => good)
  return { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(checks) }
}

/** Returns a probe that reads from the table and ignores the result. */
export function tableProbe(table: Table): HealthProbe {
  return () => table.get({ pk: 'health', sk: 'ready' }, { consistent: false })
}
