/** Replaces shared/platform/table/dynamo.ts in the measured bundle. BENCH_ITEMS selects the table in memory. */
import { readFileSync } from 'node:fs'
import { dynamoTable as realTable } from '#shared/platform/table/dynamo.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { memoryTable } from './memory.ts'
import { traced } from './traced.ts'

export function dynamoTable(options: Parameters<typeof realTable>[0]): Table {
  const file = process.env.BENCH_ITEMS
  if (file === undefined) return traced(realTable(options))
  return traced(memoryTable(JSON.parse(readFileSync(file, 'utf8')) as Item[]))
}
