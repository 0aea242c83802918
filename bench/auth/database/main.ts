/** The embedded database as a process of its own, whose work is then not the caller's; it prints its address. */
import { startTestTable } from '../../../tests/support/table.ts'

const { endpoint } = await startTestTable()
process.stdout.write(endpoint)
