import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { startContainers } from '../start.ts'
import { cluster, families } from './harness.ts'

/** An engine in a process of its own, to be killed: tells its endpoint, writes its events down. */
const [dir = ''] = process.argv.slice(2)
const { endpoint } = await startContainers({
  dir,
  cluster,
  families,
  onTaskEvent: async (event) => appendFileSync(join(dir, 'events'), `${JSON.stringify(event)}\n`),
})
process.stdout.write(`${endpoint}\n`)
