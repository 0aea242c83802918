import type { Table } from './port.ts'

/** A table that loads its client with the first request, so that the import does not slow cold starts. */
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
