import { numbered, tryCommit } from '#shared/platform/table/commit.ts'
import type { Table, Update, Write } from '#shared/platform/table/port.ts'
import type { ToolEvent, UsageEvent } from './event.ts'
import { rollupWrites } from './rollups.ts'
import { eventWrite } from './settle.ts'
import { countedNames } from './tools/counted-names.ts'
import { toolRollupWrites } from './tools/rollup.ts'

/** The maximum number of events that fit into one transaction with up to four rollups each. */
const batch = 20

/**
 * Records events without a quota hold, each once with its rollups, in few transactions. After a crash, a retry with the
 * same events records only the missing ones.
 */
export async function recordEvents(
  { table }: { table: Table },
  { events }: { events: readonly UsageEvent[] },
): Promise<void> {
  const nameOf = await countedNames(
    table,
    events.filter((event) => event.kind === 'tool'),
  )
  for (let at = 0; at < events.length; at += batch)
    await keepBatch(table, events.slice(at, at + batch), nameOf)
}

async function keepBatch(
  table: Table,
  events: readonly UsageEvent[],
  nameOf: (event: ToolEvent) => string,
): Promise<void> {
  const rollups = events.flatMap((event) =>
    event.kind === 'tool' ? toolRollupWrites(event, nameOf(event)) : rollupWrites(event),
  )
  // Only an event can be rejected: an earlier attempt then wrote the whole batch.
  await tryCommit(table, {
    ...numbered('event', events.map(eventWrite)),
    ...numbered('rollup', merged(rollups)),
  })
}

/** Adds up counters of the same row, because a transaction may contain an item only once. */
function merged(writes: readonly Write[]): Write[] {
  const byRow = new Map<string, Extract<Write, { update: unknown }>>()
  for (const write of writes) {
    if (!('update' in write)) continue
    const row = `${write.update.pk}\n${write.update.sk}`
    const add = sum(byRow.get(row)?.add, write.add)
    byRow.set(row, { ...write, add })
  }
  return [...byRow.values()]
}

function sum(a: Update['add'] = {}, b: Update['add'] = {}): Record<string, number> {
  const entries = Object.entries(b).map(([name, value]) => [name, (a[name] ?? 0) + value] as const)
  return { ...a, ...Object.fromEntries(entries) }
}
