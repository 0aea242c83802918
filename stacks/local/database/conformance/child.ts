/** Serves the folder named by the first argument; prints the endpoint, then waits to be killed. */
import { startDatabase } from '../server.ts'

const { endpoint } = await startDatabase({ dir: process.argv[2] ?? '' })
const usage = { endpoint, startMs: performance.now(), rss: process.memoryUsage.rss() }
process.stdout.write(`${JSON.stringify(usage)}\n`)
