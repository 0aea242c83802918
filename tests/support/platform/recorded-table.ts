import type { Table } from '#shared/platform/table/port.ts'

/** Wraps a table and records the names of the methods that are called, in order. */
export function recording(table: Table): { table: Table; calls: (keyof Table)[] } {
  const calls: (keyof Table)[] = []
  return { calls, table: before(table, (name) => void calls.push(name)) }
}

/** Wraps a table so that `hook` runs before each method. */
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
