/** Runs the embedded database in its own process, so that its work does not count for the caller. */
import { startTestTable } from '#tests/support/platform/table.ts'

const { tableName, endpoint } = await startTestTable()
process.send?.({ tableName, endpoint })
process.on('disconnect', () => process.exit())
