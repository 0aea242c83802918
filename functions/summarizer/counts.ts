/** Loaded with the first request: the client of the table, which stores the rate limit counters. */
export { openTable } from '#shared/platform/table/open.ts'
