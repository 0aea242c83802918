import { startHeld } from '../processes/start.ts'

/** Holds a process at the gate for as long as it lives itself: tells its pid. */
const [file = ''] = process.argv.slice(2)
const env = { PATH: process.env['PATH'] ?? '' }
const held = await startHeld({ command: ['touch', file], cwd: '/', env })
process.stdout.write(`${held.pid}\n`)
