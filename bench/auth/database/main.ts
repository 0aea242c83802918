/** Runs the embedded database in its own process, so that its work does not count for the caller. Prints its address. */
import { startTestTable } from '#tests/support/platform/table.ts'

const { endpoint } = await startTestTable()
process.stdout.write(endpoint)
