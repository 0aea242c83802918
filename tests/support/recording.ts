import type { Table } from '../../shared/platform/table/port.ts'

/** A table that works as before and keeps the names of its methods in the order in which they were called. */
export function recording(table: Table): { table: Table; calls: (keyof Table)[] } {
  const calls: (keyof Table)[] = []
  return { calls, table: before(table, (name) => void calls.push(name)) }
}

/** A table before whose every method `hook` runs. */
export function before(
  table: Table,
  hook: (name: keyof Table, given: unknown[]) => void | Promise<void>,
): Table {
  return new Proxy(table, {
    get(target, name: keyof Table) {
      return async (...given: never[]) => {
        await hook(name, given)
        return (target[name] as (...given: never[]) => unknown)(...given)
      }
    },
  })
}
