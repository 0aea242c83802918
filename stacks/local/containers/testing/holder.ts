import { startPaused } from '../processes/start.ts'

/** Keeps a process waiting at the gate for as long as this program lives, and prints its pid. */
const [file = ''] = process.argv.slice(2)
const env = { PATH: process.env['PATH'] ?? '' }
const paused = await startPaused({ command: ['touch', file], cwd: '/', env })
process.stdout.write(`${paused.pid}\n`)
