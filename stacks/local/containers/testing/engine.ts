import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startContainers } from '../start.ts'
import { cluster, families } from './harness.ts'

/**
 * Runs an engine in its own process, so that tests can kill it. Prints its endpoint and records each event atomically. Exits
 * when its standard input closes, so it does not outlive the test.
 */
const [dir = ''] = process.argv.slice(2)
const db = new DatabaseSync(join(dir, 'told.db'), { timeout: 5000 })
db.exec('PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS told (event TEXT)')
const write = db.prepare('INSERT INTO told VALUES (?)')
const { endpoint } = await startContainers({
  dir,
  cluster,
  families,
  onTaskEvent: async (event) => void write.run(JSON.stringify(event)),
})
process.stdin.resume().once('close', () => process.exit())
process.stdout.write(`${endpoint}\n`)
