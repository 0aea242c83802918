import type { ItemChange } from './items.ts'
import { keyOf, sameKey } from './keys.ts'
import type { Metered } from './requests.ts'
import { itemSize } from './size.ts'
import { indexesOf, attributeNames } from './table.ts'
import type { IndexDescription, Table } from './table.ts'
import type { Item } from './values.ts'

/** The consumed units of one action: of the table, and of each index by name. */
export interface Usage {
  table: string
  units: number
  indexes?: Record<string, number>
}

/** Returns the read units for a number of bytes: one per 4 KB, half of that if eventually consistent. */
export function readUnits(bytes: number, consistent: boolean | undefined): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5)
}

/** Returns the write units: one per KB of the larger version, and the same for each index entry. */
export function writeUsage({ table, before, after }: ItemChange): Usage {
  const units = kilobytes(Math.max(before?.size ?? 0, after?.size ?? 0))
  const indexes: Record<string, number> = {}
  for (const index of indexesOf(table)) {
    const [from, to] = [before, after].map((it) => it && keyOf(index.KeySchema, it.item))
    const touched = [before, after].map((it, i) => ([from, to][i] && it ? it.item : undefined))
    const costs = touched.map((it) => (it ? kilobytes(itemSize(project(table, index, it))) : 0))
    const moved = from && to && !sameKey(from, to)
    const cost = moved ? costs[0]! + costs[1]! : Math.max(...costs)
    if (cost > 0) indexes[index.IndexName] = cost
  }
  return { table: table.description.TableName, units, indexes }
}

function kilobytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024))
}

/** Returns the attributes that an index projects. */
export function project(table: Table, { KeySchema, Projection }: IndexDescription, item: Item) {
  if (Projection.ProjectionType === 'ALL') return item
  const projected = new Set([
    ...attributeNames(table.description.KeySchema),
    ...attributeNames(KeySchema),
    ...(Projection.NonKeyAttributes ?? []),
  ])
  return Object.fromEntries(Object.entries(item).filter(([name]) => projected.has(name)))
}

/** Returns ConsumedCapacity by table, if the request asks for it. @param factor 2 in a transaction */
export function consumed(input: Metered, usages: () => Usage[], factor = 1): object[] | undefined {
  const level = input.ReturnConsumedCapacity
  if (!level || level === 'NONE') return undefined
  const tables = Map.groupBy(usages(), (usage) => usage.table)
  return [...tables].map(([TableName, group]) => {
    const own = factor * group.reduce((sum, { units }) => sum + units, 0)
    const indexes: Record<string, { CapacityUnits: number }> = {}
    for (const [name, units] of group.flatMap((it) => Object.entries(it.indexes ?? {}))) {
      indexes[name] = { CapacityUnits: (indexes[name]?.CapacityUnits ?? 0) + factor * units }
    }
    const shares = Object.values(indexes)
    const total = shares.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, own)
    if (level === 'TOTAL') return { TableName, CapacityUnits: total }
    return {
      TableName,
      CapacityUnits: total,
      Table: { CapacityUnits: own },
      GlobalSecondaryIndexes: shares.length > 0 ? indexes : undefined,
    }
  })
}
