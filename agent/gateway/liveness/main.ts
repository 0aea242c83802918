/**
 * Watches its parent process, which writes to this process's standard input while its event loop runs, and kills it
 * after too long a silence. With the argument `report` it only logs the hang.
 */

/** The silence, in steps, after which a process counts as hung: 20 s, and at most one step more. */
const stepMs = 2500
const maxSilentSteps = 8

const watched = process.ppid
const reports = process.argv[2] === 'report'

// A stop of the container can signal both processes. The watched process can take time to stop, but must not hang.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

let silentSteps = 0
process.stdin.on('data', () => {
  silentSteps = 0
})
process.stdin.once('close', () => process.exit(0))

// Counts its own steps, so that it does not count a sleep of the whole machine as silence.
setInterval(() => {
  if (++silentSteps < maxSilentSteps || (reports && silentSteps > maxSilentSteps)) return
  // The watched process has ended, and its pid may be reused.
  if (process.ppid !== watched) process.exit(0)
  process.stderr.write(
    `The agent’s process has hung for ${(stepMs * silentSteps) / 1000} s${reports ? '' : ': killed'}\n`,
  )
  if (reports) return
  process.kill(watched, 'SIGKILL')
  process.exit(0)
}, stepMs)
