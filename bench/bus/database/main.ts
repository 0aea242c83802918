/** The embedded database as a process of its own, whose work is then not the caller's. */
import { startTestTable } from '../../../tests/support/table.ts'

const { tableName, endpoint } = await startTestTable()
process.send?.({ tableName, endpoint })
process.on('disconnect', () => process.exit())
