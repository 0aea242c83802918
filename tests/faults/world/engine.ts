/**
 * A container engine in a process of its own, to be killed: tells its parent on which port it is ready, and each task
 * event. Asked by its parent, it answers after what it has told; once nobody holds it any more, it ends with its tasks.
 */
import { startContainers } from '../../../stacks/local/containers/start.ts'
import type { Family } from '../../../stacks/local/containers/family.ts'
import { cluster, crashing, good, other } from './ground.ts'

/** Starts as fast as a process can, as there are many of them; with one config it cannot work. */
const gateway = `
if (process.env.SYSTEM_PROMPT === 'Crash.') process.exit(9)
require('node:http')
  .createServer((request, response) => response.end())
  .listen(Number(process.env.GATEWAY_PORT), '127.0.0.1')
`

const family: Family = {
  command: [process.execPath, '-e', gateway],
  containerName: 'agent',
  stopTimeoutSeconds: 5,
  cpu: 256,
  memory: 512,
}

const [dir = ''] = process.argv.slice(2)

function tell(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })
}

const { port, close } = await startContainers({
  dir,
  cluster,
  families: { 'agent-label': family, 'agent-solo': family },
  images: {
    [good]: {},
    [other]: {},
    [crashing]: { command: [process.execPath, '-e', 'process.exit(7)'] },
  },
  onTaskEvent: (event) => tell({ event }),
})
const end = () => void close().then(() => process.exit())
process.once('disconnect', end)
process.on('message', (asked) => (asked === 'end' ? end() : void tell({ answer: true })))
await tell({ ready: port })
