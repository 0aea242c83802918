/** A database with agents that run, in a process of its own, which tells where it is. */
import { startTestTable } from '../../tests/support/table.ts'
import { seed } from '../watchdog/agents.ts'

const address = { host: '127.0.0.1', port: 1 }
const { byClient, endpoint, tableName } = await startTestTable()
await seed(byClient, Number(process.argv[2]), { well: address, ill: address })
process.send?.({ endpoint, tableName })
