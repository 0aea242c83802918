import type { Table } from '#shared/platform/table/port.ts'

/** All requests to a table during a trace. */
export interface TableTrace {
  recording: boolean
  requests: { name: string; ms: number }[]
}

const place = Symbol.for('agent-platform.bench.table')
const shared = globalThis as { [place]?: TableTrace }

/** Returns the single trace of this process, which the function's bundle and its host share. */
export function tableTrace(): TableTrace {
  return (shared[place] ??= { recording: false, requests: [] })
}

/** Wraps a table so that its requests are counted and timed. */
export function traced(table: Table): Table {
  const trace = tableTrace()
  const time =
    <A extends unknown[], R>(name: string, run: (...values: A) => Promise<R>) =>
    (...values: A): Promise<R> => {
      if (!trace.recording) return run(...values)
      const started = performance.now()
      return run(...values).finally(() =>
        trace.requests.push({ name, ms: performance.now() - started }),
      )
    }
  return {
    get: time('get', table.get),
    getMany: time('getMany', table.getMany),
    put: time('put', table.put),
    update: time('update', table.update),
    delete: time('delete', table.delete),
    query: time('query', table.query),
    transact: time('transact', table.transact),
  }
}
