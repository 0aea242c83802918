/** Runs a database with running agents in its own process, and prints its address. */
import { startTestTable } from '#tests/support/platform/table.ts'
import { seed } from '../watchdog/agents.ts'

const address = { host: '127.0.0.1', port: 1 }
const { byClient, endpoint, tableName } = await startTestTable()
await seed(byClient, Number(process.argv[2]), { well: address, ill: address })
process.send?.({ endpoint, tableName })
