/** Runs the embedded database in memory, in its own process. */
import { startDatabase } from '#stacks/local/database/server.ts'

const { endpoint } = await startDatabase({ dir: ':memory:' })
process.send?.({ endpoint })
process.on('disconnect', () => process.exit())
