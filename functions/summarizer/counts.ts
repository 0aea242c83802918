/** What is loaded with the first request: the client of the table, in which requests are counted. */
export { openTable } from '../../shared/platform/table/open.ts'
