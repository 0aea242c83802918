/** Serves the folder in the first argument and prints the endpoint, until it is killed. */
import { startDatabase } from '../server.ts'

const { endpoint } = await startDatabase({ dir: process.argv[2] ?? '' })
const { user, system } = process.cpuUsage()
const usage = { endpoint, startMs: (user + system) / 1000, rss: process.memoryUsage.rss() }
process.stdout.write(`${JSON.stringify(usage)}\n`)
