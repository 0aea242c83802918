import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startContainers } from '../start.ts'
import { cluster, families } from './harness.ts'

/**
 * An engine in a process of its own, to be killed: tells its endpoint, writes each event down whole or not at all. It does
 * not outlive the test that holds its standard input.
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
