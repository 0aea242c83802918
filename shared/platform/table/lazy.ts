import type { Table } from './port.ts'

/** A table whose client is loaded with the first request to it, so that it costs a cold start's import nothing. */
export function lazyTable(open: () => Promise<Table>): Table {
  return {
    get: async (...given) => (await open()).get(...given),
    getMany: async (...given) => (await open()).getMany(...given),
    put: async (...given) => (await open()).put(...given),
    update: async (...given) => (await open()).update(...given),
    delete: async (...given) => (await open()).delete(...given),
    query: async (...given) => (await open()).query(...given),
    transact: async (...given) => (await open()).transact(...given),
  }
}
