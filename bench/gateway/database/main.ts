/** The embedded database, in memory, in a process of its own. */
import { startDatabase } from '../../../stacks/local/database/server.ts'

const { endpoint } = await startDatabase({ dir: ':memory:' })
process.send?.({ endpoint })
process.on('disconnect', () => process.exit())
