/**
 * Watches the process that started it, which writes to its standard input as long as its event loop turns, and kills it
 * once nothing has come for too long. With the argument `report` it only says so.
 */

/** The silence after which a process counts as hung, in steps: 20 s, and at most one step more. */
const stepMs = 2500
const mostSilentSteps = 8

const watched = process.ppid
const reports = process.argv[2] === 'report'

// A stop of the container may reach both. The watched process may take its time over it, but must not hang.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

let silentSteps = 0
process.stdin.on('data', () => {
  silentSteps = 0
})
process.stdin.once('close', () => process.exit(0))

// Counted in steps of its own: while the whole machine sleeps nothing is silent.
setInterval(() => {
  if (++silentSteps < mostSilentSteps || (reports && silentSteps > mostSilentSteps)) return
  // A process that has ended has left its number to another.
  if (process.ppid !== watched) process.exit(0)
  process.stderr.write(
    `The agent’s process has hung for ${(stepMs * silentSteps) / 1000} s${reports ? '' : ': killed'}\n`,
  )
  if (reports) return
  process.kill(watched, 'SIGKILL')
  process.exit(0)
}, stepMs)
