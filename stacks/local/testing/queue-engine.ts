/** Runs a queue engine in its own process, so that tests can kill it. */
import { startQueueEngine } from '../queues/engine.ts'

const { endpoint } = await startQueueEngine({ dir: process.argv[2] ?? '' })
process.send?.(endpoint)
