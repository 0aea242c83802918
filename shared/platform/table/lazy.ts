import type { Table } from './port.ts'

/** A table that loads its client with the first request, so that the import does not slow cold starts. */
export function lazyTable(open: () => Promise<Table>): Table {
  return {
    get: async (...args) => (await open()).get(...args),
    getMany: async (...args) => (await open()).getMany(...args),
    put: async (...args) => (await open()).put(...args),
    update: async (...args) => (await open()).update(...args),
    delete: async (...args) => (await open()).delete(...args),
    query: async (...args) => (await open()).query(...args),
    transact: async (...args) => (await open()).transact(...args),
  }
}
