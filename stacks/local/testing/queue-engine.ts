/** A queue engine in a process of its own, so that it can be killed. */
import { startQueueEngine } from '../queues/engine.ts'

const { endpoint } = await startQueueEngine({ dir: process.argv[2] ?? '' })
process.send?.(endpoint)
